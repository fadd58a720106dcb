/**
 * A scheduling problem with nothing left in it but numbers: what the searches, the exact solver and the checker of
 * timetables work on. Times are whole ticks, 0 is the moment of planning. Values: nobody changes them.
 */
export interface Problem {
  activities: readonly Activity[];
  /** How many units there are; their indexes count from 0. A unit serves one activity at a time. */
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
  /** Ticks, 0 or more; a slot with durations of its own says otherwise. */
  duration: number;
  /** It starts no earlier. */
  release: number;
  predecessors: readonly Precedence[];
  /** It starts in the very tick in which that activity ends; null: whenever it can. */
  follows: number | null;
  slots: readonly Slot[];
  /**
   * Decided already: it is going on, or it has ended and only what it keeps is left of it (its duration is then 0).
   * It starts at `start`, which may lie before 0, on these units, one for each slot.
   */
  fixed: { start: number; units: readonly number[] } | null;
}

/**
 * A start `minLag` ticks or more after the end of another activity, and at most `maxLag` after it (null: any time later).
 *
 * `maxLag` and {@link Activity.follows} bind between activities that are still to be placed. After a fixed one, whose end
 * nobody can choose any more, they are a wish: the activity is to be placed before others, as early as it can be.
 */
export interface Precedence {
  activity: number;
  minLag: number;
  maxLag: number | null;
}

/** A place that exactly one unit fills while the activity is going on; no unit fills two slots of an activity. */
export interface Slot {
  /** Indexes of the units that can fill it; of a slot with {@link sameAs}, those that the other slot has. */
  units: readonly number[];
  /** Ticks that the activity takes on each of {@link units}; at most one slot of an activity has them. */
  durations?: readonly number[];
  /** It gets the unit that this slot of another activity got. */
  sameAs: { activity: number; slot: number } | null;
  /**
   * Activities that must have ended before the unit goes to anybody else. From the start of this activity until then
   * only slots that are `sameAs` this one, directly or through others, may have the unit, one at a time.
   */
  keptUntil: readonly number[];
}

/** When each activity starts and ends, and on what; the arrays are as long as {@link Problem.activities}. */
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
  /** End of the last activity, in ticks. */
  makespan: number;
  /** `weightedCompletion + makespanWeight x makespan`: what is minimised. */
  total: number;
}

/** @param ends of every activity, in ticks */
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
