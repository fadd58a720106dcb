import type { LabSchedule, PlannedLabTask } from '@lab/contracts';
import type { TaskDurations } from './durations.js';
import { Timetable } from './timetable.js';

/**
 * How long a further run of a campaign takes in the laboratory as it is planned: its own tasks, and its waits for devices
 * that other runs have. Deterministic.
 */
export class RunTimes {
  readonly #next: readonly PlannedLabTask[];
  readonly #concurrent: number;
  readonly #timetable = new Timetable();
  /** Expected ends of the runs of the campaign, in seconds. */
  readonly #ends: number[] = [];

  /**
   * @param pointOf encoded point of a run of the campaign; undefined: its parameters are unknown
   */
  constructor(
    { work, coming, next, concurrent }: LabSchedule,
    private readonly durations: TaskDurations,
    pointOf: (run: string) => Float64Array | undefined,
  ) {
    this.#next = next;
    this.#concurrent = concurrent;
    for (const { run, tasks } of work) {
      const point = run === null ? undefined : pointOf(run);
      const seconds = this.#secondsOf(tasks, point === undefined ? [] : [point])?.[0];
      const end = this.#timetable.add(tasks, seconds ?? tasks.map((task) => task.seconds ?? 0), 0);
      if (run !== null) this.#ends.push(end);
    }
    for (const run of coming) {
      const point = pointOf(run);
      if (point !== undefined) this.choose(point);
    }
  }

  /**
   * Seconds from the moment at which the next run may begin to its end, for each point that it may have.
   *
   * @param rows encoded points
   * @returns null: the duration of a task is unknown, or the laboratory cannot end the run
   */
  of(rows: readonly Float64Array[]): Float64Array | null {
    const seconds = this.#secondsOf(this.#next, rows);
    const begin = this.#begin();
    if (seconds === null || begin === Infinity) return null;
    const times = Float64Array.from(
      seconds,
      (each) => this.#timetable.tryOut(this.#next, each, begin) - begin,
    );
    return times.every((time) => Number.isFinite(time) && time > 0) ? times : null;
  }

  /** The next run gets this point. Later answers of {@link of} are for the run after it. */
  choose(row: Float64Array): void {
    const seconds = this.#secondsOf(this.#next, [row])?.[0];
    if (seconds !== undefined) this.#ends.push(this.#timetable.add(this.#next, seconds, this.#begin()));
  }

  /** When fewer runs of the campaign than allowed are unfinished. */
  #begin(): number {
    const over = this.#ends.length - this.#concurrent;
    return over < 0 ? 0 : this.#ends.toSorted((a, b) => a - b)[over]!;
  }

  /** Durations of the tasks for each point; null: one is unknown. */
  #secondsOf(tasks: readonly PlannedLabTask[], rows: readonly Float64Array[]): Float64Array[] | null {
    const all = rows.map(() => new Float64Array(tasks.length));
    for (const [at, { task, seconds, started }] of tasks.entries()) {
      const learned = this.durations.of(task, rows);
      if (learned === null && seconds === null) return null;
      all.forEach((each, i) => {
        const expected = learned?.[i] ?? seconds!;
        // A task that runs longer than learned is expected to end when the service expects it.
        const isLate = started !== null && started + expected <= 0;
        each[at] = isLate ? Math.max(expected, seconds ?? 0) : expected;
      });
    }
    return all;
  }
}
