interface Bucket {
  /** Requests that may be made at once. */
  left: number;
  /** When that was so, in milliseconds. */
  at: number;
}

/**
 * How often each client may ask: a token bucket per client. Memory is bounded: of too many clients the one that has
 * been quiet for longest is forgotten, and begins anew with a full bucket.
 */
export class RateLimiter {
  /** The client that was quiet for longest first. */
  readonly #buckets = new Map<string, Bucket>();

  /**
   * @param perSecond requests that a client may make on the average; Infinity: as many as it likes
   * @param burst requests that it may make at once after a rest
   * @param now milliseconds that never go back
   * @param maxClients clients that are remembered at once
   */
  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number,
    private readonly maxClients = 10_000,
  ) {}

  /** How many clients are remembered. */
  get clients(): number {
    return this.#buckets.size;
  }

  /** Counts one request of the client. @returns 0, or in how many seconds it may be made, and then it is not counted */
  take(client: string): number {
    if (this.perSecond === Infinity) return 0;
    const now = this.now();
    const { left, at } = this.#buckets.get(client) ?? { left: this.burst, at: now };
    const filled = Math.min(this.burst, left + ((now - at) / 1_000) * this.perSecond);
    const isFree = filled >= 1;
    this.#buckets.delete(client);
    this.#buckets.set(client, { left: isFree ? filled - 1 : filled, at: now });
    if (this.#buckets.size > this.maxClients) this.#forgetQuietest();
    return isFree ? 0 : (1 - filled) / this.perSecond;
  }

  #forgetQuietest(): void {
    for (const quietest of this.#buckets.keys()) {
      this.#buckets.delete(quietest);
      return;
    }
  }
}
