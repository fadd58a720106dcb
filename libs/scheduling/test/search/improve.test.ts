import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemWithWitness } from '../problem-with-witness.js';
import { checkSchedule } from '../../src/check-schedule.js';
import type { Activity, Problem, Schedule } from '../../src/problem/problem.js';
import { SeededRandom } from '../../src/problem/random.js';
import { improve } from '../../src/search/improve.js';
import { construct } from '../../src/search/list-heuristics.js';

const never = (): boolean => false;
const options = { seed: 1, rounds: 200, shouldStop: never };

/** Runs of four tasks on three pools, with a group and a kept unit in each. */
function laboratory(seed: number, runs: number): Problem {
  const random = new SeededRandom(seed);
  const pools = [[0, 1], [2], [3, 4, 5]];
  const activities = Array.from({ length: runs }, (_, run) => {
    const first = 4 * run;
    const task = (pool: number, of: Partial<Activity>, keptUntil: number[] = []): Activity => ({
      run,
      duration: 5 + random.below(30),
      release: 0,
      predecessors: [],
      follows: null,
      slots: [{ units: pools[pool]!, sameAs: null, keptUntil }],
      fixed: null,
      ...of,
    });
    return [
      task(0, { release: random.below(50) }),
      task(1, { predecessors: [{ activity: first, minLag: 0, maxLag: null }], duration: 5 }),
      task(2, { follows: first + 1 }, [first + 3]),
      task(0, { predecessors: [{ activity: first + 2, minLag: 3, maxLag: null }] }),
    ];
  }).flat();
  return {
    activities,
    units: 6,
    runs: Array.from({ length: runs }, () => ({ weight: 1 + random.below(5) })),
    makespanWeight: 3,
  };
}

/** Two independent problems that share only the end of the whole. */
function beside(one: Problem, other: Problem): Problem {
  const shift = one.activities.length;
  return {
    units: one.units + other.units,
    makespanWeight: one.makespanWeight,
    runs: [...one.runs, ...other.runs],
    activities: [
      ...one.activities,
      ...other.activities.map((activity): Activity => ({
        ...activity,
        run: activity.run + one.runs.length,
        predecessors: activity.predecessors.map((each) => ({ ...each, activity: each.activity + shift })),
        follows: activity.follows === null ? null : activity.follows + shift,
        slots: activity.slots.map((slot) => ({
          ...slot,
          units: slot.units.map((unit) => unit + one.units),
          keptUntil: slot.keptUntil.map((each) => each + shift),
        })),
      })),
    ],
  };
}

/**
 * The smallest objective of all schedules by exhaustive search: every order, every choice, each as early as possible.
 */
function leastObjective(problem: Problem): number {
  const { activities, runs, makespanWeight } = problem;
  const ends: number[] = new Array<number>(activities.length).fill(-1);
  const free: number[] = new Array<number>(problem.units).fill(0);
  let least = Number.POSITIVE_INFINITY;
  const extend = (left: number): void => {
    if (left === 0) {
      const completion = runs.map((_, run) =>
        Math.max(0, ...ends.filter((_, index) => activities[index]!.run === run)),
      );
      const sum = completion.reduce((total, end, run) => total + runs[run]!.weight * end, 0);
      least = Math.min(least, sum + makespanWeight * Math.max(...ends));
      return;
    }
    activities.forEach((activity, index) => {
      if (ends[index]! >= 0 || activity.predecessors.some((each) => ends[each.activity]! < 0)) return;
      const ready = Math.max(
        activity.release,
        ...activity.predecessors.map((each) => ends[each.activity]! + each.minLag),
      );
      const slot = activity.slots[0]!;
      slot.units.forEach((unit, choice) => {
        const before = free[unit]!;
        ends[index] = Math.max(ready, before) + (slot.durations?.[choice] ?? activity.duration);
        free[unit] = ends[index];
        extend(left - 1);
        free[unit] = before;
        ends[index] = -1;
      });
    });
  };
  extend(activities.length);
  return least;
}

