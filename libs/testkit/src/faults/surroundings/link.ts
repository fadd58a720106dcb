import { connectionTimings, type BusStatus } from '@lab/messaging';
import type { MemoryWire } from '@lab/messaging/testing';
import type { Life } from './life.js';
import type { SimulatedTime } from './simulated-time.js';

const { pingMs, missedPings, reconnectMs } = connectionTimings;
/** How long a client takes to notice that nothing arrives any more, in milliseconds: it sent a ping half a period ago. */
const noticeMs = (missedPings + 0.5) * pingMs;

/**
 * The connection of one process to the broker, and how it fails.
 *
 * `closed`: both sides know at once. `silent`: nothing passes and nobody knows, until the client misses its pings; what
 * was on its way arrives late when the silence ends before that, and is lost otherwise.
 */
export class Link {
  #mode: 'open' | 'closed' | 'silent' = 'open';
  #generation = 0;
  #held: (() => void)[] = [];
  #listener: (status: BusStatus) => void = () => undefined;

  /** @param wire the process's end at the broker; it ends with the process */
  constructor(
    readonly life: Life,
    private readonly time: SimulatedTime,
    private readonly wire: MemoryWire,
  ) {
    life.onEnd(() => void wire.close());
  }

  /** The client believes that it may send, and the broker knows of its subscriptions. */
  get connected(): boolean {
    return this.wire.connected;
  }

  /** Lets something pass, in either direction: now, later, or never. */
  pass(step: () => void): void {
    if (this.#mode === 'open') step();
    else if (this.#mode === 'silent') this.#held.push(step);
  }

  /** The one listener to changes of the connection. A suspended process hears of them when it goes on. */
  listen(listener: (status: BusStatus) => void): void {
    this.#listener = listener;
  }

  /** Takes the link away for a time, in milliseconds. */
  cut(mode: 'closed' | 'silent', ms: number): void {
    if (this.#mode !== 'open') return;
    this.#mode = mode;
    const generation = (this.#generation += 1);
    if (mode === 'closed') this.#lose();
    else
      this.time.after(noticeMs, () => {
        if (this.#generation === generation && this.#mode === 'silent') this.#lose();
      });
    this.time.after(ms, () => this.#heal(generation));
  }

  #lose(): void {
    this.#held = [];
    if (this.connected) this.#set(false);
  }

  #heal(generation: number): void {
    if (this.#generation !== generation || this.#mode === 'open') return;
    this.#mode = 'open';
    const held = this.#held.splice(0);
    if (this.connected) {
      for (const step of held) step();
      return;
    }
    this.time.after(reconnectMs, () => {
      if (this.#mode === 'open' && !this.connected) this.#set(true);
    });
  }

  #set(connected: boolean): void {
    if (!this.life.alive) return;
    this.wire.set(connected);
    this.life.act(() => this.#listener(connected ? 'connected' : 'disconnected'));
  }
}
