import { isUnclear } from '@lab/contracts';
import type { PlanUnit } from '@lab/scheduling';
import type { AgentDirectory } from '../agents/index.js';
import { type KnownDevice, type LabMap, heldFor } from '../labs/index.js';
import type { AllocationRow } from '../rows/index.js';
import { stoppedDevices, wordsOfOutage } from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';

const nothing: readonly string[] = [];

/** Devices and resources as policies see them at one moment. Each unit is derived once. */
export class UnitView {
  readonly units = new Map<string, PlanUnit>();
  readonly #isStopped: (device: KnownDevice) => boolean;

  constructor(
    private readonly state: WorkingState,
    private readonly labs: LabMap,
    private readonly directory: AgentDirectory,
  ) {
    this.#isStopped = stoppedDevices(state);
  }

  /** @param id of {@link allocationKey} */
  get(id: string): PlanUnit {
    const known = this.units.get(id);
    if (known !== undefined) return known;
    const state = this.state;
    const allocation = state.rows.allocations.get(id);
    const isDevice = id.startsWith('device:');
    const unit: PlanUnit = {
      id,
      kind: isDevice ? 'device' : 'resource',
      busy:
        allocation !== undefined &&
        (state.isInUse(allocation) || (allocation.taskRunId !== null && allocation.heldByRunId === null)),
      heldBy: allocation?.heldByRunId ?? null,
      heldFor: allocation === undefined ? nothing : heldFor(state, allocation),
      usable: this.#whyUnusable(id, allocation) === null,
      since: allocation?.since ?? 0,
    };
    this.units.set(id, unit);
    return unit;
  }

  /** Why no task can get the unit now, in words; null: one can. */
  whyUnusable(id: string): string | null {
    return this.#whyUnusable(id, this.state.rows.allocations.get(id));
  }

  #whyUnusable(id: string, allocation: AllocationRow | undefined): string | null {
    const user =
      allocation?.taskRunId == null ? undefined : this.state.rows.taskRuns.get(allocation.taskRunId);
    if (user !== undefined && isUnclear(user.state))
      return `${this.state.labelOf(user)} had it, and a person has to decide about that task`;
    if (!id.startsWith('device:')) return null;
    const device = this.labs.devices.get(id.slice('device:'.length));
    if (device === undefined) return 'no loaded laboratory has it';
    if (this.#isStopped(device)) return 'it is stopped by people';
    const outage = this.state.rows.outages.get(device.key);
    if (outage !== undefined) return wordsOfOutage(outage);
    return this.directory.whyUnusable(device.computer, device.key);
  }
}
