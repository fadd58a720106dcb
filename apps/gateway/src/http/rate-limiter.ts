interface Bucket {
  /** Number of requests that the client may make at once. */
  left: number;
  /** Time of that number, in milliseconds. */
  at: number;
}

/**
 * Limits the rate of requests with a token bucket per client. Memory is bounded: when there are too many clients, the one
 * that was quiet for longest is dropped, and would start again with a full bucket.
 */
export class RateLimiter {
  /** Ordered by the latest request: the client that was quiet for longest comes first. */
  readonly #buckets = new Map<string, Bucket>();

  /**
   * @param perSecond average number of requests per second of a client; Infinity: no limit
   * @param burst requests that a client may make at once after a pause
   * @param now milliseconds that never go back
   * @param maxClients maximum number of clients in memory
   */
  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number,
    private readonly maxClients = 10_000,
  ) {}

  /** Number of clients in memory. */
  get clients(): number {
    return this.#buckets.size;
  }

  /** Counts one request of the client. @returns 0, or the seconds to wait; then the request is not counted */
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

  /** Seconds until the client may make a request; 0: now. Counts nothing. */
  wait(client: string): number {
    const bucket = this.#buckets.get(client);
    if (bucket === undefined || this.perSecond === Infinity) return 0;
    const filled = bucket.left + ((this.now() - bucket.at) / 1_000) * this.perSecond;
    return filled >= 1 ? 0 : (1 - filled) / this.perSecond;
  }

  #forgetQuietest(): void {
    for (const quietest of this.#buckets.keys()) {
      this.#buckets.delete(quietest);
      return;
    }
  }
}
