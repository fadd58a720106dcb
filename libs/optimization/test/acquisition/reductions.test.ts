import { describe, expect, it } from 'vitest';
import { logImprovement } from '../../src/acquisition/reductions.js';

describe('the logarithm of the mean improvement', () => {
  const of = (utility: number[], incumbent: number, feasibility = utility.map(() => 1)) =>
    logImprovement(new Float64Array(utility.length).fill(incumbent))(
      {
        count: utility.length,
        q: 1,
        utility: Float64Array.from(utility),
        feasibility: Float64Array.from(feasibility),
      },
      true,
    );

  it('equals that of the mean where samples improve, weighed by the probability of satisfying the thresholds', () => {
    const { value, dUtility, dLogFeasibility } = of([1, 3], 0.5, [1, 0.5]);
    expect(value).toBeCloseTo(Math.log((0.5 + 2.5 * 0.5) / 2), 6);
    expect(dUtility[0]).toBeCloseTo(1 / 1.75, 6);
    expect(dUtility[1]).toBeCloseTo(0.5 / 1.75, 6);
    expect(dLogFeasibility[1]).toBeCloseTo(1.25 / 1.75, 6);
  });

  // The tail falls like 1e-7 over the square of the distance in units of 1e-6. At the end it is too small to be added
  // up.
  it.each([1e3, 1e60, 1e130, 1e140, 1e146])('is finite %d below the value to improve', (gap) => {
    const { value, dUtility } = of([0, 0], gap);
    expect(value / (Math.log(1e-7) - 2 * Math.log(gap / 1e-6))).toBeCloseTo(1, 10);
    if (gap < 1e90) expect(((dUtility[0]! + dUtility[1]!) * gap) / 2).toBeCloseTo(1, 6);
  });
});
