import { describe, expect, it } from 'vitest';
import { Rng, type RngState } from '../../src/numeric/rng.js';

const take = (count: number, rng: Rng) => Array.from({ length: count }, () => rng.uniform());

describe('sfc32', () => {
  it('gives the words of its definition', () => {
    const rng = Rng.restored([0, 0, 0, 1]);
    expect([rng.word(), rng.word(), rng.word(), rng.word()]).toEqual([1, 2, 12, 18_874_399]);
  });

  it('repeats itself from the same seed and from a state that went through JSON', () => {
    expect(take(20, Rng.seeded(7))).toEqual(take(20, Rng.seeded(7)));
    expect(take(20, Rng.seeded('7'))).not.toEqual(take(20, Rng.seeded(7)));
    expect(take(20, Rng.seeded(7.5))).not.toEqual(take(20, Rng.seeded(7)));
    const rng = Rng.seeded('mix');
    take(13, rng);
    const state = JSON.parse(JSON.stringify(rng.state())) as RngState;
    expect(take(20, Rng.restored(state))).toEqual(take(20, rng));
  });

  it('forks by label without a change of its state', () => {
    const rng = Rng.seeded(1);
    const before = rng.state();
    const [a, again, b] = [rng.fork('a'), rng.fork('a'), rng.fork('b')];
    expect(rng.state()).toEqual(before);
    const first = take(5, a);
    expect(take(5, again)).toEqual(first);
    expect(take(5, b)).not.toEqual(first);
    rng.word();
    expect(take(5, rng.fork('a'))).not.toEqual(first);
  });

  it('refuses an invalid state', () => {
    for (const state of [
      [1, 2, 3],
      [1, 2, 3, -1],
      [1, 2, 3, 0.5],
      [1, 2, 3, 2 ** 32],
    ]) {
      expect(() => Rng.restored(state as unknown as RngState)).toThrow('four whole numbers');
    }
  });
});

describe('random numbers', () => {
  it('are uniform in mean, variance and 100 classes', () => {
    const count = 100_000;
    const classes = new Float64Array(100);
    let sum = 0;
    for (const u of take(count, Rng.seeded(3))) {
      classes[Math.floor(u * 100)]!++;
      sum += u;
    }
    expect(Math.abs(sum / count - 0.5)).toBeLessThan(4 * Math.sqrt(1 / 12 / count));
    expect(classes.reduce((total, seen) => total + seen, 0)).toBe(count);
    // Chi-square with 99 degrees of freedom; 5 deviations.
    const chi = classes.reduce((total, seen) => total + (seen - count / 100) ** 2 / (count / 100), 0);
    expect(Math.abs(chi - 99)).toBeLessThan(5 * Math.sqrt(198));
  });

  it('are normal in four moments', () => {
    const values = Rng.seeded(4).normals(100_000);
    const moment = (k: number) => values.reduce((sum, value) => sum + value ** k, 0) / values.length;
    expect(values.every(Number.isFinite)).toBe(true);
    expect(Math.abs(moment(1))).toBeLessThan(0.02);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.03);
    expect(Math.abs(moment(3))).toBeLessThan(0.06);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.2);
  });

  it('draw whole numbers and orders evenly', () => {
    const rng = Rng.seeded(5);
    const seen = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = rng.shuffle(['a', 'b', 'c']).join('');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    for (const count of seen.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
    expect(new Set(Array.from({ length: 200 }, () => rng.below(5)))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect([...rng.shuffle(Float64Array.of(1, 2, 3))].sort()).toEqual([1, 2, 3]);
  });
});