function tiny(seed: number): Problem {
  const random = new SeededRandom(seed);
  return {
    units: 3,
    makespanWeight: random.below(3),
    runs: [{ weight: 1 + random.below(5) }, { weight: 1 + random.below(5) }, { weight: 1 }],
    activities: Array.from({ length: 5 }, (_, index): Activity => {
      const units = [0, 1, 2].filter(() => random.below(2) === 0);
      if (units.length === 0) units.push(random.below(3));
      return {
        run: index % 3,
        duration: 1 + random.below(9),
        release: random.below(6),
        predecessors: index >= 3 ? [{ activity: index - 3, minLag: random.below(3), maxLag: null }] : [],
        follows: null,
        slots: [
          {
            units,
            ...(random.below(2) === 0 ? { durations: units.map(() => 1 + random.below(9)) } : {}),
            sameAs: null,
            keptUntil: [],
          },
        ],
        fixed: null,
      };
    }),
  };
}

describe('improve', () => {
  it('makes only valid schedules, each better than the one before', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (seed, activities, moment) => {
          const { problem, witness } = problemWithWitness(seed, { activities, moment });
          let last = witness.objective + 1;
          const result = improve(problem, {
            ...options,
            rounds: 60,
            start: witness,
            onImprovement: (schedule) => {
              expect(checkSchedule(problem, schedule)).toEqual([]);
              expect(schedule.objective).toBeLessThan(last);
              last = schedule.objective;
            },
          });
          expect(checkSchedule(problem, result.schedule)).toEqual([]);
          expect(result.schedule.objective).toBeLessThanOrEqual(last);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('finds the optimum of tiny problems', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const problem = tiny(seed);
      const { schedule } = improve(problem, { ...options, rounds: 2_000 });
      expect(checkSchedule(problem, schedule)).toEqual([]);
      expect(schedule.objective, `seed ${seed}`).toBe(leastObjective(problem));
    }
  });

  it('finds the same with the same seed and rounds', () => {
    const problem = laboratory(3, 20);
    const one = improve(problem, { ...options, rounds: 500 });
    expect(improve(problem, { ...options, rounds: 500 })).toEqual(one);
    expect(one.rounds).toBe(500);
  });

  it('is better than its initial heuristics', () => {
    const problem = laboratory(5, 25);
    const { schedule } = improve(problem, { ...options, rounds: 2_000 });
    expect(schedule.objective).toBeLessThan(0.98 * construct(problem).objective);
  });

  it('returns the given schedule when it finds no better one', () => {
    const problem = laboratory(7, 10);
    const start = improve(problem, { ...options, rounds: 3_000 }).schedule;
    const { schedule } = improve(problem, { ...options, seed: 2, rounds: 1, start });
    expect(schedule.objective).toBeLessThanOrEqual(start.objective);
  });

  it('ends soon after a stop at any point', () => {
    const problem = laboratory(1, 60);
    const start = construct(problem);
    for (const answers of [1, 5, 12, 30, 100]) {
      let asked = 0;
      const { schedule, rounds } = improve(problem, {
        seed: 1,
        rounds: null,
        start,
        shouldStop: () => ++asked >= answers,
      });
      expect(checkSchedule(problem, schedule)).toEqual([]);
      // Once for every list and every decoding close to the start, then for every 300 blocks.
      expect(asked).toBeLessThanOrEqual(Math.max(answers, 50));
      expect(rounds).toBeLessThanOrEqual(answers * Math.ceil(300 / 120));
    }
  });

  it('detects that a lower bound is reached, and that decided activities have only one schedule', () => {
    const problem = laboratory(2, 6);
    const bound = improve(problem, { ...options, rounds: 3_000 }).schedule.objective;
    const result = improve(problem, { seed: 1, rounds: null, shouldStop: never, lowerBound: bound });
    expect(result).toMatchObject({ optimal: true, schedule: { objective: bound } });
    const decided: Problem = {
      ...problem,
      activities: [{ ...problem.activities[0]!, fixed: { start: -3, units: [0] } }],
    };
    expect(improve(decided, options)).toMatchObject({ optimal: true, rounds: 0 });
  });

  it('searches independent parts separately and counts the overall end once', () => {
    const one = laboratory(1, 4);
    const other = laboratory(2, 3);
    const both = beside(one, other);
    const best = (problem: Problem): Schedule => improve(problem, { ...options, rounds: 4_000 }).schedule;
    const apart = [one, other].map((problem) => best({ ...problem, makespanWeight: 0 }).objective);
    const { schedule } = improve({ ...both, makespanWeight: 0 }, { ...options, rounds: 8_000 });
    expect(schedule.objective).toBe(apart[0]! + apart[1]!);
    const whole = improve(both, { ...options, rounds: 4_000 }).schedule;
    expect(checkSchedule(both, whole)).toEqual([]);
  });
});
