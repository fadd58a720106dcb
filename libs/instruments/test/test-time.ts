import type { Time } from '../src/kit.js';

interface Alarm {
  at: number;
  ring: () => void;
}

/** Time that passes only in `run`, from alarm to alarm. It is made for many short schedules. */
export class TestTime implements Time {
  #now = 0;
  /** The earliest last. */
  readonly #alarms: Alarm[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): () => void {
    const alarm = { at: this.#now + Math.max(0, ms), ring };
    let index = this.#alarms.length;
    // Alarms of the same time ring in the order in which they were set.
    while (index > 0 && (this.#alarms[index - 1] as Alarm).at <= alarm.at) index -= 1;
    this.#alarms.splice(index, 0, alarm);
    return () => {
      const at = this.#alarms.indexOf(alarm);
      if (at >= 0) this.#alarms.splice(at, 1);
    };
  }

  /** Lets time pass until the work has ended. @throws Error when nothing would ever end it */
  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    for (let rounds = 0; rounds < 100_000; rounds += 1) {
      // What needs no time happens first.
      for (let tick = 0; tick < 12; tick += 1) await undefined;
      if (isOver) return work;
      const alarm = this.#alarms.pop();
      if (alarm === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isOver) return work;
        if (this.#alarms.length > 0) continue;
        throw new Error('nothing is left that could end the work');
      }
      this.#now = Math.max(this.#now, alarm.at);
      alarm.ring();
    }
    throw new Error('the work does not end');
  }

  /** Lets so many milliseconds pass. */
  async pass(ms: number): Promise<void> {
    await this.until(new Promise<void>((resolve) => void this.after(ms, resolve)));
  }
}
