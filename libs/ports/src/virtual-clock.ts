import type { Clock, Timers } from './ports.js';

interface Alarm {
  at: number;
  order: number;
  ring: () => void;
}

/** Rounds of microtasks after which everything that needs no time is taken to have happened. */
const settleRounds = 100;

/** Time that passes only when told to: alarms ring in the order of their times, at exactly their times. */
export class VirtualClock implements Clock, Timers {
  #now: number;
  #order = 0;
  readonly #alarms = new Set<Alarm>();

  /** @param start milliseconds since 1970 */
  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const alarm = { at: this.#now + Math.max(0, ms), order: (this.#order += 1), ring: callback };
    this.#alarms.add(alarm);
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  /** Alarms that have not rung. */
  get pending(): number {
    return this.#alarms.size;
  }

  /** When the next alarm rings, in milliseconds since 1970. */
  get next(): number | undefined {
    return this.#first()?.at;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let round = 0; round < settleRounds; round += 1) await Promise.resolve();
  }

  /** Lets time pass, ringing every alarm on the way and letting everything happen that follows from it. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.#now + ms);
  }

  /** @param at milliseconds since 1970; nothing happens when it has passed */
  async advanceTo(at: number): Promise<void> {
    await this.settle();
    for (;;) {
      const alarm = this.#first();
      if (alarm === undefined || alarm.at > at) break;
      this.#alarms.delete(alarm);
      this.#now = Math.max(this.#now, alarm.at);
      alarm.ring();
      await this.settle();
    }
    this.#now = Math.max(this.#now, at);
    await this.settle();
  }

  #first(): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms)
      if (first === undefined || alarm.at < first.at || (alarm.at === first.at && alarm.order < first.order))
        first = alarm;
    return first;
  }
}
