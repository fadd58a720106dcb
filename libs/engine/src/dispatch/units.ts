import { isUnclear } from '@lab/contracts';
import type { PlanSlot, PlanUnit } from '@lab/scheduling';
import type { AgentDirectory } from '../agents/index.js';
import { type KnownDevice, type LabMap, heldFor, serviceComputer } from '../labs/index.js';
import type { AllocationRow, ReservationRow, TaskRunRow } from '../rows/index.js';
import {
  drainOfComputer,
  keepsFrom,
  outageOver,
  reservationsByUnit,
  stoppedDevices,
  wordsOfOutage,
} from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';

const nothing: readonly string[] = [];

/** Devices and resources as policies see them at one moment. Each unit is derived once. */
export class UnitView {
  readonly units = new Map<string, PlanUnit>();
  readonly #isStopped: (device: KnownDevice) => boolean;
  readonly #reservations: ReadonlyMap<string, readonly ReservationRow[]>;

  constructor(
    private readonly state: WorkingState,
    private readonly labs: LabMap,
    private readonly directory: AgentDirectory,
  ) {
    this.#isStopped = stoppedDevices(state);
    this.#reservations = reservationsByUnit(state);
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

  /**
   * The candidates on which a task may not start now, because other people have reserved them for a time in which it would
   * use them.
   *
   * @param owner of the task
   * @param duration gives its expected seconds; null: unknown
   * @param now milliseconds since 1970
   */
  reserved(
    slots: readonly PlanSlot[],
    owner: string,
    duration: () => number | null,
    now: number,
  ): readonly string[] {
    if (this.#reservations.size === 0) return nothing;
    const units = new Set(slots.flatMap((slot) => slot.candidates));
    const durationS = duration();
    return [...units].filter((id) => this.reservationsOf(id, owner, durationS, now).length > 0);
  }

  /** The reservations that keep a task from starting on the unit now, with the parameters of {@link keepsFrom}. */
  reservationsOf(
    id: string,
    owner: string,
    durationS: number | null,
    now: number,
  ): readonly ReservationRow[] {
    const all = this.#reservations.get(id) ?? [];
    return all.filter((reservation) => keepsFrom(reservation, owner, durationS, now));
  }

  /** Whether a task without devices can start: the computer of the service is connected, and nobody drains it. */
  get serviceComputerTakesTasks(): boolean {
    return (
      this.directory.dispatchable(serviceComputer) !== undefined &&
      drainOfComputer(this.state, serviceComputer) === undefined
    );
  }

  /** The device of a unit; undefined: the unit is a resource, or no loaded laboratory has it. */
  device(id: string): KnownDevice | undefined {
    return id.startsWith('device:') ? this.labs.devices.get(id.slice('device:'.length)) : undefined;
  }

  /** Why no task can get the unit now, in words; null: one can. */
  whyUnusable(id: string, labelOf?: (task: TaskRunRow) => string): string | null {
    return this.#whyUnusable(id, this.state.rows.allocations.get(id), labelOf);
  }

  #whyUnusable(
    id: string,
    allocation: AllocationRow | undefined,
    labelOf = (task: TaskRunRow): string => this.state.labelOf(task),
  ): string | null {
    const user =
      allocation?.taskRunId == null ? undefined : this.state.rows.taskRuns.get(allocation.taskRunId);
    if (user !== undefined && isUnclear(user.state))
      return `${labelOf(user)} had it, and a person has to decide about that task`;
    if (!id.startsWith('device:')) return null;
    const device = this.device(id);
    if (device === undefined) return 'no loaded laboratory has it';
    if (this.#isStopped(device)) return 'it is stopped by people';
    const outage = outageOver(this.state, device);
    if (outage !== undefined) return wordsOfOutage(outage);
    return this.directory.whyUnusable(device.computer, device.key);
  }
}
