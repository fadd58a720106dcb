import type { Plan, PlanSlot, Policy, Snapshot } from '@lab/scheduling';

/** A policy whose plans are counted and timed; it decides as the one inside it does. */
export class WatchedPolicy implements Policy {
  readonly name;
  readonly scope;
  plans = 0;
  totalMs = 0;
  maxMs = 0;
  /** What each task could have been given when a plan was last made with it. */
  readonly slots = new Map<string, readonly PlanSlot[]>();
  readonly #inner: Policy;
  readonly #stopwatch: () => number;
  readonly #active: () => void;

  /** @param stopwatch real milliseconds @param active called whenever something happens */
  constructor(inner: Policy, stopwatch: () => number, active: () => void) {
    this.#inner = inner;
    this.name = inner.name;
    this.scope = inner.scope;
    this.#stopwatch = stopwatch;
    this.#active = active;
  }

  plan(snapshot: Snapshot): Plan {
    this.#active();
    for (const { id, slots } of snapshot.tasks) this.slots.set(id, slots);
    const before = this.#stopwatch();
    const plan = this.#inner.plan(snapshot);
    const ms = this.#stopwatch() - before;
    this.plans += 1;
    this.totalMs += ms;
    this.maxMs = Math.max(this.maxMs, ms);
    return plan;
  }

  begin(ask: () => void): void {
    this.#inner.begin?.(() => {
      this.#active();
      ask();
    });
  }

  async stop(): Promise<void> {
    await this.#inner.stop?.();
  }
}
