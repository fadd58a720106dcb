import { describe, expect, it } from 'vitest';
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
