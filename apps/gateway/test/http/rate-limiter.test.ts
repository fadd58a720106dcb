import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/http/rate-limiter.js';

function limiter(perSecond: number, burst: number, maxClients?: number) {
  const clock = { ms: 0 };
  const limiter = new RateLimiter(perSecond, burst, () => clock.ms, maxClients);
  return { clock, limiter, take: (client = 'a') => limiter.take(client) };
}

describe('a client', () => {
  it('may ask as often as its burst at once, and is then told when it may ask again', () => {
    const { clock, take } = limiter(10, 3);
    expect([take(), take(), take()]).toEqual([0, 0, 0]);
    expect(take()).toBeCloseTo(0.1);
    clock.ms = 50;
    expect(take()).toBeCloseTo(0.05);
    clock.ms = 100;
    expect(take()).toBe(0);
    expect(take()).toBeCloseTo(0.1);
  });

  it('that asks no faster than its rate is never refused, and one that asks faster gets its rate', () => {
    const { clock, take } = limiter(10, 3);
    let allowed = 0;
    for (let ms = 0; ms < 10_000; ms += 20) {
      clock.ms = ms;
      if (take() === 0) allowed += 1;
      if (ms % 100 === 0) expect(take('steady')).toBe(0);
    }
    expect(allowed).toBeGreaterThanOrEqual(102);
    expect(allowed).toBeLessThanOrEqual(103);
  });

  it('gathers no more than its burst however long it rests', () => {
    const { clock, take } = limiter(10, 3);
    take();
    clock.ms = 3_600_000;
    expect([take(), take(), take()]).toEqual([0, 0, 0]);
    expect(take()).toBeGreaterThan(0);
  });

  it('is not held back by another one', () => {
    const { take } = limiter(1, 1);
    expect([take('a'), take('b')]).toEqual([0, 0]);
    expect(take('a')).toBe(1);
  });
});

describe('the memory', () => {
  it('is of so many clients at most, and those that were quiet for longest are forgotten', () => {
    const { limiter: bounded, take } = limiter(1, 1, 100);
    take('first');
    for (let index = 0; index < 99; index += 1) take(`client ${index}`);
    expect(take('first')).toBe(1);
    for (let index = 0; index < 10_000; index += 1) {
      take(`other ${index}`);
      if (index % 50 === 0) expect(take('first')).toBe(1);
    }
    expect(bounded.clients).toBe(100);
    expect(take('client 0')).toBe(0);
  });

  it('of nobody is kept where there is no limit', () => {
    const { limiter: open, take } = limiter(Infinity, Infinity);
    for (let index = 0; index < 100; index += 1) expect(take(`client ${index}`)).toBe(0);
    expect(open.clients).toBe(0);
  });
});
