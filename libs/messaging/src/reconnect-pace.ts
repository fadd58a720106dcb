import type { BusLog } from './bus.js';

/** Longest pause of a client that the broker refuses, in milliseconds. */
const longestMs = 30_000;

/**
 * The pauses between attempts to connect again. A client that is refused, for example because it was revoked, waits longer each
 * time: what it asks costs the other side the verification of a signature.
 */
export class ReconnectPace {
  #refusals = 0;

  /** @param usualMs pause after a lost connection, and how much longer it may be by chance */
  constructor(
    private readonly usualMs: number,
    private readonly jitterMs: number,
    private readonly log: BusLog,
  ) {}

  /** Milliseconds until the next attempt. */
  next(): number {
    const growing = this.usualMs * 2 ** this.#refusals;
    return Math.min(growing, longestMs) + Math.random() * this.jitterMs;
  }

  refused(reason: string): void {
    if (this.#refusals === 0)
      this.log.error('this process may not connect to the broker any more', { reason });
    this.#refusals += 1;
  }

  connected(): void {
    this.#refusals = 0;
  }
}
