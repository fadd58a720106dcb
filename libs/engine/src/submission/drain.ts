/** Seconds that are looked back on. */
const windowS = 60;

/** How fast waiting tasks start, as seen over the last minute. */
export class Drain {
  /** Second since 1970 to the tasks that started in it. */
  readonly #starts = new Map<number, number>();

  /** A task has started. @param now milliseconds since 1970 */
  started(now: number): void {
    const second = Math.floor(now / 1000);
    this.#starts.set(second, (this.#starts.get(second) ?? 0) + 1);
    for (const old of this.#starts.keys()) if (old <= second - windowS) this.#starts.delete(old);
  }

  /**
   * In how many seconds one more place is likely to be free: from 1 to 60, and 60 when nothing has started for a minute.
   *
   * @param now milliseconds since 1970
   */
  secondsPerStart(now: number): number {
    const from = Math.floor(now / 1000) - windowS;
    let count = 0;
    for (const [second, starts] of this.#starts) if (second > from) count += starts;
    return count === 0 ? windowS : Math.max(1, windowS / count);
  }
}
