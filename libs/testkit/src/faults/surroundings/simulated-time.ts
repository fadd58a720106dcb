interface Alarm {
  at: number;
  order: number;
  ring: (() => void) | undefined;
}

/**
 * The only clock of a simulation. Time jumps from alarm to alarm. Before the next alarm all pending promises settle, however
 * long their chain. Alarms of the same moment ring in the order in which they were set.
 */
export class SimulatedTime {
  #now: number;
  #order = 0;
  /** A binary heap, first alarm at the root. */
  readonly #heap: Alarm[] = [];

  /** @param now milliseconds since 1970 */
  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Rings once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, ring: () => void): () => void {
    const alarm: Alarm = { at: this.#now + Math.max(0, ms), order: (this.#order += 1), ring };
    this.#push(alarm);
    return () => {
      alarm.ring = undefined;
    };
  }

  /** How many alarms have rung or been set. */
  get steps(): number {
    return this.#order;
  }

  /** Lets time pass until the moment, in milliseconds since 1970. */
  async advanceTo(moment: number): Promise<void> {
    await rest();
    for (let next = this.#heap[0]; next !== undefined && next.at <= moment; next = this.#heap[0]) {
      this.#pop();
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

  #push(alarm: Alarm): void {
    const heap = this.#heap;
    let index = heap.push(alarm) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !before(alarm, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = alarm;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      let lower = left;
      if (right !== undefined && before(right, left)) {
        lower = right;
        child += 1;
      }
      if (!before(lower, last)) break;
      heap[index] = lower;
      index = child;
    }
    heap[index] = last;
  }
}

function before(a: Alarm, b: Alarm): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Resolves when no microtask is left: the next task of the event loop begins only then. */
function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
