import { isServiceError, type ServiceError, type ServiceHealth } from '@lab/contracts';
import type { Clock, Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

/** How long a proof that the database can be written counts, in milliseconds. */
const freshMs = 5_000;
/** Without any success for this time, commits count as failing, in milliseconds. */
const staleMs = 15_000;
const plan = { firstMs: 1_000, everyMs: 1_000, failed: 'the database could not be written' };

export interface CommitWatchPorts {
  /** Never steps. */
  clock: Clock;
  /** Milliseconds since 1970. */
  wall: Clock;
  timers: Timers;
  log: Log;
}

/**
 * Knows whether commits succeed at present. It hears of every commit of the engine. It also writes to the database itself,
 * so that a trouble is known before somebody submits work. Only such a proof ends a trouble: on a full disk, a commit still
 * succeeds as long as its record fits into the files that the database has.
 */
export class CommitWatch {
  #succeededAt: number;
  #provedAt: number;
  #failing: { detail: string; since: number } | undefined;

  constructor(private readonly ports: CommitWatchPorts) {
    this.#succeededAt = this.#provedAt = ports.clock.now();
  }

  /** A commit ended. @param error of the database; undefined: it succeeded */
  noted(error: ServiceError | undefined): void {
    const { clock, wall, log } = this.ports;
    if (error === undefined) {
      this.#succeededAt = clock.now();
      return;
    }
    if (this.#failing === undefined)
      log.error('commits fail; no work can be accepted, started or recorded', { reason: error.message });
    this.#failing = { detail: error.message, since: this.#failing?.since ?? wall.now() };
  }

  /**
   * Watches during one leadership.
   *
   * @param proveWritable writes to the database. It rejects with `store_unavailable` when the database cannot be written
   * @returns ends it
   */
  start(proveWritable: () => Promise<void>): () => void {
    const { timers, log } = this.ports;
    // The leadership was just confirmed by a write.
    this.#succeededAt = this.#provedAt = this.ports.clock.now();
    return inRounds({ timers, log }, plan, async () => {
      if (this.#failing === undefined && this.ports.clock.now() - this.#provedAt < freshMs) return;
      try {
        await proveWritable();
      } catch (error) {
        if (isServiceError(error) && error.code === 'store_unavailable') return this.noted(error);
        throw error;
      }
      this.#proved();
    });
  }

  #proved(): void {
    const { clock, log } = this.ports;
    this.#succeededAt = this.#provedAt = clock.now();
    if (this.#failing !== undefined) log.info('commits succeed again');
    this.#failing = undefined;
  }

  /** Whether commits succeed, for the health of the leader. */
  get health(): NonNullable<ServiceHealth['leads']>['commits'] {
    if (this.#failing !== undefined) {
      const { detail, since } = this.#failing;
      return { failing: { detail, since: new Date(since).toISOString() } };
    }
    if (this.#age < staleMs) return {};
    const since = this.ports.wall.now() - this.#age;
    return {
      failing: {
        detail: `no commit has succeeded for ${Math.floor(this.#age / 1_000)} s`,
        since: new Date(since).toISOString(),
      },
    };
  }

  get #age(): number {
    return this.ports.clock.now() - this.#succeededAt;
  }
}
