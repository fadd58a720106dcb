/** Keeps the epoch of the leading orchestrator. */
export class LeaderWatch {
  #epoch = 0;
  readonly #listeners = new Set<() => void>();

  /** Epoch of the latest known leader; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Takes note that an orchestrator leads in this epoch. */
  hear(epoch: number): void {
    if (epoch <= this.#epoch) return;
    const succeeded = this.#epoch > 0;
    this.#epoch = epoch;
    if (succeeded) for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Calls back when a new leader succeeds the present one, which can commit nothing from then on. The first known leader
   * succeeds nobody. The returned function unsubscribes.
   */
  onSuccession(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
