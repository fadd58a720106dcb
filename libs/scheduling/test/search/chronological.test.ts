import { describe, expect, it } from 'vitest';
import { problemWithWitness } from '../problem-with-witness.js';
import { checkSchedule } from '../../src/check-schedule.js';
import type { Activity, Problem } from '../../src/problem/problem.js';
import { SeededRandom } from '../../src/problem/random.js';
import { BlockOrders } from '../../src/search/block-orders.js';
import { ChronologicalDecoder } from '../../src/search/chronological.js';
import { compile } from '../../src/search/compiled-problem.js';
import { dispatchInto } from '../../src/search/dispatch.js';
import { improve } from '../../src/search/improve.js';
import { construct } from '../../src/search/list-heuristics.js';
import { decoderOf } from '../../src/search/rescue.js';
import { constructInto } from '../../src/search/run-orders.js';

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

/** Runs that keep one of three stations from their first to their last task, with one arm and a washer between. */
function stations(runs: number): Problem {
  const activities = Array.from({ length: runs }, (_, run) => {
    const first = 4 * run;
    const station = { units: [0, 1, 2], sameAs: { activity: first, slot: 0 }, keptUntil: [] };
    return [
      activity({ run, duration: 8, slots: [{ ...station, sameAs: null, keptUntil: [first + 3] }] }),
      activity({ run, duration: 3, predecessors: after(first), slots: on([3]) }),
      activity({ run, duration: 4, predecessors: after(first + 1), slots: on([4]) }),
      activity({ run, duration: 2, predecessors: after(first + 2), slots: [station, ...on([3])] }),
    ];
  }).flat();
  return {
    activities,
    units: 5,
    runs: Array.from({ length: runs }, () => ({ weight: 1 })),
    makespanWeight: runs,
  };
}

describe('ChronologicalDecoder', () => {
  it('makes a valid schedule of any order in which everything finds a place', () => {
    let complete = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const { problem } = problemWithWitness(seed, {
        activities: 4 + (seed % 17),
        moment: (seed % 3) * 10,
      });
      const compiled = compile(problem, [], true);
      const decoder = new ChronologicalDecoder(compiled);
      const orders = new BlockOrders(compiled);
      const random = new SeededRandom(seed);
      const order = new Int32Array(compiled.blocks);
      for (let nth = 0; nth < 3; nth++) {
        orders.byKeys(
          Array.from({ length: compiled.blocks }, () => random.next()),
          order,
        );
        decoder.decode(order);
        const { unplaced, ...schedule } = decoder.schedule();
        expect(unplaced.length === 0).toBe(decoder.placedCount === compiled.blocks);
        if (unplaced.length > 0) continue;
        complete++;
        expect(checkSchedule(problem, schedule), `seed ${seed}`).toEqual([]);
        expect(decoder.objective).toBe(schedule.objective);
        decoder.decode(order);
        expect(decoder.schedule()).toEqual({ ...schedule, unplaced });
      }
    }
    expect(complete).toBeGreaterThan(500);
  });

  it('reports a deadlock of runs that keep units of one another, and then permits fewer holds at a time', () => {
    const run = (index: number, own: number, other: number): Activity[] => [
      activity({ run: index, slots: on([own], [2 * index + 1]) }),
      activity({ run: index, predecessors: after(2 * index), slots: on([other]) }),
    ];
    const problem: Problem = {
      activities: [...run(0, 0, 1), ...run(1, 1, 0)],
      units: 2,
      runs: [{ weight: 1 }, { weight: 1 }],
      makespanWeight: 1,
    };
    const decoder = new ChronologicalDecoder(compile(problem, [], true));
    decoder.decode(Int32Array.from([0, 1, 2, 3]));
    expect(decoder.placedCount).toBe(2);
    dispatchInto(decoder);
    const { unplaced, ...schedule } = decoder.schedule();
    expect(unplaced).toEqual([]);
    expect(checkSchedule(problem, schedule)).toEqual([]);
    expect(schedule.ends).toEqual([10, 20, 30, 40]);
  });
});

describe('runs that keep units for a long time', () => {
  it('interleave in constructed and improved schedules', () => {
    const problem = stations(9);
    const built = construct(problem);
    expect(built.unplaced).toEqual([]);
    expect(checkSchedule(problem, built)).toEqual([]);
    const blocks = decoderOf(problem);
    constructInto(blocks);
    expect(built.objective).toBeLessThan(blocks.objective);
    const better = improve(problem, { seed: 1, rounds: 300, shouldStop: () => false });
    expect(checkSchedule(problem, better.schedule)).toEqual([]);
    expect(better.schedule.objective).toBeLessThanOrEqual(built.objective);
  });
});
