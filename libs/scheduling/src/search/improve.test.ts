import { describe, expect, it } from 'vitest';
import type { Problem } from '../problem/problem.js';
import { improve } from './improve.js';

describe('a search in which nothing is left to decide', () => {
  it('gives the one schedule there is', () => {
    const problem: Problem = {
      activities: [
        {
          run: 0,
          duration: 5,
          release: 0,
          predecessors: [],
          follows: null,
          slots: [{ units: [0], sameAs: null, keptUntil: [] }],
          fixed: { start: -2, units: [0] },
        },
        {
          run: 0,
          duration: 4,
          release: 0,
          predecessors: [{ activity: 0, minLag: 0, maxLag: null }],
          follows: null,
          slots: [],
          fixed: { start: 3, units: [] },
        },
      ],
      units: 1,
      runs: [{ weight: 1 }],
      makespanWeight: 1,
    };
    const result = improve(problem, { seed: 1, rounds: 10, shouldStop: () => false });
    expect(result).toMatchObject({ rounds: 0, optimal: true, schedule: { starts: [-2, 3], ends: [3, 7] } });
  });
});
