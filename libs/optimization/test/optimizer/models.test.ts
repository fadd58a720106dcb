import { describe, expect, it } from 'vitest';
import type { AcquisitionFunction } from '../../src/acquisition/acquisition.js';
import { Rng } from '../../src/numeric/index.js';
import { AvoidingFailures } from '../../src/optimizer/failures.js';
import { inUnits } from '../../src/optimizer/models.js';

describe('a normal variable in the unit of an output', () => {
  it('keeps mean and deviation under a linear map', () => {
    const map = { toModel: (y: number) => (y - 7) / 3, fromModel: (z: number) => 7 + 3 * z, slope: () => 3 };
    const { mean, deviation } = inUnits(map, 0.4, 0.2);
    expect(mean).toBeCloseTo(8.2, 12);
    expect(deviation).toBeCloseTo(0.6, 7);
  });

  it('has the moments of the log-normal distribution under the exponential', () => {
    const map = { toModel: Math.log, fromModel: Math.exp, slope: Math.exp };
    const { mean, deviation } = inUnits(map, 0.3, 0.5);
    expect(mean).toBeCloseTo(Math.exp(0.3 + 0.125), 5);
    expect(deviation).toBeCloseTo(Math.exp(0.425) * Math.sqrt(Math.exp(0.25) - 1), 4);
  });

  it('is exact without uncertainty', () => {
    const map = { toModel: Math.log, fromModel: Math.exp, slope: Math.exp };
    expect(inUnits(map, 1, 0)).toEqual({ mean: Math.E, deviation: 0 });
  });
});

/** The sum of all columns, a simple test function. */
class Sum implements AcquisitionFunction {
  readonly d = 3;
  readonly jointLimit = 4;
  value(points: Float64Array): number {
    return points.reduce((sum, value) => sum + value, 0);
  }
  values(points: Float64Array, m: number): Float64Array {
    return Float64Array.from({ length: m }, (_, i) =>
      this.value(points.subarray(i * this.d, (i + 1) * this.d)),
    );
  }
  gradient(points: Float64Array) {
    return { value: this.value(points), gradient: new Float64Array(points.length).fill(1) };
  }
  withPending(): AcquisitionFunction {
    return this;
  }
}

describe('failures', () => {
  const rng = Rng.seeded('failures');
  const failed = [0, 1].map(() => Float64Array.from({ length: 3 }, () => rng.uniform()));
  const shunning = new AvoidingFailures(new Sum(), failed);

  it('reduce the value of nearby points almost to zero, and of distant points not at all', () => {
    const plain = new Sum();
    const lost = (row: Float64Array) => plain.value(row) - shunning.value(row, 1);
    expect(lost(failed[0]!)).toBeGreaterThan(-Math.log(0.011));
    expect(lost(Float64Array.of(3, 3, 3))).toBeLessThan(1e-6);
  });

  it('have a gradient that agrees with differences, also with pending points', () => {
    for (const acquisition of [shunning, shunning.withPending(failed[0]!, 1)]) {
      const points = Float64Array.from({ length: 6 }, (_, i) => failed[0]![i % 3]! + 0.1 * rng.normal());
      const { value, gradient } = acquisition.gradient(points, 2);
      expect(value).toBe(acquisition.value(points, 2));
      const alone = [0, 1].map((i) => acquisition.value(points.subarray(3 * i, 3 * i + 3), 1));
      expect([...acquisition.values(points, 2)]).toEqual(alone);
      points.forEach((at, j) => {
        const shifted = (by: number) =>
          acquisition.value(
            points.map((x, i) => (i === j ? at + by : x)),
            2,
          );
        const difference = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
        expect(Math.abs(difference - gradient[j]!)).toBeLessThan(1e-5 * (1 + Math.abs(difference)));
      });
    }
  });
});
