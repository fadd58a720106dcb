/** Length of the observed period, in seconds. */
const windowS = 60;

/** Measures how fast queued tasks start, over the last minute. */
export class Drain {
  /** Second since 1970 to the number of tasks that started in it. */
  readonly #starts = new Map<number, number>();

  /** A task has started. @param now milliseconds since 1970 */
  started(now: number): void {
    const second = Math.floor(now / 1000);
    this.#starts.set(second, (this.#starts.get(second) ?? 0) + 1);
    for (const old of this.#starts.keys()) if (old <= second - windowS) this.#starts.delete(old);
  }

  /** Seconds until a place in the queue is likely to be free: 1 to 60; 60 if nothing started within a minute. */
  secondsPerStart(now: number): number {
    const from = Math.floor(now / 1000) - windowS;
    let count = 0;
    for (const [second, starts] of this.#starts) if (second > from) count += starts;
    return count === 0 ? windowS : Math.max(1, windowS / count);
  }
}
