import { emergencyStopCovers, type EmergencyStop } from '@lab/contracts';
import type { TaskAttempts } from '../attempts/index.js';
import { emergencyStopText, type Devices } from '../devices/index.js';
import type { Ledger, LedgerRecord } from '../ledger/index.js';
import type { AgentLog, KnownEmergencyStops } from '../ports/index.js';

/**
 * The emergency stops of this computer. They take effect at once and survive the agent process.
 *
 * Guarantees: a stop from any sender counts. Only the leader releases a stop, by its id. Devices are stopped before the stop is
 * recorded.
 */
export class EmergencyStops {
  /** The ledger is open. Before, a leader can already tell of stops. */
  #recalled = false;

  constructor(
    private readonly devices: Devices,
    private readonly attempts: TaskAttempts,
    private readonly ledger: Ledger,
    private readonly log: AgentLog,
  ) {}

  get inForce(): EmergencyStop[] {
    return this.devices.emergencyStops;
  }

  /** Restores the stops of the open ledger. Call it before any device starts. */
  recall(): void {
    this.#recalled = true;
    const kept = this.ledger.state.emergencyStops;
    for (const stop of kept) this.devices.emergencyStop(stop);
    // A leader may have released a stop before the ledger was read.
    const inForce = new Set(this.inForce.map(({ id }) => id));
    const over = kept.filter(({ id }) => !inForce.has(id)).map(({ id }) => id);
    if (over.length > 0) this.#keep({ type: 'released', ids: over });
  }

  /** Stops every device of the scope, and the tasks that use one. A known stop changes nothing. */
  engage(stop: EmergencyStop): void {
    if (!this.devices.emergencyStop(stop)) return;
    this.log.warn('emergency stop', { ...stop });
    this.attempts.cancelUsing((device) => emergencyStopCovers(stop, device), emergencyStopText(stop));
    this.#keep({ type: 'halt', halt: stop });
  }

  /** Adds the leader's stops that are missing here, and releases exactly those that the leader names. */
  merge({ halts = [], released = [] }: KnownEmergencyStops): void {
    const over = this.devices.release(released);
    if (over.length > 0) {
      this.log.warn('emergency stops are released', { ids: over });
      this.#keep({ type: 'released', ids: over });
    }
    for (const stop of halts) this.engage(stop);
  }

  /** Records a stop or a release. If the ledger is not open yet or the disk refuses, the record is written later. */
  #keep(record: LedgerRecord & { type: 'halt' | 'released' }): void {
    if (!this.#recalled) {
      this.ledger.note(record);
      return;
    }
    this.ledger.append(record).catch((error: unknown) => {
      this.log.error('an emergency stop could not be recorded yet', {
        record: record.type,
        reason: String(error),
      });
      this.ledger.note(record);
    });
  }
}
