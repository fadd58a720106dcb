/** Counts running handlers, admits at most so many at once, and tells when none is left. */
export class InFlight {
  #running = 0;
  readonly #queued: (() => void)[] = [];
  #idle: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /** Runs `begin` now, or when its turn comes; every `begin` must lead to one call of {@link left}. */
  enter(begin: () => void): void {
    if (this.#running >= this.max) {
      this.#queued.push(begin);
      return;
    }
    this.#running += 1;
    begin();
  }

  left(): void {
    const next = this.#queued.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#running -= 1;
    if (this.#running > 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when nothing runs and nothing is queued. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
