import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemWithWitness } from '../problem-with-witness.js';
import { checkSchedule } from '../../src/check-schedule.js';
import { SeededRandom } from '../../src/problem/random.js';
import { BlockOrders } from '../../src/search/block-orders.js';
import { compile } from '../../src/search/compiled-problem.js';
import { Decoder } from '../../src/search/decoder.js';

describe('decoder', () => {
  const sizes = {
    seed: fc.integer(),
    activities: fc.integer({ min: 1, max: 25 }),
    moment: fc.integer({ min: 0, max: 25 }),
  };

  it('makes a valid schedule of any order in which everything finds a place', () => {
    fc.assert(
      fc.property(fc.record(sizes), ({ seed, activities, moment }) => {
        const { problem, witness } = problemWithWitness(seed, { activities, moment });
        expect(checkSchedule(problem, witness)).toEqual([]);
        const compiled = compile(problem);
        const decoder = new Decoder(compiled);
        const random = new SeededRandom(seed);
        const order = new Int32Array(compiled.blocks);
        new BlockOrders(compiled).byKeys(
          Float64Array.from(order, () => random.next()),
          order,
        );
        decoder.decode(order, 0);
        const schedule = decoder.schedule();
        if (schedule.unplaced.length === 0) expect(checkSchedule(problem, schedule)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('decodes an order from its first difference with the same result as from the beginning', () => {
    fc.assert(
      fc.property(fc.record(sizes), ({ seed, activities, moment }) => {
        const { problem } = problemWithWitness(seed, { activities: activities + 20, moment });
        const compiled = compile(problem);
        const orders = new BlockOrders(compiled);
        const random = new SeededRandom(seed);
        const decoder = new Decoder(compiled);
        let kept = new Int32Array(compiled.blocks);
        orders.byKeys(
          Float64Array.from(kept, () => random.next()),
          kept,
        );
        decoder.decode(kept, 0);
        decoder.keep();
        for (let round = 0; round < 8; round++) {
          const order = new Int32Array(compiled.blocks);
          const keys = new Float64Array(compiled.blocks);
          kept.forEach((block, at) => (keys[block] = at + (random.below(4) === 0 ? random.below(10) : 0)));
          orders.byKeys(keys, order);
          let same = 0;
          while (same < order.length && order[same] === kept[same]) same++;
          decoder.decode(order, same);
          const fresh = new Decoder(compiled);
          fresh.decode(order, 0);
          expect(decoder.schedule()).toEqual(fresh.schedule());
          if (random.below(2) === 0) {
            decoder.keep();
            kept = order;
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
