import type { Activity, Problem, Schedule } from '../problem/problem.js';

/** A part of a problem that shares no unit, run or precedence with the rest, as a problem of its own. */
export interface Component {
  problem: Problem;
  /** Index in the whole problem for each activity of the part; units likewise. */
  activities: readonly number[];
  units: readonly number[];
}

/** Divides a problem into its components, in the order of their first activities. */
export function componentsOf(problem: Problem): Component[] {
  const { activities, units, runs } = problem;
  const group = Int32Array.from({ length: activities.length + units + runs.length }, (_, index) => index);
  const find = (index: number): number => {
    let root = index;
    while (group[root] !== root) root = group[root] = group[group[root]!]!;
    return root;
  };
  const join = (one: number, other: number): void => {
    group[find(other)] = find(one);
  };
  activities.forEach((activity, index) => {
    join(index, activities.length + units + activity.run);
    for (const other of activitiesOf(activity)) join(index, other);
    for (const unit of activity.slots.flatMap((slot) => slot.units)) join(index, activities.length + unit);
    for (const unit of activity.fixed?.units ?? []) join(index, activities.length + unit);
  });
  const parts = new Map<number, number[]>();
  activities.forEach((_, index) => {
    const part = parts.get(find(index));
    if (part === undefined) parts.set(find(index), [index]);
    else part.push(index);
  });
  return [...parts.values()].map((part) => partOf(problem, part));
}

/** Joins the schedules of all components into one of the whole, without its objective. */
export function merge(
  size: number,
  parts: readonly { component: Component; schedule: Omit<Schedule, 'objective'> }[],
): Omit<Schedule, 'objective'> {
  const starts = new Array<number>(size).fill(0);
  const ends = new Array<number>(size).fill(0);
  const units = new Array<readonly number[]>(size).fill([]);
  for (const { component, schedule } of parts)
    component.activities.forEach((whole, own) => {
      starts[whole] = schedule.starts[own]!;
      ends[whole] = schedule.ends[own]!;
      units[whole] = schedule.units[own]!.map((unit) => component.units[unit]!);
    });
  return { starts, ends, units };
}

function activitiesOf({ predecessors, follows, slots }: Activity): number[] {
  return [
    ...predecessors.map(({ activity }) => activity),
    ...(follows === null ? [] : [follows]),
    ...slots.flatMap(({ sameAs, keptUntil }) =>
      sameAs === null ? keptUntil : [sameAs.activity, ...keptUntil],
    ),
  ];
}

function partOf({ activities, runs, makespanWeight }: Problem, part: readonly number[]): Component {
  const placeOf = new Map(part.map((whole, own) => [whole, own]));
  const unitsOf = new Map<number, number>();
  const runsOf = new Map<number, number>();
  const numbered = (map: Map<number, number>, whole: number): number => {
    const own = map.get(whole) ?? map.size;
    map.set(whole, own);
    return own;
  };
  const own = part.map((index): Activity => {
    const activity = activities[index]!;
    return {
      ...activity,
      run: numbered(runsOf, activity.run),
      predecessors: activity.predecessors.map((each) => ({ ...each, activity: placeOf.get(each.activity)! })),
      follows: activity.follows === null ? null : placeOf.get(activity.follows)!,
      slots: activity.slots.map((slot) => ({
        ...slot,
        units: slot.units.map((unit) => numbered(unitsOf, unit)),
        sameAs:
          slot.sameAs === null ? null : { ...slot.sameAs, activity: placeOf.get(slot.sameAs.activity)! },
        keptUntil: slot.keptUntil.map((other) => placeOf.get(other)!),
      })),
      fixed:
        activity.fixed === null
          ? null
          : { ...activity.fixed, units: activity.fixed.units.map((unit) => numbered(unitsOf, unit)) },
    };
  });
  return {
    problem: {
      activities: own,
      units: unitsOf.size,
      runs: [...runsOf.keys()].map((run) => ({ weight: runs[run]!.weight })),
      makespanWeight,
    },
    activities: part,
    units: [...unitsOf.keys()],
  };
}
