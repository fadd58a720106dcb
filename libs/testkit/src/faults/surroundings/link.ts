import type { Life } from './life.js';
import type { SimulatedTime } from './simulated-time.js';

/** How long a client takes to notice that nothing comes any more, in milliseconds: two missed pings of 2 s. */
const noticeMs = 5_000;
/** Until a client that lost its connection has a new one, in milliseconds. */
const reconnectMs = 250;

export type LinkStatus = 'connected' | 'disconnected';

/**
 * The connection of one process to the broker.
 *
 * `closed`: both sides know at once. `silent`: nothing passes and nobody knows, until the client misses its pings; what
 * was on its way arrives late when the silence ends before that, and is lost otherwise.
 */
export class Link {
  #mode: 'open' | 'closed' | 'silent' = 'open';
  /** What the client believes. */
  #connected = true;
  #generation = 0;
  #held: (() => void)[] = [];
  readonly #listeners: ((status: LinkStatus) => void)[] = [];

  constructor(
    readonly life: Life,
    readonly time: SimulatedTime,
  ) {}

  /** The client may send. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The broker knows of its subscriptions. */
  get reachable(): boolean {
    return this.life.alive && this.#connected;
  }

  /** Lets something pass, in either direction: now, later, or never. */
  pass(step: () => void): void {
    if (this.#mode === 'open') step();
    else if (this.#mode === 'silent') this.#held.push(step);
  }

  onStatus(listener: (status: LinkStatus) => void): void {
    this.#listeners.push(listener);
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
    if (!this.#connected) return;
    this.#connected = false;
    this.life.act(() => this.#tell('disconnected'));
  }

  #heal(generation: number): void {
    if (this.#generation !== generation || this.#mode === 'open') return;
    this.#mode = 'open';
    if (this.#connected) {
      for (const step of this.#held.splice(0)) step();
      return;
    }
    this.time.after(reconnectMs, () => {
      if (this.#mode !== 'open' || this.#connected) return;
      this.#connected = true;
      this.life.act(() => this.#tell('connected'));
    });
  }

  #tell(status: LinkStatus): void {
    for (const listener of [...this.#listeners]) listener(status);
  }
}
