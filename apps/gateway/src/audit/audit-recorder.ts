import { isServiceError, type AuditVerification } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { AuditEntry, GatewayStore } from '@lab/persistence';

/** Maximum number of entries in one write. */
const batchSize = 500;
/** Maximum number of waiting entries. Any further entry goes to the log only. */
const capacity = 20_000;
/** How long an entry that nobody waits for gathers others, in milliseconds. */
const gatherMs = 50;
/** Pause between two attempts while the database is unavailable, in milliseconds. */
const pauseMs = 1_000;

/**
 * Writes actions into the audit. A failed write does not undo an action, so the entry waits until the database accepts it.
 * Entries that wait together are written together, in their order.
 */
export class AuditRecorder {
  /** An entry without `written` is one that nobody waits for. */
  readonly #waiting: { entry: AuditEntry; written?: () => void }[] = [];
  #writing = false;
  #retry: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(
    private readonly audit: Pick<GatewayStore['audit'], 'append' | 'check'>,
    private readonly log: Log,
  ) {}

  /** @returns resolves when the entry is written, which may take until the database is available again */
  record(entry: AuditEntry): Promise<void> {
    if (!this.#hasRoom(entry)) return Promise.resolve();
    return new Promise((written) => {
      this.#waiting.push({ entry, written });
      void this.#write();
    });
  }

  /** As {@link record}, but nobody waits for the entry, so that many share one write. */
  recordLater(entry: AuditEntry): void {
    if (!this.#hasRoom(entry)) return;
    this.#waiting.push({ entry });
    this.#gather();
  }

  /**
   * Writes an action before it happens.
   *
   * @throws ServiceError `store_unavailable`: the entry is not written, and the action must not happen
   */
  async announce(entry: AuditEntry): Promise<void> {
    await this.audit.append([entry]);
  }

  /** Checks the whole audit, up to the first broken entry. @throws ServiceError `store_unavailable` */
  check(): Promise<AuditVerification> {
    return this.audit.check();
  }

  /** Writes the waiting entries, to the log if the database does not answer. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    clearTimeout(this.#gathering);
    try {
      await this.audit.append(this.#waiting.map(({ entry }) => entry));
    } catch (error) {
      for (const { entry } of this.#waiting) this.#lost(entry, error);
    }
    for (const { written } of this.#waiting.splice(0)) written?.();
  }

  #hasRoom(entry: AuditEntry): boolean {
    if (this.#waiting.length < capacity) return true;
    this.#lost(entry, 'too many entries wait');
    return false;
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      void this.#write();
    }, gatherMs);
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    let size = batchSize;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, size);
      try {
        await this.audit.append(batch.map(({ entry }) => entry));
      } catch (error) {
        if (isServiceError(error) && error.code === 'store_unavailable') {
          this.#retry = setTimeout(() => void this.#write(), pauseMs);
          this.#retry.unref();
          break;
        }
        // An entry that can never be written must not block the others.
        if (size > 1) {
          size = 1;
          continue;
        }
        if (batch[0] !== undefined) this.#lost(batch[0].entry, error);
      }
      for (const { written } of this.#waiting.splice(0, batch.length)) written?.();
      const isUrgent = this.#waiting.some(({ written }) => written !== undefined);
      if (!isUrgent && this.#waiting.length > 0 && this.#waiting.length < batchSize) {
        this.#gather();
        break;
      }
    }
    this.#writing = false;
  }

  #lost(entry: AuditEntry, error: unknown): void {
    this.log.error('an entry of the audit could not be written', { entry, error });
  }
}
