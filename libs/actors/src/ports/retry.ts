import { ServiceError } from '@lab/contracts';
import { backoffMs, type Random, type Timers } from '@lab/ports';

interface RetryOptions {
  /** Called after each failure with the length of the pause in milliseconds. @returns true to give up with that error */
  failed(error: unknown, pauseMs: number): boolean;
  /** Longest pause after this error, in milliseconds. Default: as after the same number of other failures. */
  longest?(error: unknown): number | undefined;
  /** When it fires, the run gives up with `aborted`. */
  signal?: AbortSignal | undefined;
}

/**
 * Repeats an operation until it succeeds. Pauses double from `first` to `longest` milliseconds, each shortened at random
 * by up to half.
 */
export class Retry {
  readonly #sleepers = new Set<() => void>();

  constructor(
    private readonly ports: { timers: Timers; random: Random },
    private readonly pauses: { first: number; longest: number },
  ) {}

  /** Ends all present pauses, because the cause of the failures may be over. */
  hurry(): void {
    for (const wake of [...this.#sleepers]) wake();
  }

  /** Runs an operation. @throws the error on which `failed` gave up, or ServiceError `aborted` */
  async run<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      if (options.signal?.aborted === true) throw new ServiceError('aborted', 'given up');
      try {
        return await attempt();
      } catch (error) {
        const longest = options.longest?.(error) ?? backoffMs(failures + 1, this.pauses);
        const pause = longest * (0.5 + this.ports.random.next() / 2);
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
      const cancel = this.ports.timers.after(ms, wake);
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }
}
