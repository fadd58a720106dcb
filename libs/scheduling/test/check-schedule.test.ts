import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSchedule } from '../src/check-schedule.js';
import { collisions, type Stay } from '../src/exclusivity.js';
import {
  objectiveOf,
  type Activity,
  type Problem,
  type Schedule,
  type Slot,
} from '../src/problem/problem.js';

const slot = (units: number[], more: Partial<Slot> = {}): Slot => ({
  units,
  sameAs: null,
  keptUntil: [],
  ...more,
});
const activity = (run: number, duration: number, slots: Slot[], more: Partial<Activity> = {}): Activity => ({
  run,
  duration,
  release: 0,
  predecessors: [],
  follows: null,
  slots,
  fixed: null,
  ...more,
});

/** A problem with every kind of rule, without slack where a case needs none. */
const problem: Problem = {
  units: 4,
  makespanWeight: 3,
  runs: [{ weight: 2 }, { weight: 1 }, { weight: 0 }],
  activities: [
    activity(0, 5, [slot([0, 1], { keptUntil: [2] })]),
    activity(0, 3, [slot([2])], { predecessors: [{ activity: 0, minLag: 2, maxLag: 4 }] }),
    activity(0, 4, [slot([0, 1], { sameAs: { activity: 0, slot: 0 } })], {
      predecessors: [{ activity: 1, minLag: 0, maxLag: null }],
    }),
    activity(1, 99, [slot([0, 1], { durations: [6, 7] })], { release: 3 }),
    activity(1, 2, [slot([2, 3]), slot([2, 3])], {
      follows: 3,
      predecessors: [{ activity: 3, minLag: 0, maxLag: null }],
    }),
    activity(2, 6, [slot([2])], { fixed: { start: -4, units: [2] } }),
    activity(2, 1, [slot([1])], { follows: 5 }),
  ],
};
const good = {
  starts: [0, 7, 10, 3, 10, -4, 2],
  ends: [5, 10, 14, 10, 12, 2, 3],
  units: [[0], [2], [0], [1], [2, 3], [2], [1]],
};
type Arrays = { starts: number[]; ends: number[]; units: number[][] };
const schedule = (arrays: Arrays): Schedule => ({
  ...arrays,
  objective: objectiveOf(problem, arrays.ends).total,
});
const changed = (change: (arrays: Arrays) => void): Schedule => {
  const arrays = structuredClone(good);
  change(arrays);
  return schedule(arrays);
};
const move = (index: number, by: number) =>
  changed(({ starts, ends }) => {
    starts[index] = (starts[index] ?? 0) + by;
    ends[index] = (ends[index] ?? 0) + by;
  });
const codes = (of: Schedule, on = problem) => checkSchedule(on, of).map((fault) => fault.code);

