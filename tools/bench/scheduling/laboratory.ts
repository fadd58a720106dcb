/** The tasks of an instance as the engine shows them to a policy, on a clock of its own, one tick a second. */
export class Laboratory {
  now = 0;
  #version = 0;
  #waiting;
  #running = new Map();
  #ended = new Set();
  /** Unit to the task that keeps it and those it is kept for. */
  #kept = new Map();

  constructor(problem) {
    this.problem = problem;
    this.#waiting = new Set(problem.activities.keys());
  }

  snapshot() {
    const { activities, units } = this.problem;
    return {
      version: ++this.#version,
      now: this.now,
      tasks: [...this.#waiting].map((index) => this.#task(index)),
      running: [...this.#running].map(([index, { startedAt, expectedEnd, unit }]) => ({
        id: `t${index}`,
        run: `r${activities[index].run}`,
        priority: this.#priority(index),
        startedAt,
        expectedEnd: Math.max(this.now, expectedEnd),
        units: { s: { unit: `u${unit}`, keptFor: this.#keepers(index) } },
      })),
      units: new Map(Array.from({ length: units }, (_, unit) => [`u${unit}`, this.#unit(unit)])),
    };
  }

  start(assignments) {
    for (const { task, units } of assignments) {
      const index = Number(task.slice(1));
      const { duration } = this.problem.activities[index];
      this.#waiting.delete(index);
      this.#running.set(index, {
        startedAt: this.now,
        expectedEnd: this.now + duration * 1000,
        // Each takes as expected or up to half as long again, the same in every run of this benchmark.
        end: this.now + Math.round(duration * 1000 * (1 + ((index * 7) % 6) / 10)),
        unit: Number(units.s.slice(1)),
      });
    }
  }

  /** To the next end, or the next release when nothing runs. */
  endNext() {
    const [next] = [...this.#running].sort(([, one], [, other]) => one.end - other.end);
    if (next === undefined) {
      const releases = [...this.#waiting].map((index) => this.problem.activities[index].release * 1000);
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

  #task(index) {
    const { duration, release, predecessors, follows, slots, run } = this.problem.activities[index];
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

  #unit(unit) {
    const keeper = this.#kept.get(unit);
    return {
      id: `u${unit}`,
      kind: 'device',
      busy: [...this.#running.values()].some((each) => each.unit === unit),
      heldBy: keeper === undefined ? null : `r${this.problem.activities[keeper].run}`,
      heldFor: keeper === undefined ? [] : this.#keepers(keeper),
      usable: true,
      busyMs: 0,
    };
  }

  /** What has to end before a task gives up its unit. */
  #keepers(index) {
    const keepers = this.problem.activities[index].slots[0].keptUntil;
    return keepers.filter((each) => !this.#ended.has(each)).map((each) => `t${each}`);
  }

  #priority(index) {
    return this.problem.runs[this.problem.activities[index].run].weight;
  }
}
