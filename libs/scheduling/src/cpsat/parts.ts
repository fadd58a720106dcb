import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';
import { independentGroups, partOf } from '../search/components.js';

/** Activities of a problem that share no unit, run or precedence with the others. */
export interface Part {
  problem: Problem;
  schedule: Schedule;
  /** Index in the whole problem of each activity. */
  activities: readonly number[];
}

/**
 * Divides a problem and its schedule into independent parts. Their makespan weights are proportional to the weights of
 * their runs. Their lower bounds add up to one of the whole, which ends no earlier than any part.
 */
export function separate(problem: Problem, schedule: Schedule): Part[] {
  const { activities } = problem;
  const all = independentGroups(problem);
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
    return shareOf(problem, schedule, group, makespanWeight);
  });
}

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

function shareOf(whole: Problem, schedule: Schedule, group: readonly number[], makespanWeight: number): Part {
  const problem = { ...partOf(whole, group, (unit) => unit), units: whole.units, makespanWeight };
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
