interface Alarm {
  at: number;
  ring: (() => void) | undefined;
}

/**
 * The only clock of a simulation. Time jumps from alarm to alarm. Before the next alarm all pending promises settle, however
 * long their chain. Alarms of the same moment ring in the order in which they were set.
 */
export class SimulatedTime {
  #now: number;
  #set = 0;
  /** In the order in which they ring. */
  readonly #alarms: Alarm[] = [];

  /** @param now milliseconds since 1970 */
  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Rings once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, ring: () => void): () => void {
    this.#set += 1;
    const alarm: Alarm = { at: this.#now + Math.max(0, ms), ring };
    const later = this.#alarms.findIndex(({ at }) => at > alarm.at);
    this.#alarms.splice(later < 0 ? this.#alarms.length : later, 0, alarm);
    return () => {
      alarm.ring = undefined;
    };
  }

  /** Number of alarms that were ever set. */
  get steps(): number {
    return this.#set;
  }

  /** Lets time pass until the moment, in milliseconds since 1970. */
  async advanceTo(moment: number): Promise<void> {
    await rest();
    for (let [next] = this.#alarms; next !== undefined && next.at <= moment; [next] = this.#alarms) {
      this.#alarms.shift();
      if (next.ring === undefined) continue;
      this.#now = next.at;
      next.ring();
      await rest();
    }
    this.#now = Math.max(this.#now, moment);
  }

  /** Lets `ms` milliseconds pass. */
  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#now + ms);
  }
}

/** Resolves when no microtask is left: the next task of the event loop begins only then. */
function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
