import { describe, expect, it } from 'vitest';
import { Drain } from '../../src/submission/drain.js';

const t0 = Date.UTC(2026, 10, 21);

describe('the time until a place in the queue is free', () => {
  it('is a minute while nothing starts', () => {
    expect(new Drain().secondsPerStart(t0)).toBe(60);
  });

  it.each([
    [1, 60],
    [4, 15],
    [60, 1],
    [6_000, 1],
  ])('after %i starts in a minute is %i s', (starts, seconds) => {
    const drain = new Drain();
    for (let n = 0; n < starts; n += 1) drain.started(t0 + (n * 59_000) / starts);
    expect(drain.secondsPerStart(t0 + 59_500)).toBe(seconds);
  });

  it('ignores starts more than a minute ago', () => {
    const drain = new Drain();
    for (let n = 0; n < 100; n += 1) drain.started(t0 + n);
    expect(drain.secondsPerStart(t0 + 30_000)).toBe(1);
    expect(drain.secondsPerStart(t0 + 60_000)).toBe(60);
    drain.started(t0 + 60_000);
    expect(drain.secondsPerStart(t0 + 60_000)).toBe(60);
  });
});
