import { randomUUID } from 'node:crypto';
import { isServiceError, type RefusalKind, type RefusalRecord } from '@lab/contracts';
import type { Log } from '@lab/ports';
import type { RefusalStore } from '../ports/index.js';

/** A refused request. */
export interface Refusal {
  kind: RefusalKind;
  /** Name of the caller; empty: the request proved none. */
  principal: string;
  /** Network of the client. */
  address: string;
  /** Operation as it stands in the OpenAPI document. */
  action: string;
  requestId: string | null;
}

/** Time for which refusals of one kind, caller and address become one record, in milliseconds. */
const gatherMs = 60_000;
/** Most records of that time. Further callers and addresses become one record for each kind. */
const mostGathered = 200;
/** Most records that wait for the database. */
const mostWaiting = 2_000;
/** Days for which records are kept, and their largest number. */
const keptDays = 90;
const mostKept = 200_000;
/** Interval at which old records are removed, in milliseconds. */
const pruneMs = 3_600_000;

/**
 * The security log: counts refused requests, and stores one record for each kind, caller and address in a minute. So a flood
 * costs a look-up in memory for each request, and a bounded number of rows. It never rejects and never delays an answer.
 */
export class RefusalLog {
  #gathered = new Map<string, RefusalRecord>();
  #waiting: RefusalRecord[] = [];
  #storing: Promise<void> | undefined;
  readonly #timers: NodeJS.Timeout[];

  /**
   * @param count counts each refusal
   * @param now the time in milliseconds since 1970
   */
  constructor(
    private readonly store: RefusalStore,
    private readonly count: (labels: { kind: RefusalKind }) => void,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {
    this.#timers = [
      setInterval(() => void this.flush(), gatherMs),
      setInterval(() => void this.#prune(), pruneMs),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  note({ kind, principal, address, action, requestId }: Refusal): void {
    this.count({ kind });
    let key = JSON.stringify([kind, principal, address]);
    const isCrowd = !this.#gathered.has(key) && this.#gathered.size >= mostGathered;
    if (isCrowd) key = kind;
    const at = new Date(this.now()).toISOString();
    const known = this.#gathered.get(key);
    this.#gathered.set(key, {
      id: known?.id ?? randomUUID(),
      kind,
      principal: isCrowd ? '' : principal,
      address: isCrowd ? 'others' : address,
      count: (known?.count ?? 0) + 1,
      first_at: known?.first_at ?? at,
      last_at: at,
      action,
      request_id: requestId,
    });
  }

  /** Stores what was gathered. Without the database it waits for the next time. Never rejects. */
  async flush(): Promise<void> {
    await this.#storing;
    this.#waiting.push(...this.#gathered.values());
    this.#gathered = new Map();
    const excess = this.#waiting.length - mostWaiting;
    if (excess > 0) {
      this.#waiting.splice(0, excess);
      this.log.error('records of refused requests are lost, because the database does not answer', {
        excess,
      });
    }
    this.#storing = this.#write();
    await this.#storing;
  }

  /** Stores what was gathered and ends. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.flush();
    if (this.#waiting.length > 0)
      this.log.error('records of refused requests could not be stored', { refusals: this.#waiting });
  }

  async #write(): Promise<void> {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    try {
      await this.store.add(batch);
      this.#waiting = this.#waiting.slice(batch.length);
    } catch (error) {
      this.#tell(error);
    }
  }

  async #prune(): Promise<void> {
    try {
      await this.store.prune(keptDays, mostKept);
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    if (!isServiceError(error) || error.code !== 'store_unavailable')
      this.log.error('the log of refused requests could not be written', { error });
  }
}
