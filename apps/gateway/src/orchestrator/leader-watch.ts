/** Which orchestrator is heard to lead. */
export class LeaderWatch {
  #epoch = 0;
  readonly #listeners = new Set<() => void>();

  /** Epoch of the latest leader that was heard; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Somebody says that they lead. */
  hear(epoch: number): void {
    if (epoch <= this.#epoch) return;
    const succeeded = this.#epoch > 0;
    this.#epoch = epoch;
    if (succeeded) for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Calls back when a leader is heard that succeeds the present one: what that one has not committed by then it never
   * will. The first leader that is ever heard succeeds nobody. The returned function ends it.
   */
  onSuccession(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
