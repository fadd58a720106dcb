import { ServiceError, toServiceError, type Allocation, type JsonValue } from '@lab/contracts';
import type { AgentLimits, AgentLog } from '../ports/index.js';
import { isOf, type CallsOf, type PostedCall } from './device-calls.js';
import type { DeviceProcessLife } from './device-process-life.js';

export interface AllocationPorts {
  /** `<lab>.<device>`. */
  label: string;
  log: AgentLog;
  /** The present process of the device, if it takes calls. */
  process(): DeviceProcessLife | undefined;
  post(call: PostedCall): Promise<JsonValue | undefined>;
}

/** An allocation of which a process was told. */
interface Told {
  life: DeviceProcessLife;
  allocation: Allocation;
  caller: string | undefined;
  /** Settles when `_allocated` has ended. */
  prepared: Promise<void>;
}

/**
 * Tells the process of a device which task has it: `_allocated` before the first call of the task, `_deallocated` after its end.
 *
 * Guarantees: each process is told of an allocation at most once at a time, and of the end of one before the beginning of the next.
 * A process whose class has neither method is told nothing, and no call waits.
 */
export class DeviceAllocation {
  #told: Told | undefined;
  /** Settles when the last `_deallocated` has ended. */
  #released: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(
    private readonly ports: AllocationPorts,
    private readonly limits: AgentLimits,
  ) {}

  /**
   * Prepares the device for a call of a task.
   *
   * @returns undefined when there is nothing to wait for
   * @throws ServiceError with effect none when `_allocated` failed or did not end in time; the next call tries again
   */
  begin(allocation: Allocation, caller: string | undefined): Promise<void> | undefined {
    const life = this.ports.process();
    if (life?.followsAllocations !== true) return undefined;
    const told = this.#told;
    if (told?.life === life && told.allocation.fence === allocation.fence) return told.prepared;
    if (told?.life === life) this.end({ attemptId: told.allocation.attempt_id, caller: told.caller });
    const prepared = this.#released.then(() => this.#tell('allocated', allocation)).catch(this.#failed);
    const now: Told = { life, allocation, caller, prepared };
    this.#told = now;
    prepared.catch(() => {
      if (this.#told === now) this.#told = undefined;
    });
    return prepared;
  }

  /** Notes that a task has ended, or has the device no longer. */
  end(of: CallsOf): void {
    const told = this.#told;
    if (told === undefined) return;
    const { allocation, caller, life, prepared } = told;
    if (!isOf({ attemptId: allocation.attempt_id, caller }, of)) return;
    this.#told = undefined;
    if (this.ports.process() !== life) return;
    this.#released = prepared
      .catch(() => undefined)
      .then(() => this.#tell('deallocated', allocation))
      .catch((error: unknown) => {
        this.ports.log.error(`_deallocated failed: ${toServiceError(error).message}`);
      });
  }

  async #tell(type: 'allocated' | 'deallocated', allocation: Allocation): Promise<void> {
    const id = `_${type}/${++this.#count}`;
    await this.ports.post({
      id,
      kind: 'query',
      name: `_${type}`,
      message: { type, call_id: id, allocation },
      arguments: {},
      patienceMs: this.limits.deviceAllocatedMs,
      runMs: this.limits.deviceAllocatedMs,
    });
  }

  readonly #failed = (thrown: unknown): never => {
    const error = toServiceError(thrown);
    throw new ServiceError(
      error.code,
      `device ${this.ports.label} could not be prepared for the task: ${error.message}`,
      {
        effect: 'none',
        cause: error,
        ...(error.authorStack === undefined ? {} : { authorStack: error.authorStack }),
      },
    );
  };
}
