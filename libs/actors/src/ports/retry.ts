import { ServiceError } from '@lab/contracts';
import type { Random, Timers } from '@lab/ports';

export interface RetryOptions {
  /** Hears of each failure and how long the pause will be; returns true to give up with that error. */
  failed(error: unknown, pauseMs: number): boolean;
  /** Fired: gives up with `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Tries again until it succeeds, with pauses that double from `firstMs` to `maxMs`, each shortened by up to half. */
export class Retry {
  readonly #timers: Timers;
  readonly #random: Random;
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #sleepers = new Set<() => void>();

  constructor(ports: { timers: Timers; random: Random }, pauses: { firstMs: number; maxMs: number }) {
    this.#timers = ports.timers;
    this.#random = ports.random;
    this.#firstMs = pauses.firstMs;
    this.#maxMs = pauses.maxMs;
  }

  /** Ends all present pauses: what made the tries fail may be over. */
  hurry(): void {
    for (const wake of [...this.#sleepers]) wake();
  }

  /** @throws the error that `failed` gave up on, or ServiceError `aborted` */
  async run<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      if (options.signal?.aborted === true) throw new ServiceError('aborted', 'given up');
      try {
        return await attempt();
      } catch (error) {
        const longest = Math.min(this.#firstMs * 2 ** failures, this.#maxMs);
        const pause = longest * (0.5 + this.#random.next() / 2);
        if (options.failed(error, pause)) throw error;
        await this.#sleep(pause, options.signal);
      }
    }
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#sleepers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.#timers.after(ms, wake);
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }
}
