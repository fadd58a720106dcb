import { describe, expect, it } from 'vitest';
import { fatMax, fatPlus, fatPlusSlope, fatStep, fatStepSlope } from '../../src/acquisition/smooth.js';

const points = [-1e6, -40, -3, -0.7, -1e-3, 0, 1e-3, 0.4, 2, 36, 700, 1e6];

describe('smooth forms', () => {
  it('are close to the functions that they replace, and above 0 everywhere', () => {
    for (const x of points) {
      expect(Math.abs(fatPlus(x, 1e-6) - Math.max(0, x))).toBeLessThan(1e-6);
      expect(fatPlus(x, 1e-6)).toBeGreaterThan(0);
      expect(fatStep(x, 1)).toBeGreaterThan(0);
      expect(fatStep(x, 1)).toBeLessThanOrEqual(1);
    }
    expect(fatStep(0, 1)).toBeCloseTo(0.5, 14);
    expect(fatStep(-1e-9, 1) - fatStep(1e-9, 1)).toBeCloseTo(0, 8);
  });

  it('have correct derivatives', () => {
    for (const x of points.filter((value) => Math.abs(value) < 100)) {
      const h = 1e-5;
      expect(fatPlusSlope(x, 1)).toBeCloseTo((fatPlus(x + h, 1) - fatPlus(x - h, 1)) / (2 * h), 7);
      expect(fatStepSlope(x, 1)).toBeCloseTo((fatStep(x + h, 1) - fatStep(x - h, 1)) / (2 * h), 7);
      expect(fatPlusSlope(x, 1)).not.toBe(0);
      expect(fatStepSlope(x, 1)).not.toBe(0);
    }
    const values = Float64Array.of(0.3, 0.31, -2, 0.305);
    const weights = new Float64Array(4);
    const spare = new Float64Array(4);
    fatMax(values, 4, 1e-2, weights);
    expect(weights.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 14);
    values.forEach((value, i) => {
      const h = 1e-7;
      values[i] = value + h;
      const above = fatMax(values, 4, 1e-2, spare);
      values[i] = value - h;
      const below = fatMax(values, 4, 1e-2, spare);
      values[i] = value;
      expect(weights[i]).toBeCloseTo((above - below) / (2 * h), 6);
    });
  });
});
