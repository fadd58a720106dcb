import { inOrder } from '../problem/groups.js';
import type { Activity, Problem } from '../problem/problem.js';

/** Times of activities as far as precedences decide them, in ticks. */
export interface Timing {
  /** Every activity after all activities for which it waits. */
  order: readonly number[];
  /** The shortest duration, on the best of its units. */
  durations: Float64Array;
  /** Earliest start; for a fixed activity, its start. */
  heads: Float64Array;
  /** Minimum ticks from its end to the end of its run. */
  tails: Float64Array;
  /** Earliest end of the run. */
  completions: Float64Array;
  /** Activities that must end before it starts, directly or through others. */
  ancestors: (activity: number) => ReadonlySet<number>;
}

/** Longest paths in the graph of precedences. Greatest lags are ignored, because they only delay. */
export function timingOf(problem: Problem): Timing {
  const { activities } = problem;
  const order = inOrder(activities.map((activity) => edgesInto(activity).map(({ before }) => before)));
  const durations = Float64Array.from(activities, shortestDuration);
  const heads = new Float64Array(activities.length);
  const tails = new Float64Array(activities.length);
  const completions = new Float64Array(problem.runs.length);
  for (const index of order) {
    const activity = activities[index]!;
    heads[index] = activity.fixed?.start ?? Math.max(0, activity.release);
    if (activity.fixed === null)
      for (const { before, lag } of edgesInto(activity))
        heads[index] = Math.max(heads[index]!, heads[before]! + durations[before]! + lag);
    const end = heads[index]! + durations[index]!;
    completions[activity.run] = Math.max(completions[activity.run]!, end);
  }
  for (const index of [...order].reverse()) {
    const activity = activities[index]!;
    if (activity.fixed !== null) continue;
    for (const { before, lag } of edgesInto(activity))
      if (activities[before]!.run === activity.run)
        tails[before] = Math.max(tails[before]!, lag + durations[index]! + tails[index]!);
  }
  return { order, durations, heads, tails, completions, ancestors: ancestorsIn(activities) };
}

/** The activities on whose ends a start depends, with the ticks in between. */
export function edgesInto({ predecessors, follows }: Activity): { before: number; lag: number }[] {
  const edges = predecessors.map(({ activity, minLag }) => ({ before: activity, lag: minLag }));
  return follows === null ? edges : [...edges, { before: follows, lag: 0 }];
}

/** Its possible durations in ticks, depending on its units. */
export function possibleDurations({ duration, slots }: Activity): readonly number[] {
  return slots.find(({ durations }) => durations !== undefined)?.durations ?? [duration];
}

/** Its duration in ticks: on the decided units if it is fixed, otherwise on the best ones. */
function shortestDuration({ slots, duration, fixed }: Activity): number {
  let found = duration;
  slots.forEach(({ units, durations }, slot) => {
    if (durations === undefined) return;
    found = fixed === null ? Math.min(...durations) : durations[units.indexOf(fixed.units[slot]!)]!;
  });
  return found;
}

function ancestorsIn(activities: readonly Activity[]): (activity: number) => ReadonlySet<number> {
  const known = new Map<number, ReadonlySet<number>>();
  return (activity) => {
    const found = known.get(activity) ?? new Set<number>();
    if (known.has(activity)) return found;
    const ancestors = found as Set<number>;
    const open = [activity];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const { before, lag } of edgesInto(activities[next]!))
        if (lag >= 0 && !ancestors.has(before)) {
          ancestors.add(before);
          open.push(before);
        }
    known.set(activity, ancestors);
    return ancestors;
  };
}
