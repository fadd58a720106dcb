import { haltCovers, type Halt } from '@lab/contracts';
import type { Devices } from '../devices/devices.js';
import { haltText } from '../devices/stops-in-force.js';
import type { Ledger, LedgerRecord, Log } from '../ports.js';
import type { TaskAttempts } from '../attempts/task-attempts.js';

/** What a leader says of the stops that it knows. */
export interface KnownHalts {
  /** In force. */
  halts?: readonly Halt[] | undefined;
  /** Ids of the latest ones that were released. */
  released?: readonly string[] | undefined;
}

/**
 * The emergency stops of this computer: they take hold at once, and outlive the agent.
 *
 * Guarantees: whoever tells of a stop is believed; one is released only by its id, by the leader; the ledger is never
 * waited for before devices are stopped.
 */
export class EmergencyStops {
  readonly #devices: Devices;
  readonly #attempts: TaskAttempts;
  readonly #ledger: Ledger;
  readonly #log: Log;

  constructor(parts: { devices: Devices; attempts: TaskAttempts; ledger: Ledger; log: Log }) {
    this.#devices = parts.devices;
    this.#attempts = parts.attempts;
    this.#ledger = parts.ledger;
    this.#log = parts.log;
  }

  get inForce(): Halt[] {
    return this.#devices.halts;
  }

  /** Takes up the stops of which the open ledger tells, before any device starts. */
  recall(): void {
    const kept = this.#ledger.state.halts;
    for (const halt of kept) this.#devices.halt(halt);
    // A leader may have been heard before the ledger could be read.
    const inForce = new Set(this.inForce.map(({ id }) => id));
    const over = kept.filter(({ id }) => !inForce.has(id)).map(({ id }) => id);
    if (over.length > 0) this.#keep({ type: 'released', ids: over });
  }

  /** Stops every device of the scope, and the tasks that use one. One that is known already changes nothing. */
  stop(halt: Halt): void {
    if (!this.#devices.halt(halt)) return;
    this.#log.warn('emergency stop', { ...halt });
    this.#attempts.cancelUsing((device) => haltCovers(halt, device), haltText(halt));
    this.#keep({ type: 'halt', halt });
  }

  /** Takes over what the leader knows: adds the stops that are missing here, and releases exactly those that it names. */
  merge({ halts = [], released = [] }: KnownHalts): void {
    const over = this.#devices.release(released);
    if (over.length > 0) {
      this.#log.warn('emergency stops are released', { ids: over });
      this.#keep({ type: 'released', ids: over });
    }
    for (const halt of halts) this.stop(halt);
  }

  /** A stop that cannot be written now is written when the disk allows. */
  #keep(record: LedgerRecord & { type: 'halt' | 'released' }): void {
    this.#ledger.append(record).catch((error: unknown) => {
      this.#log.error('an emergency stop could not be recorded yet', {
        record: record.type,
        reason: String(error),
      });
      this.#ledger.note(record);
    });
  }
}
