import type { LedgerMemory, LedgerState } from './ledger-state.js';
import type { LedgerRecord } from './records.js';

/** The memory of an agent that survives its process. */
export interface Ledger {
  /** The meaning of all records that are durable or noted. */
  readonly state: LedgerState;
  /** Why no task, no attempt and no call can begin at present, for people; undefined when they can. */
  readonly trouble: string | undefined;
  /**
   * Reads what an earlier agent process left. Call it once, before the first append. A record that a crash cut short is
   * lost.
   *
   * @throws Error when the ledger cannot be read or written
   */
  open(memory: LedgerMemory): Promise<void>;
  /**
   * Resolves when the record and every earlier one is durable and part of the state.
   *
   * @throws Error when the record could not be written; then it counts as never appended. ServiceError when the record
   *   begins something and the disk has no room for it
   */
  append(record: LedgerRecord): Promise<void>;
  /**
   * Takes a fact into the state at once, and writes it as soon as the disk allows and the ledger is open. Later records
   * become durable only together with it. A crash may lose it, unless it was noted before {@link open}, which makes it durable.
   */
  note(record: LedgerRecord): void;
  /** Waits for the write in progress. */
  close(): Promise<void>;
}