describe('the checker of schedules', () => {
  it('accepts a good schedule', () => {
    expect(checkSchedule(problem, schedule(structuredClone(good)))).toEqual([]);
  });

  it.each<[string, Schedule]>([
    ['shape', changed((each) => each.starts.pop())],
    ['shape', changed((each) => each.units[4]?.pop())],
    ['not_whole', changed((each) => (each.starts[2] = 10.5))],
    ['not_whole', changed((each) => (each.ends[2] = Number.NaN))],
    ['duration', changed((each) => (each.ends[2] = 13))],
    ['duration', changed((each) => (each.ends[3] = 9))],
    ['too_early', move(0, -1)],
    ['too_early', move(3, -1)],
    ['min_lag', move(1, -1)],
    ['min_lag', move(2, -1)],
    ['max_lag', move(1, 3)],
    ['follows', move(4, 1)],
    ['follows', move(6, -1)],
    ['moved_fixed', move(5, -1)],
    ['moved_fixed', changed((each) => (each.units[5] = [3]))],
    ['unknown_unit', changed((each) => (each.units[1] = [4]))],
    ['unknown_unit', changed((each) => (each.units[1] = [0.5]))],
    ['not_eligible', changed((each) => (each.units[1] = [3]))],
    ['given_twice', changed((each) => (each.units[4] = [2, 2]))],
    ['not_the_same', changed((each) => (each.units[2] = [1]))],
    ['overlap', changed((each) => (each.units[6] = [0]))],
    ['objective', { ...schedule(structuredClone(good)), objective: 81 }],
    ['objective', { ...schedule(structuredClone(good)), objective: Number.NaN }],
  ])('finds the fault %s', (code, bad) => {
    expect(codes(bad)).toContain(code);
  });

  it('finds a foreign activity on a unit that is kept, and permits only activities that refer to the keeper', () => {
    const stranger = activity(0, 1, [slot([0])]);
    const on = { ...problem, activities: [...problem.activities, stranger] };
    const at = (start: number): Schedule => {
      const arrays = structuredClone(good);
      arrays.starts.push(start);
      arrays.ends.push(start + 1);
      arrays.units.push([0]);
      return { ...arrays, objective: objectiveOf(on, arrays.ends).total };
    };
    expect(codes(at(6), on)).toEqual(['kept']);
    expect(codes(at(14), on)).toEqual([]);
    expect(codes(at(4), on)).toEqual(['overlap']);
  });

  it('does not require back to back after a fixed activity, but still its unit and its end', () => {
    const on: Problem = {
      units: 2,
      makespanWeight: 0,
      runs: [{ weight: 1 }],
      activities: [
        activity(0, 3, [slot([0], { keptUntil: [1] })], { fixed: { start: -1, units: [0] } }),
        activity(0, 1, [slot([0, 1], { sameAs: { activity: 0, slot: 0 } })], {
          predecessors: [{ activity: 0, minLag: 0, maxLag: 1 }],
          follows: 0,
        }),
      ],
    };
    const at = (start: number, unit: number) =>
      codes(
        {
          starts: [-1, start],
          ends: [2, start + 1],
          units: [[0], [unit]],
          objective: Math.max(2, start + 1),
        },
        on,
      );
    expect(at(9, 0)).toEqual([]);
    expect(at(2, 0)).toEqual([]);
    expect(at(1, 0)).toContain('min_lag');
    expect(at(9, 1)).toEqual(['not_the_same']);
  });

  it('does not check decided activities: two fixed activities on one unit are permitted', () => {
    const twice = {
      ...problem,
      activities: [...problem.activities, activity(2, 5, [slot([2])], { fixed: { start: -1, units: [2] } })],
    };
    const arrays = structuredClone(good);
    arrays.starts.push(-1);
    arrays.ends.push(4);
    arrays.units.push([2]);
    expect(codes({ ...arrays, objective: objectiveOf(twice, arrays.ends).total }, twice)).toEqual([]);
  });
});

describe('collisions', () => {
  const stay = fc.record({
    unit: fc.nat(1),
    start: fc.integer({ min: 0, max: 12 }),
    length: fc.nat(4),
    kept: fc.nat(6),
    fixed: fc.boolean(),
    family: fc.nat(2),
  });

  it('are found exactly when comparing all pairs finds one', () => {
    fc.assert(
      fc.property(fc.array(stay, { maxLength: 7 }), (raw) => {
        const stays = raw.map((each): Stay & { family: number } => ({
          unit: each.unit,
          start: each.start,
          end: each.start + each.length,
          keptUntil: each.start + each.length + each.kept,
          fixed: each.fixed,
          rank: 0,
          family: each.family,
        }));
        const meet = (a: (typeof stays)[number], b: (typeof stays)[number]): boolean => {
          if (a.unit !== b.unit || (a.fixed && b.fixed)) return false;
          if (a.start < b.end && b.start < a.end) return true;
          if (a.family === b.family) return false;
          return a.start < b.keptUntil && b.start < a.keptUntil;
        };
        const expected = stays.some((a, index) => stays.slice(index + 1).some((b) => meet(a, b)));
        const found = collisions(stays, (keeper, guest) => keeper.family === guest.family);
        expect(found.length > 0).toBe(expected);
        for (const { first, second } of found) expect(meet(first, second)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
