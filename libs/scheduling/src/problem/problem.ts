/** A scheduling problem in numbers. Times are whole ticks, and 0 is the time of planning. Nobody changes problems. */
export interface Problem {
  activities: readonly Activity[];
  /** Number of units, with indexes from 0. A unit serves one activity at a time. */
  units: number;
  runs: readonly ProblemRun[];
  /** Weight of the end of the whole schedule in the objective. */
  makespanWeight: number;
}

/** Activities whose common end counts: a protocol run, a job of a shop, or an on-demand task. */
export interface ProblemRun {
  /** Weight of the end of its last activity in the objective, 0 or more. */
  weight: number;
}

export interface Activity {
  /** Index into {@link Problem.runs}. */
  run: number;
  /** Ticks, 0 or more; durations of a slot override it. */
  duration: number;
  /** Earliest start. */
  release: number;
  predecessors: readonly Precedence[];
  /** It starts in the tick in which that activity ends; null: at any time. */
  follows: number | null;
  slots: readonly Slot[];
  /**
   * The activity is running, or has ended and only keeps units (its duration is then 0). It starts at `start`, which
   * may be before 0, on these units, one for each slot.
   */
  fixed: { start: number; units: readonly number[] } | null;
}

/**
 * A start `minLag` to `maxLag` ticks after the end of another activity (null: no limit).
 *
 * `maxLag` and {@link Activity.follows} bind activities that are still to be placed. After a fixed activity, whose end
 * cannot change, they are a wish: the activity is placed before others, as early as possible.
 */
export interface Precedence {
  activity: number;
  minLag: number;
  maxLag: number | null;
}

/** A requirement that exactly one unit fills during the activity. No unit fills two slots of an activity. */
export interface Slot {
  /** Indexes of its candidate units. A slot with {@link sameAs} has the candidates of the other slot. */
  units: readonly number[];
  /** Ticks of the activity on each of {@link units}. At most one slot of an activity has them. */
  durations?: readonly number[];
  /** It gets the unit of this slot of another activity. */
  sameAs: { activity: number; slot: number } | null;
  /**
   * Activities that must end before another slot gets the unit. From the start of this activity until then, only slots
   * that are `sameAs` this one, directly or through others, may use it, one at a time.
   */
  keptUntil: readonly number[];
}

/** Start, end and units of each activity; the arrays are as long as {@link Problem.activities}. */
export interface Schedule {
  starts: readonly number[];
  ends: readonly number[];
  /** A unit for each slot of each activity. */
  units: readonly (readonly number[])[];
  /** As {@link objectiveOf} gives it. */
  objective: number;
}

export interface Objective {
  /** Sum over the runs of weight x end of the last activity, in ticks. */
  weightedCompletion: number;
  makespan: number;
  /** `weightedCompletion + makespanWeight x makespan`: the minimised value. */
  total: number;
}

export function objectiveOf(problem: Problem, ends: ArrayLike<number>): Objective {
  const completions = new Float64Array(problem.runs.length);
  let makespan = 0;
  problem.activities.forEach((activity, index) => {
    const end = ends[index] ?? 0;
    if (end > (completions[activity.run] ?? 0)) completions[activity.run] = end;
    if (end > makespan) makespan = end;
  });
  let weightedCompletion = 0;
  problem.runs.forEach((run, index) => (weightedCompletion += run.weight * (completions[index] ?? 0)));
  return { weightedCompletion, makespan, total: weightedCompletion + problem.makespanWeight * makespan };
}
