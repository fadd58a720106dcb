import { describe, expect, it } from 'vitest';
import { problemWithWitness } from '../problem-with-witness.js';
import { checkSchedule } from '../../src/check-schedule.js';
import type { Activity, Problem } from '../../src/problem/problem.js';
import { construct } from '../../src/search/list-heuristics.js';
import { repair } from '../repair.js';

const activity = (of: Partial<Activity>): Activity => ({
  run: 0,
  duration: 10,
  release: 0,
  predecessors: [],
  follows: null,
  slots: [],
  fixed: null,
  ...of,
});
const on = (units: number[], keptUntil: number[] = []): Activity['slots'] => [
  { units, sameAs: null, keptUntil },
];
const after = (other: number): Activity['predecessors'] => [{ activity: other, minLag: 0, maxLag: null }];
const problemOf = (activities: Activity[], units = 2, runs = 2): Problem => ({
  activities,
  units,
  runs: Array.from({ length: runs }, () => ({ weight: 1 })),
  makespanWeight: 1,
});

describe('construct', () => {
  it.each([0, 10, 20])(
    'finds a place for everything where a schedule exists; %i ticks are decided',
    (moment) => {
      for (let seed = 1; seed <= 250; seed++) {
        const { problem, witness } = problemWithWitness(seed, { activities: 4 + (seed % 14), moment });
        expect(checkSchedule(problem, witness), `witness ${seed}`).toEqual([]);
        const schedule = construct(problem);
        expect(schedule.unplaced, `seed ${seed}`).toEqual([]);
        expect(checkSchedule(problem, schedule), `seed ${seed}`).toEqual([]);
      }
    },
  );

  it('names the activities without a place when runs deadlock, and places the others', () => {
    const problem = problemOf([
      activity({ duration: 0, slots: on([0], [1]), fixed: { start: -5, units: [0] } }),
      activity({ slots: on([1]) }),
      activity({ run: 1, duration: 0, slots: on([1], [3]), fixed: { start: -5, units: [1] } }),
      activity({ run: 1, slots: on([0]) }),
      activity({ run: 1 }),
    ]);
    const { unplaced, ends } = construct(problem);
    expect(unplaced).toEqual([1, 3]);
    expect(ends[4]).toBe(10);
  });

  it('interleaves runs where only that gives room', () => {
    // Each run releases its kept unit with its first task, and needs the unit of the other run for its second.
    const problem = problemOf(
      [
        activity({ duration: 0, slots: on([0], [1]), fixed: { start: -5, units: [0] } }),
        activity({ slots: on([2], [2]) }),
        activity({ predecessors: after(1), slots: on([1]) }),
        activity({ run: 1, duration: 0, slots: on([1], [4]), fixed: { start: -5, units: [1] } }),
        activity({ run: 1, slots: on([3], [5]) }),
        activity({ run: 1, predecessors: after(4), slots: on([0]) }),
      ],
      4,
    );
    const schedule = construct(problem);
    expect(schedule.unplaced).toEqual([]);
    expect(checkSchedule(problem, schedule)).toEqual([]);
    expect(schedule.ends).toEqual([-5, 10, 20, -5, 10, 20]);
  });

  it('starts first the activity that should follow a running one', () => {
    const problem = problemOf([
      activity({ slots: on([0]), fixed: { start: -5, units: [0] } }),
      activity({ slots: on([1]), follows: 0 }),
      activity({ run: 1, slots: on([1]), duration: 7 }),
    ]);
    expect(construct(problem).starts).toEqual([-5, 5, 15]);
  });

  it('reports circular precedences', () => {
    const circle = problemOf([activity({ predecessors: after(1) }), activity({ predecessors: after(0) })]);
    expect(() => construct(circle)).toThrow(RangeError);
  });
});

describe('repair', () => {
  it('keeps the earlier order', () => {
    const problem = problemOf([
      activity({ slots: on([0]) }),
      activity({ run: 1, slots: on([0]), duration: 1 }),
    ]);
    expect(repair(problem, { starts: [3, 50] }).starts).toEqual([0, 10]);
    expect(repair(problem, { starts: [50, 3] }).starts).toEqual([1, 0]);
  });
});
