import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';

/** Activities of a problem that share no unit, run or precedence with the others. */
export interface Part {
  problem: Problem;
  schedule: Schedule;
  /** Index in the whole problem of each activity. */
  activities: readonly number[];
}

/**
 * Divides a problem into independent parts. The weight of the makespan is divided among them in proportion to the
 * weights of their runs. So the lower bounds of the parts add up to a lower bound of the whole, because the whole ends
 * no earlier than any part.
 *
 * @param schedule of the whole problem; each part gets its share
 */
export function separate(problem: Problem, schedule: Schedule): Part[] {
  const { activities } = problem;
  const roots = Int32Array.from(
    { length: activities.length + problem.units + problem.runs.length },
    (_, i) => i,
  );
  const find = (index: number): number => {
    let root = index;
    while (roots[root] !== root) root = roots[root] = roots[roots[root] ?? root] ?? root;
    return root;
  };
  const join = (one: number, other: number): void => {
    roots[find(one)] = find(other);
  };
  activities.forEach((activity, index) => {
    join(index, activities.length + problem.units + activity.run);
    for (const { activity: other } of activity.predecessors) join(index, other);
    if (activity.follows !== null) join(index, activity.follows);
    for (const slot of activity.slots) {
      for (const unit of slot.units) join(index, activities.length + unit);
      if (slot.sameAs !== null) join(index, slot.sameAs.activity);
    }
    for (const unit of activity.fixed?.units ?? []) join(index, activities.length + unit);
  });
  const groups = new Map<number, number[]>();
  activities.forEach((_, index) => {
    const root = find(index);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [index]);
    else group.push(index);
  });
  const all = [...groups.values()];
  const weights = all.map((group) =>
    [...new Set(group.map((index) => activities[index]?.run ?? -1))].reduce(
      (sum, run) => sum + (problem.runs[run]?.weight ?? 0),
      0,
    ),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = problem.makespanWeight;
  return all.map((group, index) => {
    const last = index === all.length - 1;
    const share = total === 0 ? 0 : Math.floor((problem.makespanWeight * (weights[index] ?? 0)) / total);
    const makespanWeight = last ? left : Math.min(left, share);
    left -= makespanWeight;
    return partOf(problem, schedule, group, makespanWeight);
  });
}

/** The whole schedule with one part replaced. */
export function joinSchedules(problem: Problem, whole: Schedule, part: Part, schedule: Schedule): Schedule {
  const starts = [...whole.starts];
  const ends = [...whole.ends];
  const units = [...whole.units];
  part.activities.forEach((activity, index) => {
    starts[activity] = schedule.starts[index] ?? 0;
    ends[activity] = schedule.ends[index] ?? 0;
    units[activity] = schedule.units[index] ?? [];
  });
  return { starts, ends, units, objective: objectiveOf(problem, ends).total };
}

function partOf(whole: Problem, schedule: Schedule, group: readonly number[], makespanWeight: number): Part {
  const position = new Map(group.map((activity, index) => [activity, index]));
  const runs = new Map<number, number>();
  const at = (activity: number): number => position.get(activity) ?? -1;
  const activities = group.flatMap((index) => {
    const activity = whole.activities[index];
    if (activity === undefined) return [];
    if (!runs.has(activity.run)) runs.set(activity.run, runs.size);
    return {
      ...activity,
      run: runs.get(activity.run) ?? 0,
      predecessors: activity.predecessors.map((each) => ({ ...each, activity: at(each.activity) })),
      follows: activity.follows === null ? null : at(activity.follows),
      slots: activity.slots.map((slot) => ({
        ...slot,
        sameAs: slot.sameAs === null ? null : { ...slot.sameAs, activity: at(slot.sameAs.activity) },
        keptUntil: slot.keptUntil.map(at),
      })),
    };
  });
  const problem: Problem = {
    activities,
    units: whole.units,
    runs: [...runs.keys()].map((run) => whole.runs[run] ?? { weight: 0 }),
    makespanWeight,
  };
  const ends = group.map((index) => schedule.ends[index] ?? 0);
  return {
    problem,
    activities: group,
    schedule: {
      starts: group.map((index) => schedule.starts[index] ?? 0),
      ends,
      units: group.map((index) => schedule.units[index] ?? []),
      objective: objectiveOf(problem, ends).total,
    },
  };
}
