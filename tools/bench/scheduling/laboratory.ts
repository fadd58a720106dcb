import type { Activity, Assignment, PlanTask, PlanUnit, Problem, Snapshot } from '@lab/scheduling';

interface RunningTask {
  startedAt: number;
  expectedEnd: number;
  end: number;
  unit: number;
}

/** The tasks of an instance as the engine shows them to a policy. The clock belongs to the laboratory; a tick is 1 s. */
export class Laboratory {
  now = 0;
  #version = 0;
  readonly #waiting: Set<number>;
  readonly #running = new Map<number, RunningTask>();
  readonly #ended = new Set<number>();
  /** By unit: the task that keeps it. */
  readonly #kept = new Map<number, number>();

  constructor(private readonly problem: Problem) {
    this.#waiting = new Set(problem.activities.keys());
  }

  snapshot(): Snapshot {
    const { units } = this.problem;
    return {
      version: ++this.#version,
      now: this.now,
      tasks: [...this.#waiting].map((index) => this.#task(index)),
      running: [...this.#running].map(([index, { startedAt, expectedEnd, unit }]) => ({
        id: `t${index}`,
        run: `r${this.#activity(index).run}`,
        priority: this.#priority(index),
        startedAt,
        expectedEnd: Math.max(this.now, expectedEnd),
        units: { s: { unit: `u${unit}`, keptFor: this.#keepers(index) } },
      })),
      units: new Map(Array.from({ length: units }, (_, unit) => [`u${unit}`, this.#unit(unit)])),
    };
  }

  start(assignments: readonly Assignment[]): void {
    for (const { task, units } of assignments) {
      const index = Number(task.slice(1));
      const { duration } = this.#activity(index);
      this.#waiting.delete(index);
      this.#running.set(index, {
        startedAt: this.now,
        expectedEnd: this.now + duration * 1000,
        // Each task takes its expected duration or up to half of it longer, the same in every run of this benchmark.
        end: this.now + Math.round(duration * 1000 * (1 + ((index * 7) % 6) / 10)),
        unit: Number(units['s']?.slice(1)),
      });
    }
  }

  /** Advances the clock to the next end of a task, or to the next release when no task runs. */
  endNext(): void {
    const [next] = [...this.#running].sort(([, one], [, other]) => one.end - other.end);
    if (next === undefined) {
      const releases = [...this.#waiting].map((index) => this.#activity(index).release * 1000);
      this.now = Math.min(...releases.filter((release) => release > this.now));
      return;
    }
    const [index, { end, unit }] = next;
    this.now = end;
    this.#running.delete(index);
    this.#ended.add(index);
    if (this.#keepers(index).length > 0) this.#kept.set(unit, index);
    for (const [kept, keeper] of this.#kept) if (this.#keepers(keeper).length === 0) this.#kept.delete(kept);
  }

  #activity(index: number): Activity {
    const activity = this.problem.activities[index];
    if (activity === undefined) throw new Error(`there is no activity ${index}`);
    return activity;
  }

  #task(index: number): PlanTask {
    const { duration, release, predecessors, follows, slots, run } = this.#activity(index);
    const dependencies = predecessors
      .filter(({ activity }) => !this.#ended.has(activity))
      .map(({ activity }) => ({ task: `t${activity}`, minLagMs: 0, maxLagMs: null }));
    return {
      id: `t${index}`,
      run: `r${run}`,
      priority: this.#priority(index),
      queuedAt: 0,
      duration,
      slots: slots.map(({ units }) => ({
        name: 's',
        candidates: units.map((unit) => `u${unit}`),
        keptFor: this.#keepers(index),
      })),
      ready: dependencies.length === 0 && release * 1000 <= this.now,
      notBefore: release * 1000,
      dependencies,
      ...(follows === null || this.#ended.has(follows) ? {} : { follows: `t${follows}` }),
    };
  }

  #unit(unit: number): PlanUnit {
    const keeper = this.#kept.get(unit);
    return {
      id: `u${unit}`,
      kind: 'device',
      busy: [...this.#running.values()].some((each) => each.unit === unit),
      heldBy: keeper === undefined ? null : `r${this.#activity(keeper).run}`,
      heldFor: keeper === undefined ? [] : this.#keepers(keeper),
      usable: true,
      since: 0,
    };
  }

  /** The tasks that must end before a task gives up its unit. */
  #keepers(index: number): string[] {
    const keepers = this.#activity(index).slots[0]?.keptUntil ?? [];
    return keepers.filter((each) => !this.#ended.has(each)).map((each) => `t${each}`);
  }

  #priority(index: number): number {
    return this.problem.runs[this.#activity(index).run]?.weight ?? 0;
  }
}
