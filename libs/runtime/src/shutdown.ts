import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log/index.js';

interface Step {
  name: string;
  stop: () => Promise<void> | void;
  deadlineMs: number;
}

/** Default time limit of one step, in milliseconds. */
const defaultStepMs = 5_000;

/**
 * Stops resources in the reverse order of their start, each with a deadline. A step that fails or takes too long is
 * logged, and the next one goes on.
 */
export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #abort = new AbortController();
  #running: Promise<boolean> | undefined;

  constructor(private readonly log: Pick<Log, 'info' | 'warn' | 'error'>) {}

  /** Aborted when the shutdown begins. Its reason is the text given to {@link run}. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Adds a resource to stop. A resource that is added after the shutdown began is stopped at once.
   *
   * @param options.deadlineMs time limit of the step, default 5000
   */
  add(name: string, stop: () => Promise<void> | void, options: { deadlineMs?: number } = {}): void {
    const step = { name, stop, deadlineMs: options.deadlineMs ?? defaultStepMs };
    if (this.#running === undefined) {
      this.#steps.push(step);
      return;
    }
    const before = this.#running;
    this.#running = this.#stopOne(step).then(async (clean) => (await before) && clean);
  }

  /** Stops everything. Further calls wait for the same run. Resolves with whether every step ended cleanly. */
  run(reason: string): Promise<boolean> {
    this.#running ??= this.#stopAll(reason);
    return this.#settled();
  }

  /** Late additions replace the promise, so wait until it no longer changes. */
  async #settled(): Promise<boolean> {
    for (;;) {
      const awaited = this.#running;
      const clean = (await awaited) ?? true;
      if (awaited === this.#running) return clean;
    }
  }

  async #stopAll(reason: string): Promise<boolean> {
    this.log.info('stopping', { reason });
    this.#abort.abort(new Error(reason));
    let clean = true;
    for (;;) {
      const step = this.#steps.pop();
      if (step === undefined) return clean;
      clean = (await this.#stopOne(step)) && clean;
    }
  }

  async #stopOne({ name, stop, deadlineMs }: Step): Promise<boolean> {
    const giveUp = new AbortController();
    const late = delay(deadlineMs, 'late' as const, { signal: giveUp.signal });
    const work = (async (): Promise<'done'> => {
      await stop();
      return 'done';
    })();
    try {
      const end = await Promise.race([work, late]);
      if (end === 'done') return true;
      this.log.warn('gave up waiting for a part to stop', { part: name, deadline_ms: deadlineMs });
      work.catch((error: unknown) =>
        this.log.warn('a part stopped late, with an error', { part: name, error }),
      );
      return false;
    } catch (error) {
      this.log.error('a part failed to stop', { part: name, error });
      return false;
    } finally {
      late.catch((error: unknown) => {
        if (!giveUp.signal.aborted) this.log.error('the deadline timer failed', { part: name, error });
      });
      giveUp.abort();
    }
  }
}
