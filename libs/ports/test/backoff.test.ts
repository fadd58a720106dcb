import { describe, expect, it } from 'vitest';
import { Backoff, backoffMs } from '../src/index.js';

describe('backoffMs', () => {
  it('multiplies the wait by the factor after each failure, up to the longest wait', () => {
    const limits = { first: 100, longest: 1_000 };
    expect([1, 2, 3, 4, 5, 400].map((failures) => backoffMs(failures, limits))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(backoffMs(3, { ...limits, factor: 3 })).toBe(900);
  });
});

describe('Backoff', () => {
  it('makes a key due after its wait, and at once after it is cleared', () => {
    const backoff = new Backoff({ first: 100, longest: 1_000 });
    expect(backoff.isDue('a', 0)).toBe(true);
    expect(backoff.failed('a', 0)).toBe(1);
    expect(backoff.failed('a', 0)).toBe(2);
    expect([backoff.isDue('a', 199), backoff.isDue('a', 200)]).toEqual([false, true]);
    backoff.clear('a');
    expect(backoff.isDue('a', 0)).toBe(true);
  });

  it('names the next time at which a key becomes due, and forgets keys that are not kept', () => {
    const backoff = new Backoff({ first: 100, longest: 1_000 });
    backoff.failed('a', 0);
    backoff.failed('b', 50);
    expect(backoff.next(0)).toBe(100);
    expect(backoff.next(100)).toBe(150);
    backoff.prune((key) => key === 'a');
    expect(backoff.next(100)).toBeUndefined();
  });
});
