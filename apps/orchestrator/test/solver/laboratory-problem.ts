import { construct, objectiveOf, type Activity, type Problem, type Schedule } from '@lab/scheduling';

/**
 * A laboratory of pools of one to three units. Runs of eight tasks pass from pool to pool. Some tasks form groups
 * without a pause, and some keep their unit until the next one has ended.
 *
 * @param runs number of runs of eight tasks
 * @param seed the same seed gives the same problem
 */
export function laboratoryProblem(runs: number, seed = 1): Problem {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const pools = [[0, 1], [2], [3, 4, 5], [6], [7, 8], [9, 10]];
  const activities = Array.from({ length: runs }, (_, run) =>
    Array.from({ length: 8 }, (_, place): Activity => {
      const before = run * 8 + place - 1;
      const kind = place === 0 ? 0 : below(4);
      return {
        run,
        duration: 2 + below(30),
        release: (run % 3) * 10,
        predecessors: place === 0 ? [] : [{ activity: before, minLag: 0, maxLag: null }],
        follows: kind === 1 ? before : null,
        slots: [{ units: pools[below(pools.length)]!, sameAs: null, keptUntil: [] }],
        fixed: null,
      };
    }),
  ).flat();
  const kept = activities.map((activity, index): Activity => {
    const next = activities[index + 1];
    const keeps =
      next?.run === activity.run && next.slots[0]!.units !== activity.slots[0]!.units && below(5) === 0;
    return keeps ? { ...activity, slots: [{ ...activity.slots[0]!, keptUntil: [index + 1] }] } : activity;
  });
  return {
    activities: kept,
    units: 11,
    runs: Array.from({ length: runs }, () => ({ weight: 1 + below(5) })),
    makespanWeight: runs,
  };
}

/** An initial schedule: all activities one after the other. */
export function hintOf(problem: Problem): Schedule {
  const { starts, ends, units } = construct(problem);
  return { starts, ends, units, objective: objectiveOf(problem, ends).total };
}
