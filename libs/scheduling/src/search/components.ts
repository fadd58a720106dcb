import { disjointSets, grouped } from '../problem/groups.js';
import type { Activity, Problem, Schedule } from '../problem/problem.js';

/** A part of a problem that shares no unit, run or precedence with the rest, as a problem of its own. */
export interface Component {
  problem: Problem;
  /** Index in the whole problem for each activity of the part; units likewise. */
  activities: readonly number[];
  units: readonly number[];
}

export function componentsOf(problem: Problem): Component[] {
  return independentGroups(problem).map((activities) => {
    const unitsOf = new Map<number, number>();
    const part = partOf(problem, activities, (unit) => numbered(unitsOf, unit));
    const { makespanWeight } = problem;
    return {
      problem: { ...part, units: unitsOf.size, makespanWeight },
      activities,
      units: [...unitsOf.keys()],
    };
  });
}

/** Groups of activities that share no unit, run or precedence, in the order of their first activities. */
export function independentGroups({ activities, units, runs }: Problem): number[][] {
  const { find, join } = disjointSets(activities.length + units + runs.length);
  activities.forEach((activity, index) => {
    join(index, activities.length + units + activity.run);
    for (const other of activitiesOf(activity)) join(index, other);
    const own = [...activity.slots.flatMap((slot) => slot.units), ...(activity.fixed?.units ?? [])];
    for (const unit of own) join(index, activities.length + unit);
  });
  return [...grouped(activities.keys(), find).values()];
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

/** Some activities with their runs, numbered by themselves. @param unitOf the number of each unit in the part */
export function partOf(
  { activities, runs }: Problem,
  part: readonly number[],
  unitOf: (unit: number) => number,
): Pick<Problem, 'activities' | 'runs'> {
  const placeOf = new Map(part.map((whole, own) => [whole, own]));
  const at = (whole: number): number => placeOf.get(whole)!;
  const runsOf = new Map<number, number>();
  const own = part.map((index): Activity => {
    const { run, predecessors, follows, slots, fixed, ...rest } = activities[index]!;
    return {
      ...rest,
      run: numbered(runsOf, run),
      predecessors: predecessors.map((each) => ({ ...each, activity: at(each.activity) })),
      follows: follows === null ? null : at(follows),
      slots: slots.map((slot) => ({
        ...slot,
        units: slot.units.map(unitOf),
        sameAs: slot.sameAs === null ? null : { ...slot.sameAs, activity: at(slot.sameAs.activity) },
        keptUntil: slot.keptUntil.map(at),
      })),
      fixed: fixed === null ? null : { ...fixed, units: fixed.units.map(unitOf) },
    };
  });
  return { activities: own, runs: [...runsOf.keys()].map((run) => ({ weight: runs[run]!.weight })) };
}

function numbered(map: Map<number, number>, whole: number): number {
  const own = map.get(whole) ?? map.size;
  map.set(whole, own);
  return own;
}
