import { expect, it } from 'vitest';
import type { AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { averaged } from '../../src/acquisition/averaged.js';

/** The mean of acquisition functions in logarithmic units. */

/** `height - slope * sum of squares` at each point, the sum over points; each pending point lowers it by 1. */
class Bowl implements AcquisitionFunction {
  readonly d = 2;

  constructor(
    private readonly height: number,
    private readonly slope: number,
    readonly jointLimit = 4,
  ) {}

  value(points: Float64Array, q: number): number {
    return this.values(points, q).reduce((sum, value) => sum + value, 0);
  }

  values(points: Float64Array, m: number): Float64Array {
    const at = (i: number): number => points[2 * i]! ** 2 + points[2 * i + 1]! ** 2;
    return Float64Array.from({ length: m }, (_, i) => this.height - this.slope * at(i));
  }

  gradient(points: Float64Array, q: number) {
    const own = points.subarray(0, 2 * q);
    return { value: this.value(points, q), gradient: own.map((x) => -2 * this.slope * x) };
  }

  withPending(_: Float64Array, count: number): Bowl {
    return new Bowl(this.height - count, this.slope, this.jointLimit);
  }
}

const both = averaged([new Bowl(1, 0.5), new Bowl(-2, 3, 2)]);
const points = Float64Array.of(0.3, -0.7, 1.1, 0.2);
const logMean = (a: number, b: number): number => Math.log((Math.exp(a) + Math.exp(b)) / 2);

it('is the logarithm of the mean worth', () => {
  const [first, second] = [0.58, 1.25];
  const expected = [first, second].map((squared) => logMean(1 - 0.5 * squared, -2 - 3 * squared));
  const values = both.values(points, 2);
  expected.forEach((value, i) => expect(values[i]).toBeCloseTo(value, 12));
  expect(both.value(points, 2)).toBeCloseTo(logMean(2 - 0.5 * 1.83, -4 - 3 * 1.83), 12);
  expect(both.jointLimit).toBe(2);
});

it('stays finite where one function is far below the other', () => {
  const far = averaged([new Bowl(-1e6, 0), new Bowl(0, 0)]);
  expect(far.values(points, 1)[0]).toBeCloseTo(-Math.LN2, 12);
});

it('has the derivatives of its value', () => {
  const { value, gradient } = both.gradient(points, 2);
  expect(value).toBe(both.value(points, 2));
  gradient.forEach((slope, j) => {
    const moved = (by: number): number => {
      const there = points.slice();
      there[j]! += by;
      return both.value(there, 2);
    };
    expect(slope).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 6);
  });
});

it('passes pending points on to every function', () => {
  const later = both.withPending(points, 2);
  expect(later.value(points, 1)).toBeCloseTo(both.value(points, 1) - 2, 12);
});

it('of one function is this function', () => {
  const one = new Bowl(0, 1);
  expect(averaged([one])).toBe(one);
});
