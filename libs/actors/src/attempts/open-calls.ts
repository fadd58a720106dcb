/** Counts the calls in progress. */
export class OpenCalls {
  #open = 0;
  #waiters: (() => void)[] = [];

  begin(): void {
    this.#open += 1;
  }

  end(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    for (const waiter of this.#waiters.splice(0)) waiter();
  }

  /** Resolves when no call is in progress. */
  none(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}
