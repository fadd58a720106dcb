import type { Clock, Timers } from '@lab/ports';

interface Alarm {
  at: number;
  order: number;
  callback: () => void;
}

/** Time that passes only when told to. Between two alarms everything that promises have set in motion comes to rest. */
export class VirtualTime implements Clock, Timers {
  #now: number;
  #order = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const alarm = { at: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#alarms.add(alarm);
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  /** How many alarms are set. */
  get pending(): number {
    return this.#alarms.size;
  }

  /** Lets `ms` milliseconds pass, with every alarm in order of its time. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#alarms.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settle();
    }
    this.#now = end;
  }

  #next(end: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.at > end) continue;
      if (
        first === undefined ||
        alarm.at < first.at ||
        (alarm.at === first.at && alarm.order < first.order)
      ) {
        first = alarm;
      }
    }
    return first;
  }
}

/** Longest chain of promises that is followed to its end without an alarm in between. */
const settleTurns = 200;

/** Lets everything that waits for promises alone run on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < settleTurns; turn += 1) await Promise.resolve();
}
