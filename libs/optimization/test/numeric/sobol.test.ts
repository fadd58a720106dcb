import { describe, expect, it } from 'vitest';
import { directionsOf, ROWS, Sobol, SOBOL_DIMENSIONS } from '../../src/numeric/sobol.js';

const rows = (points: Float64Array, d: number) =>
  Array.from({ length: points.length / d }, (_, i) => [...points.subarray(i * d, (i + 1) * d)]);

/** The odd numbers `m_1, m_2, ...` of a dimension (from 0); its direction numbers are `m_k / 2^k`. */
function directionIntegers(dimension: number, count: number): bigint[] {
  if (dimension === 0) return Array.from({ length: count }, () => 1n);
  const { polynomial, m: first } = ROWS[dimension - 1]!;
  const degree = first.length;
  const m = first.slice(0, count).map(BigInt);
  for (let k = m.length; k < count; k++) {
    let next = m[k - degree]! ^ (m[k - degree]! << BigInt(degree));
    for (let i = 1; i < degree; i++) {
      if ((polynomial >>> (degree - i)) & 1) next ^= m[k - i]! << BigInt(i);
    }
    m.push(next);
  }
  return m;
}

describe('direction numbers', () => {
  it('of 32 bits begin those of more', () => {
    for (let j = 0; j < SOBOL_DIMENSIONS; j++) {
      const expected = directionIntegers(j, 32).map((m, k) => Number(m << BigInt(31 - k)));
      expect([...directionsOf(j)]).toEqual(expected);
    }
  });

  it('are odd and small enough', () => {
    expect(SOBOL_DIMENSIONS).toBe(64);
    for (let j = 0; j < SOBOL_DIMENSIONS; j++) {
      directionIntegers(j, 64).forEach((m, k) => {
        expect(m & 1n).toBe(1n);
        expect(m < 1n << BigInt(k + 1)).toBe(true);
      });
    }
  });

  it('have property A of Sobol in every number of dimensions, as Joe and Kuo chose them', () => {
    // Row j: the first binary digits of the direction numbers of dimension j; regular modulo 2 at every order.
    const matrix = Array.from({ length: SOBOL_DIMENSIONS }, (_, j) =>
      directionIntegers(j, SOBOL_DIMENSIONS).reduce(
        (word, m, k) => word | ((m >> BigInt(k)) << BigInt(k)),
        0n,
      ),
    );
    for (let order = 1; order <= SOBOL_DIMENSIONS; order++) {
      const left = matrix.slice(0, order).map((word) => word & ((1n << BigInt(order)) - 1n));
      for (let bit = 0n; bit < BigInt(order); bit++) {
        const pivot = left.findIndex((word) => (word >> bit) & 1n);
        expect(pivot, `order ${order}`).toBeGreaterThanOrEqual(0);
        const [row] = left.splice(pivot, 1);
        left.forEach((word, i) => {
          if ((word >> bit) & 1n) left[i] = word ^ row!;
        });
      }
    }
  });
});

describe('the plain sequence', () => {
  it('begins as published', () => {
    expect(rows(new Sobol(3).take(10), 3)).toEqual([
      [0, 0, 0],
      [0.5, 0.5, 0.5],
      [0.75, 0.25, 0.25],
      [0.25, 0.75, 0.75],
      [0.375, 0.375, 0.625],
      [0.875, 0.875, 0.125],
      [0.625, 0.125, 0.875],
      [0.125, 0.625, 0.375],
      [0.1875, 0.3125, 0.9375],
      [0.6875, 0.8125, 0.4375],
    ]);
  });
});

describe.each([
  ['plain', undefined],
  ['scrambled', 5],
] as const)('the %s sequence', (_name, seed) => {
  const options = seed === undefined ? {} : { seed };

  it('has one point in each of 2^k equal parts of every axis', () => {
    for (const k of [1, 4, 8, 10]) {
      const points = new Sobol(SOBOL_DIMENSIONS, options).take(2 ** k);
      for (let j = 0; j < SOBOL_DIMENSIONS; j++) {
        const cells = new Set<number>();
        for (let i = 0; i < 2 ** k; i++) cells.add(Math.floor(points[i * SOBOL_DIMENSIONS + j]! * 2 ** k));
        expect(cells.size).toBe(2 ** k);
      }
    }
  });

  it('is a (0, k, 2)-net in its first two dimensions', () => {
    const points = rows(new Sobol(2, options).take(256), 2);
    for (let split = 0; split <= 8; split++) {
      const cells = points.map(
        ([x, y]) => `${Math.floor(x! * 2 ** split)} ${Math.floor(y! * 2 ** (8 - split))}`,
      );
      expect(new Set(cells).size).toBe(256);
    }
  });
});

describe('the scrambled sequence', () => {
  it('repeats itself from the same seed', () => {
    expect(new Sobol(5, { seed: 1 }).take(9)).toEqual(new Sobol(5, { seed: 1 }).take(9));
    expect(new Sobol(5, { seed: 1 }).take(9)).not.toEqual(new Sobol(5, { seed: 2 }).take(9));
    const inPieces = new Sobol(5, { seed: 1 });
    inPieces.take(4);
    expect(inPieces.take(5)).toEqual(new Sobol(5, { seed: 1 }).take(9).slice(20));
  });

  it('has the mean 1/2 in every dimension', () => {
    const points = new Sobol(SOBOL_DIMENSIONS, { seed: 3 }).take(1024);
    for (let j = 0; j < SOBOL_DIMENSIONS; j++) {
      let sum = 0;
      for (let i = 0; i < 1024; i++) sum += points[i * SOBOL_DIMENSIONS + j]!;
      // A digit below the tenth that stays the same has a chance of 1 in 1024 and moves the mean by 2^-12 at most.
      expect(Math.abs(sum / 1024 - 0.5)).toBeLessThan(2 ** -11);
    }
    expect(points.every((value) => value > 0 && value < 1)).toBe(true);
  });

  it('is uniform over seeds', () => {
    let sum = 0;
    let squares = 0;
    for (let seed = 0; seed < 2000; seed++) {
      const value = new Sobol(1, { seed }).take(1)[0]!;
      sum += value;
      squares += value * value;
    }
    expect(Math.abs(sum / 2000 - 0.5)).toBeLessThan(0.03);
    expect(Math.abs(squares / 2000 - 1 / 3)).toBeLessThan(0.03);
  });

  it('integrates a smooth function much better than random points', () => {
    // The product of 6 factors with mean 1; Monte Carlo has a deviation of about 0.03 here.
    const errors = [1, 2, 3, 4, 5].map((seed) => {
      const points = rows(new Sobol(6, { seed }).take(1024), 6);
      const mean = points.reduce((sum, x) => sum + x.reduce((all, u) => all * (0.5 + u), 1), 0) / 1024;
      return Math.abs(mean - 1);
    });
    expect(Math.max(...errors)).toBeLessThan(0.002);
  });
});

it('a sequence with too many dimensions is refused', () => {
  for (const d of [0, 65, 1.5]) expect(() => new Sobol(d)).toThrow('from 1 to 64');
});
