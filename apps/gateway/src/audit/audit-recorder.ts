import { isServiceError, type AuditVerification } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { AuditEntry, AuditLog } from './audit-log.js';

/** Entries of one write. */
const batchSize = 500;
/** Entries that wait at most; one more goes to the log alone. */
const capacity = 20_000;
/** Between two tries while the database is away, in milliseconds. */
const pauseMs = 1_000;

/**
 * Writes down what was done: nothing that was done is undone when that fails, so what cannot be written waits until it
 * can. Entries that come together are written together, in their order.
 */
export class AuditRecorder {
  readonly #waiting: { entry: AuditEntry; written: () => void }[] = [];
  #writing = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly audit: AuditLog,
    private readonly log: Log,
  ) {}

  /** @returns resolves when it is written, which may be long after the database is back */
  record(entry: AuditEntry): Promise<void> {
    if (this.#waiting.length >= capacity) {
      this.#lost(entry, 'too many entries wait');
      return Promise.resolve();
    }
    return new Promise((written) => {
      this.#waiting.push({ entry, written });
      void this.#write();
    });
  }

  /**
   * Writes down what is about to be done.
   *
   * @throws ServiceError `store_unavailable`: it is not written, and must not be done
   */
  async announce(entry: AuditEntry): Promise<void> {
    await this.audit.append([entry]);
  }

  /** Goes through the whole audit, up to the first entry that is broken. @throws ServiceError `store_unavailable` */
  check(): Promise<AuditVerification> {
    return this.audit.check();
  }

  /** Writes what waits, if the database answers; otherwise it goes to the log. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      await this.audit.append(this.#waiting.map(({ entry }) => entry));
    } catch (error) {
      for (const { entry } of this.#waiting) this.#lost(entry, error);
    }
    for (const { written } of this.#waiting.splice(0)) written();
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
        // One that can never be written must not keep the others from it.
        if (size > 1) {
          size = 1;
          continue;
        }
        if (batch[0] !== undefined) this.#lost(batch[0].entry, error);
      }
      for (const { written } of this.#waiting.splice(0, batch.length)) written();
    }
    this.#writing = false;
  }

  #lost(entry: AuditEntry, error: unknown): void {
    this.log.error('an entry of the audit could not be written', { entry, error });
  }
}
