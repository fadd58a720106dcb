import type { ServiceError, ServiceHealth } from '@lab/contracts';
import type { Clock, Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

/** Without a commit for this time, the watch proves that the database can be written, in milliseconds. */
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
 * Knows whether commits succeed at present. It hears of every commit of the engine. While there is none, or after one
 * that failed, it writes to the database itself, so that a trouble is known before somebody submits work, and so is its
 * end.
 */
export class CommitWatch {
  #succeededAt: number;
  #failing: { detail: string; since: number } | undefined;

  constructor(private readonly ports: CommitWatchPorts) {
    this.#succeededAt = ports.clock.now();
  }

  /** A commit ended. @param error of the database; undefined: it succeeded */
  noted(error: ServiceError | undefined): void {
    const { clock, wall, log } = this.ports;
    if (error === undefined) {
      this.#succeededAt = clock.now();
      if (this.#failing !== undefined) log.info('commits succeed again');
      this.#failing = undefined;
      return;
    }
    if (this.#failing === undefined)
      log.error('commits fail; no work can be accepted, started or recorded', { reason: error.message });
    this.#failing = { detail: error.message, since: this.#failing?.since ?? wall.now() };
  }

  /**
   * Watches during one leadership.
   *
   * @param proveWritable writes to the database and tells {@link noted} the outcome
   * @returns ends it
   */
  start(proveWritable: () => Promise<void>): () => void {
    // The leadership was just confirmed by a write.
    this.#succeededAt = this.ports.clock.now();
    const { timers } = this.ports;
    // The outcome is noted and logged once, so the rounds log nothing.
    return inRounds({ timers, log: { warn: () => undefined } }, plan, async () => {
      if (this.#failing !== undefined || this.#age >= freshMs) await proveWritable();
    });
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
