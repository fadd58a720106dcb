import type { Plan, PlanSlot, Policy, Snapshot } from '@lab/scheduling';

/** Counts and times the plans of another policy, and decides as that policy does. */
export class WatchedPolicy implements Policy {
  readonly name;
  readonly scope;
  plans = 0;
  totalMs = 0;
  maxMs = 0;
  /** The candidates of each task in the latest plan that contained it. */
  readonly slots = new Map<string, readonly PlanSlot[]>();

  /**
   * @param inner policy that decides
   * @param stopwatch reads real milliseconds
   * @param active called at every activity of the policy
   */
  constructor(
    private readonly inner: Policy,
    private readonly stopwatch: () => number,
    private readonly active: () => void,
  ) {
    this.name = inner.name;
    this.scope = inner.scope;
  }

  plan(snapshot: Snapshot): Plan {
    this.active();
    for (const { id, slots } of snapshot.tasks) this.slots.set(id, slots);
    const before = this.stopwatch();
    const plan = this.inner.plan(snapshot);
    const ms = this.stopwatch() - before;
    this.plans += 1;
    this.totalMs += ms;
    this.maxMs = Math.max(this.maxMs, ms);
    return plan;
  }

  begin(ask: () => void): void {
    this.inner.begin?.(() => {
      this.active();
      ask();
    });
  }

  async stop(): Promise<void> {
    await this.inner.stop?.();
  }
}
