import { describe, expect, it } from 'vitest';
import { scheduleOf } from '../../src/faults/plan/schedule.js';
import { shrink } from '../../src/faults/play/shrink.js';
import { simulate, type Outcome } from '../../src/faults/play/simulate.js';

describe('a simulation', () => {
  it('gives the same trace for the same schedule', async () => {
    for (const seed of [3, 11, 42]) {
      const [first, second] = [await simulate(scheduleOf(seed)), await simulate(scheduleOf(seed))];
      expect(second.lines).toEqual(first.lines);
      expect(second.events).toBe(first.events);
      expect(first.lines.length).toBeGreaterThan(20);
    }
  });

  it('gives another trace for another seed', async () => {
    expect((await simulate(scheduleOf(1))).lines).not.toEqual((await simulate(scheduleOf(2))).lines);
  });
});

describe('shrinking', () => {
  it('leaves only the steps that are needed to violate the same invariant', async () => {
    const schedule = scheduleOf(41);
    const faults = schedule.faults.slice(0, 5);
    const culprit = faults[2];
    const failing: Outcome = {
      violations: [{ invariant: 'I1', what: '' }],
      lines: [],
      events: 0,
      reached: new Map(),
    };
    const shrunk = await shrink({ ...schedule, faults }, new Set(['I1']), (candidate) =>
      Promise.resolve(
        culprit !== undefined && candidate.faults.includes(culprit)
          ? failing
          : { ...failing, violations: [] },
      ),
    );
    expect(shrunk.faults).toEqual([culprit]);
    expect(shrunk.acts).toEqual([]);
  });
});
