import { describe, expect, it } from 'vitest';
import { expectedEnd } from '../../src/dispatch/expected-end.js';
import { Durations, rememberedDurations } from '../../src/work/durations.js';

describe('the duration of a task', () => {
  it('is unknown before three observations, and afterwards their median in seconds', () => {
    const durations = new Durations();
    durations.observe('p', 'a', 9_000);
    durations.observe('p', 'a', 1_000);
    expect(durations.of('p', 'a', 5)).toEqual({ expected: 5, declared: 5, learned: null, samples: 2 });
    durations.observe('p', 'a', 2_000);
    expect(durations.of('p', 'a', 5)).toEqual({ expected: 2, declared: 5, learned: 2, samples: 3 });
    durations.observe('p', 'a', 3_000);
    expect(durations.of('p', 'a', 5).learned).toBe(2.5);
  });

  it('counts only the latest 32 observations', () => {
    const durations = new Durations();
    const ms = Array.from({ length: 40 }, (_, index) => (index < rememberedDurations ? 1_000 : 60_000));
    durations.load([{ protocol: 'p', task: 'a', ms }]);
    expect(durations.of('p', 'a', null)).toMatchObject({ learned: 1, samples: 32 });
    for (let n = 0; n < 17; n += 1) durations.observe('p', 'a', 4_000);
    expect(durations.of('p', 'a', null)).toMatchObject({ learned: 4, samples: 32 });
  });

  it('is kept separately for tasks of protocols and on-demand tasks', () => {
    const durations = new Durations();
    for (const ms of [1_000, 1_000, 1_000]) durations.observe('p', 'a', ms);
    for (const ms of [7_000, 7_000, 7_000]) durations.observe(null, 'a', ms);
    expect(durations.of('p', 'a', null).expected).toBe(1);
    expect(durations.of(null, 'a', null).expected).toBe(7);
    expect(durations.of('q', 'a', null).expected).toBeNull();
  });
});

describe('the expected end of a task', () => {
  const start = 1_000_000;

  it('is after its duration, and now when it is a little late', () => {
    expect(expectedEnd(start, 10, start)).toEqual({ end: start + 10_000, overrunAt: start + 10_500 });
    expect(expectedEnd(start, 10, start + 10_300).end).toBe(start + 10_300);
    expect(expectedEnd(start, 100, start).overrunAt).toBe(start + 102_000);
  });

  it('moves by a tenth of the elapsed time, at least a second, when the task takes longer', () => {
    expect(expectedEnd(start, 5, start + 5_500).end).toBe(start + 6_000);
    expect(expectedEnd(start, 100, start + 102_000).end).toBe(start + 110_000);
    expect(expectedEnd(start, 100, start + 112_200).end).toBe(start + 121_000);
  });

  it('is constant between two steps, never in the past, and takes few steps over a week', () => {
    let steps = 0;
    let now = start;
    while (now < start + 7 * 24 * 3_600_000) {
      const { end, overrunAt } = expectedEnd(start, null, now);
      expect(end).toBeGreaterThanOrEqual(now);
      expect(overrunAt).toBeGreaterThan(now);
      expect(expectedEnd(start, null, now + 0.5).overrunAt).toBe(overrunAt);
      now = overrunAt;
      steps += 1;
    }
    expect(steps).toBeLessThan(150);
  });
});
