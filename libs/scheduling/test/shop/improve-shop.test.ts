import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ft06, leastMakespan, shopProblems } from '../shop-problems.js';
import { checkSchedule } from '../../src/check-schedule.js';
import type { Activity, Schedule } from '../../src/problem/problem.js';
import { improveShop } from '../../src/shop/improve-shop.js';

const never = () => false;

describe('the search of shops', () => {
  it('finds the shortest schedule of ft06', () => {
    const { schedule } = improveShop(ft06, { seed: 1, rounds: 20_000, shouldStop: never });
    expect(schedule.objective).toBe(55);
    expect(checkSchedule(ft06, schedule)).toEqual([]);
  });

  it('finds the least makespan of small shops of every kind, and claims optimality only for it', () => {
    fc.assert(
      fc.property(shopProblems(5, 2), fc.integer(), (problem, seed) => {
        const { schedule, optimal } = improveShop(problem, { seed, rounds: 20_000, shouldStop: never });
        expect(checkSchedule(problem, schedule)).toEqual([]);
        expect(schedule.objective).toBe(leastMakespan(problem));
        if (optimal) expect(schedule.objective).toBe(leastMakespan(problem));
      }),
      { numRuns: 40 },
    );
  });

  it('leaves a plateau of operations without duration, one of which needs the other', () => {
    const operation = (before: number[], units: number[], durations: number[]): Activity => ({
      ...{ run: 0, duration: Math.min(...durations), release: 0, follows: null, fixed: null },
      predecessors: before.map((activity) => ({ activity, minLag: 0, maxLag: null })),
      slots: [{ units, durations, sameAs: null, keptUntil: [] }],
    });
    const activities = [
      operation([], [1], [1]),
      operation([0], [0, 1], [0, 0]),
      operation([1], [1], [0]),
      operation([1], [1], [0]),
      operation([], [0, 1], [3, 4]),
    ];
    const problem = { activities, units: 2, runs: [{ weight: 0 }], makespanWeight: 1 };
    expect(improveShop(problem, { seed: 0, rounds: 1_000, shouldStop: never }).schedule.objective).toBe(3);
  });

  it('makes only schedules that the checker accepts', () => {
    fc.assert(
      fc.property(shopProblems(14, 4), fc.integer(), (problem, seed) => {
        const { schedule } = improveShop(
          { ...problem, makespanWeight: 3 },
          { seed, rounds: 300, shouldStop: never },
        );
        expect(checkSchedule({ ...problem, makespanWeight: 3 }, schedule)).toEqual([]);
      }),
    );
  });

  it('finds the same with the same seed and rounds, and takes another path with another seed', () => {
    const run = (seed: number) => {
      const told: number[] = [];
      const result = improveShop(ft06, {
        seed,
        rounds: 500,
        shouldStop: never,
        onImprovement: ({ objective }) => void told.push(objective),
      });
      return { told, result };
    };
    expect(run(7)).toEqual(run(7));
    const ways = [1, 2, 3, 4, 5, 6].map((seed) => JSON.stringify(run(seed)));
    expect(new Set(ways).size).toBeGreaterThan(1);
  });

  it('reports every better schedule, keeps to its rounds, and ends with the best', () => {
    const told: Schedule[] = [];
    const { schedule, rounds } = improveShop(ft06, {
      seed: 3,
      rounds: 800,
      shouldStop: never,
      onImprovement: (better) => void told.push(better),
    });
    expect(rounds).toBe(800);
    const objectives = told.map(({ objective }) => objective);
    expect(objectives).toEqual([...new Set(objectives)].sort((a, b) => b - a));
    expect(told.at(-1)).toEqual(schedule);
    for (const each of told) expect(checkSchedule(ft06, each)).toEqual([]);
  });

  it('returns the given schedule when it may do nothing, and never a worse one', () => {
    const start = improveShop(ft06, { seed: 1, rounds: 40, shouldStop: never }).schedule;
    const stopped = improveShop(ft06, { seed: 2, rounds: null, shouldStop: () => true, start });
    expect(stopped).toEqual({ schedule: start, rounds: 0, optimal: false });
    const further = improveShop(ft06, { seed: 2, rounds: 100, shouldStop: never, start });
    expect(further.schedule.objective).toBeLessThanOrEqual(start.objective);
  });

  it('checks continually whether to stop, and stops', () => {
    let asked = 0;
    const { rounds } = improveShop(ft06, { seed: 1, rounds: null, shouldStop: () => ++asked > 20 });
    expect(asked).toBe(21);
    expect(rounds).toBeLessThan(10_000);
  });

  it('ends at a given bound and reports that as optimal', () => {
    const { schedule, optimal } = improveShop(ft06, {
      seed: 1,
      rounds: null,
      shouldStop: never,
      lowerBound: 55,
    });
    expect({ objective: schedule.objective, optimal }).toEqual({ objective: 55, optimal: true });
  });
});
