import { describe, expect, it } from 'vitest';
import { problemWithWitness } from '../problem-with-witness.js';
import { checkSchedule } from '../../src/check-schedule.js';
import type { Activity, Problem, Slot } from '../../src/problem/problem.js';
import { SeededRandom } from '../../src/problem/random.js';
import { repair } from '../repair.js';
import { retime } from '../../src/search/retime.js';

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
const on = (units: number[], of: Partial<Slot> = {}): Slot => ({ units, sameAs: null, keptUntil: [], ...of });
const after = (other: number): Activity['predecessors'] => [{ activity: other, minLag: 0, maxLag: null }];
const problemOf = (activities: Activity[], units = 2): Problem => ({
  activities,
  units,
  runs: [{ weight: 1 }, { weight: 1 }, { weight: 1 }],
  makespanWeight: 1,
});
/** Two runs that keep unit 0 one after the other, while unit 1 serves them in turns. */
const interleaved = (): Problem =>
  problemOf([
    activity({ slots: [on([0], { keptUntil: [2] })] }),
    activity({ predecessors: after(0), slots: [on([1])] }),
    activity({ predecessors: after(1), slots: [on([0], { sameAs: { activity: 0, slot: 0 } })] }),
    activity({ run: 1, slots: [on([1])] }),
    activity({ run: 1, predecessors: after(3), slots: [on([0])] }),
  ]);

describe('retime', () => {
  it('moves nothing to a later moment without a change', () => {
    for (let seed = 1; seed <= 600; seed++) {
      const { problem, witness } = problemWithWitness(seed, {
        activities: 4 + (seed % 17),
        moment: (seed % 3) * 10,
      });
      const schedule = retime(problem, witness);
      expect(schedule, `seed ${seed}`).not.toBeNull();
      expect(checkSchedule(problem, schedule!), `seed ${seed}`).toEqual([]);
      schedule!.starts.forEach((start, index) =>
        expect(start, `seed ${seed}`).toBeLessThanOrEqual(witness.starts[index]!),
      );
      expect(schedule!.units).toEqual(witness.units);
    }
  });

  it('keeps units and sequences when durations and releases change, or reports that it cannot', () => {
    let kept = 0;
    for (let seed = 1; seed <= 600; seed++) {
      const { problem, witness } = problemWithWitness(seed, { activities: 4 + (seed % 17) });
      const random = new SeededRandom(seed);
      const changed = {
        ...problem,
        activities: problem.activities.map((each): Activity => ({
          ...each,
          duration: each.duration === 0 ? 0 : 1 + random.below(2 * each.duration),
          release: each.release + random.below(4),
        })),
      };
      const schedule = retime(changed, witness);
      if (schedule === null) continue;
      kept++;
      expect(checkSchedule(changed, schedule), `seed ${seed}`).toEqual([]);
      expect(schedule.units).toEqual(witness.units);
    }
    expect(kept).toBeGreaterThan(400);
  });

  it('keeps runs interleaved when one of their tasks takes longer', () => {
    const problem = interleaved();
    const before = { starts: [0, 10, 20, 0, 30], units: [[0], [1], [0], [1], [0]] };
    expect(retime(problem, before)?.starts).toEqual([0, 10, 20, 0, 30]);
    const activities = problem.activities.map((each, index) =>
      index === 3 ? { ...each, duration: 14 } : each,
    );
    expect(retime({ ...problem, activities }, before)?.starts).toEqual([0, 14, 24, 0, 34]);
  });

  it('detects a lost unit, a sequence that contradicts decisions, and an activity without a place', () => {
    const problem = interleaved();
    const before = { starts: [0, 10, 20, 0, 30], units: [[0], [1], [0], [1], [0]] };
    expect(retime(problem, { ...before, units: [[0], [2], [0], [1], [0]] })).toBeNull();
    expect(retime(problem, { ...before, units: [[0], [1], [0], [1], []] })).toBeNull();
    const decided = problem.activities.map((each, index) =>
      index === 4 ? { ...each, fixed: { start: 15, units: [0] } } : each,
    );
    expect(retime({ ...problem, activities: decided }, before)).toBeNull();
    expect(retime(problem, { ...before, starts: [0, 10, 20, 0, 5] })).toBeNull();
  });
});

describe('repair', () => {
  it('is no worse than the earlier schedule without a change', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { problem, witness } = problemWithWitness(seed, { activities: 4 + (seed % 17), moment: 10 });
      const schedule = repair(problem, witness);
      expect(checkSchedule(problem, schedule), `seed ${seed}`).toEqual([]);
      expect(schedule.objective).toBeLessThanOrEqual(witness.objective);
    }
  });

  it('puts a new run into the gaps of the planned ones', () => {
    const planned = interleaved();
    const problem = {
      ...planned,
      activities: [...planned.activities, activity({ run: 2, duration: 5, slots: [on([1])] })],
    };
    const schedule = repair(problem, {
      starts: [0, 10, 20, 0, 30, 99],
      units: [[0], [1], [0], [1], [0], []],
    });
    expect(checkSchedule(problem, schedule)).toEqual([]);
    expect(schedule.starts).toEqual([0, 10, 20, 0, 30, 20]);
  });
});
