import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ft06, jobShop, leastMakespan, shopProblems } from '../shop-problems.js';
import type { Activity, Problem } from '../../src/problem/problem.js';
import { shopLowerBound } from '../../src/shop/bound.js';
import { isShop, shopOf } from '../../src/shop/shop.js';

const withFirst = (change: Partial<Activity>): Problem => ({
  ...ft06,
  activities: ft06.activities.map((each, index) => (index === 0 ? { ...each, ...change } : each)),
});
const slot = ft06.activities[0]!.slots[0]!;

describe('a shop', () => {
  it('may have releases, any precedences, least lags and alternative machines', () => {
    expect(isShop(ft06)).toBe(true);
    fc.assert(fc.property(shopProblems(5, 3), (problem) => isShop(problem)));
  });

  it.each<[string, Problem]>([
    ['nothing to do', { ...ft06, activities: [] }],
    ['runs that count for themselves', { ...ft06, runs: ft06.runs.map(() => ({ weight: 1 })) }],
    ['no interest in the end', { ...ft06, makespanWeight: 0 }],
    ['two units for one activity', withFirst({ slots: [slot, { ...slot, units: [1] }] })],
    ['no unit', withFirst({ slots: [] })],
    ['no unit that could be it', withFirst({ slots: [{ ...slot, units: [] }] })],
    ['the unit of another activity', withFirst({ slots: [{ ...slot, sameAs: { activity: 1, slot: 0 } }] })],
    ['a unit that is kept', withFirst({ slots: [{ ...slot, keptUntil: [3] }] })],
    ['a start in the moment of an end', withFirst({ follows: 7 })],
    ['a greatest lag', withFirst({ predecessors: [{ activity: 7, minLag: 0, maxLag: 5 }] })],
    ['more ticks than can be counted', withFirst({ duration: 2 ** 30 })],
    ['a start that is decided', withFirst({ fixed: { start: 0, units: [2] } })],
  ])('does not support %s', (_, problem) => {
    expect(isShop(problem)).toBe(false);
  });

  it('has no circular precedences', () => {
    expect(() => shopOf(withFirst({ predecessors: [{ activity: 1, minLag: 0, maxLag: null }] }))).toThrow(
      RangeError,
    );
  });
});

describe('the lower bound of a shop', () => {
  it('is the longest job, or the load of a machine with the shortest head and tail', () => {
    expect(
      shopLowerBound(
        jobShop(2, [
          [0, 4, 1, 9],
          [0, 1, 1, 1],
        ]),
      ),
    ).toBe(13);
    expect(
      shopLowerBound(
        jobShop(2, [
          [0, 3, 1, 5],
          [0, 2, 1, 5],
        ]),
      ),
    ).toBe(12);
    expect(shopLowerBound(ft06)).toBe(52);
  });

  it('is the load of a pool when operations have alternative machines', () => {
    const pooled = jobShop(2, [
      [0, 4],
      [0, 4],
      [0, 3],
    ]);
    const problem = {
      ...pooled,
      activities: pooled.activities.map((each) => ({ ...each, slots: [{ ...slot, units: [0, 1] }] })),
    };
    expect(shopLowerBound(problem)).toBe(6);
  });

  it('is never above the least makespan', () => {
    fc.assert(
      fc.property(shopProblems(5, 2), (problem) => shopLowerBound(problem) <= leastMakespan(problem)),
      { numRuns: 300 },
    );
  });
});
