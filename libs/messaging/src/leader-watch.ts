/** Knows which orchestrator leads, and gives up requests to a leader that has a successor. */
export class LeaderWatch {
  #epoch = 0;
  /** One controller for each pending request. */
  readonly #pending = new Set<AbortController>();

  /** Epoch of the latest known leader; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * An orchestrator announced that it leads in this epoch. The earlier leader can commit nothing any more, and a
   * suspended one would hold its requests until their timeout. The first known leader succeeds nobody.
   */
  hear(epoch: number): void {
    if (epoch <= this.#epoch) return;
    const isFirst = this.#epoch === 0;
    this.#epoch = epoch;
    if (isFirst) return;
    for (const request of [...this.#pending]) request.abort();
  }

  /**
   * Sends a request to the present leader. As soon as another orchestrator leads, the request fails with `aborted`.
   *
   * @throws ServiceError as the request does
   */
  async whileItLeads<Reply>(send: (options: { signal: AbortSignal }) => Promise<Reply>): Promise<Reply> {
    const request = new AbortController();
    this.#pending.add(request);
    try {
      return await send({ signal: request.signal });
    } finally {
      this.#pending.delete(request);
    }
  }
}
