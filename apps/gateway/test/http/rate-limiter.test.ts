import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/http/rate-limiter.js';

function limiter(perSecond: number, burst: number, maxClients?: number) {
  const clock = { ms: 0 };
  const limiter = new RateLimiter(perSecond, burst, () => clock.ms, maxClients);
  return { clock, limiter, take: (client = 'a') => limiter.take(client) };
}

describe('a client', () => {
  it('may send its burst at once and is then told when to retry', () => {
    const { clock, take } = limiter(10, 3);
    expect([take(), take(), take()]).toEqual([0, 0, 0]);
    expect(take()).toBeCloseTo(0.1);
    clock.ms = 50;
    expect(take()).toBeCloseTo(0.05);
    clock.ms = 100;
    expect(take()).toBe(0);
    expect(take()).toBeCloseTo(0.1);
  });

  it('below its rate is never refused, and one above it gets its rate', () => {
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

  it('accumulates at most its burst during a pause', () => {
    const { clock, take } = limiter(10, 3);
    take();
    clock.ms = 3_600_000;
    expect([take(), take(), take()]).toEqual([0, 0, 0]);
    expect(take()).toBeGreaterThan(0);
  });

  it('does not affect another client', () => {
    const { take } = limiter(1, 1);
    expect([take('a'), take('b')]).toEqual([0, 0]);
    expect(take('a')).toBe(1);
  });
});

describe('the memory of clients', () => {
  it('has a maximum, and drops the clients that were quiet longest', () => {
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

  it('stays empty without a limit', () => {
    const { limiter: open, take } = limiter(Infinity, Infinity);
    for (let index = 0; index < 100; index += 1) expect(take(`client ${index}`)).toBe(0);
    expect(open.clients).toBe(0);
  });
});
