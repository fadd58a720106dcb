import fc from 'fast-check';
import type { Activity, Problem } from '../src/index.js';

/** A job shop as the literature prints it: for each job pairs of machine (from 0) and duration. */
export function jobShop(machines: number, jobs: readonly (readonly number[])[]): Problem {
  const activities: Activity[] = [];
  jobs.forEach((job, run) => {
    for (let at = 0; at < job.length; at += 2)
      activities.push({
        run,
        duration: job[at + 1]!,
        release: 0,
        predecessors: at === 0 ? [] : [{ activity: activities.length - 1, minLag: 0, maxLag: null }],
        follows: null,
        slots: [{ units: [job[at]!], sameAs: null, keptUntil: [] }],
        fixed: null,
      });
  });
  return { activities, units: machines, runs: jobs.map(() => ({ weight: 0 })), makespanWeight: 1 };
}

/** Fisher and Thompson 1963, 6 jobs on 6 machines. The shortest schedule takes 55. */
export const ft06 = jobShop(6, [
  [2, 1, 0, 3, 1, 6, 3, 7, 5, 3, 4, 6],
  [1, 8, 2, 5, 4, 10, 5, 10, 0, 10, 3, 4],
  [2, 5, 3, 4, 5, 8, 0, 9, 1, 1, 4, 7],
  [1, 5, 0, 5, 2, 5, 3, 3, 4, 8, 5, 9],
  [2, 9, 1, 3, 4, 5, 5, 4, 0, 3, 3, 1],
  [1, 3, 3, 3, 5, 9, 0, 10, 4, 4, 2, 1],
]);

/** Shops with any precedences, lags, releases, alternative machines, and durations down to `least`. */
export function shopProblems(operations: number, machines: number, least = 0): fc.Arbitrary<Problem> {
  const activity = (index: number) =>
    fc.record({
      release: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(9)),
      predecessors: fc
        .subarray(
          Array.from({ length: index }, (_, each) => each),
          { maxLength: Math.min(2, index) },
        )
        .chain((before) =>
          fc.tuple(
            ...before.map((each) =>
              fc.record({
                activity: fc.constant(each),
                minLag: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(5)),
                maxLag: fc.constant(null),
              }),
            ),
          ),
        ),
      slot: fc
        .subarray(
          Array.from({ length: machines }, (_, each) => each),
          { minLength: 1 },
        )
        .chain((units) =>
          fc.record({
            units: fc.constant(units),
            durations: fc.array(fc.integer({ min: least, max: 9 }), {
              minLength: units.length,
              maxLength: units.length,
            }),
            sameAs: fc.constant(null),
            keptUntil: fc.constant([]),
          }),
        ),
    });
  return fc.tuple(...Array.from({ length: operations }, (_, index) => activity(index))).map((drawn) => ({
    activities: drawn.map(({ release, predecessors, slot }) => ({
      run: 0,
      duration: Math.min(...slot.durations),
      release,
      predecessors,
      follows: null,
      slots: [slot],
      fixed: null,
    })),
    units: machines,
    runs: [{ weight: 0 }],
    makespanWeight: 1,
  }));
}

/** The least makespan of a shop, from every order and every choice of machines; for a handful of operations. */
export function leastMakespan({ activities, units }: Problem): number {
  let least = Infinity;
  const ends: number[] = [];
  const free = Array.from({ length: units }, () => 0);
  const extend = (placed: number, makespan: number): void => {
    if (makespan >= least) return;
    if (placed === activities.length) {
      least = makespan;
      return;
    }
    activities.forEach(({ release, predecessors, slots, duration }, each) => {
      if (ends[each] !== undefined || predecessors.some((one) => ends[one.activity] === undefined)) return;
      const ready = Math.max(release, ...predecessors.map((one) => ends[one.activity]! + one.minLag));
      slots[0]!.units.forEach((unit, at) => {
        const before = free[unit]!;
        const end = Math.max(ready, before) + (slots[0]!.durations?.[at] ?? duration);
        ends[each] = free[unit] = end;
        extend(placed + 1, Math.max(makespan, end));
        free[unit] = before;
        delete ends[each];
      });
    });
  };
  extend(0, 0);
  return least;
}
