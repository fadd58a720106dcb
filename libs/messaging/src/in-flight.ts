/** Limits the number of handlers that run at once, and reports when none runs. */
export class InFlight {
  #running = 0;
  readonly #queued: (() => void)[] = [];
  #idle: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /** Runs `begin` now or when its turn comes. Every `begin` must lead to one call of {@link left}. */
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

  /** Resolves when no handler runs or waits. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
