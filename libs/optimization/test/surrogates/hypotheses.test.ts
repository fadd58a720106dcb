import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { Evidence, limitsOf, type NoisePrior, type Problem } from '../../src/surrogates/evidence.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';
import { drawHyperparameters } from '../../src/surrogates/hypotheses.js';

/** Draws of hyperparameters from their posterior. */

const problem: Problem = {
  rows: Float64Array.of(0.05, 0.2, 0.4, 0.55, 0.8, 0.95),
  z: Float64Array.of(-1.2, -0.5, 0.9, 1.3, 0.1, -0.6),
  n: 6,
  shape: 'matern52',
  groups: { of: Int32Array.of(0), count: 1 },
};
const start = Float64Array.of(-1, 0, -4);
const draw = (count: number, seed: number, stop = () => false): Float64Array[] =>
  drawHyperparameters(problem, 'lognormal', start, count, Rng.seeded(seed), stop);

/** Mean and standard deviation of each coordinate, by sums over a grid of 40 x 40 x 40 points. */
function byGrid(noisePrior: NoisePrior): { mean: number[]; deviation: number[] } {
  const { lower, upper } = limitsOf(problem.groups, noisePrior);
  const evidence = new Evidence(problem, noisePrior);
  const steps = 40;
  const at = (k: number, i: number): number => lower[k]! + ((upper[k]! - lower[k]!) * (i + 0.5)) / steps;
  const [weights, sums, squares] = [[0], [0, 0, 0], [0, 0, 0]];
  for (let i = 0; i < steps ** 3; i++) {
    const theta = [Math.floor(i / steps ** 2), Math.floor(i / steps) % steps, i % steps].map((j, k) =>
      at(k, j),
    );
    const weight = Math.exp(-evidence.negative(Float64Array.from(theta)));
    weights[0]! += weight;
    theta.forEach((value, k) => {
      sums[k]! += weight * value;
      squares[k]! += weight * value * value;
    });
  }
  const mean = sums.map((sum) => sum / weights[0]!);
  return { mean, deviation: squares.map((sum, k) => Math.sqrt(sum / weights[0]! - mean[k]! ** 2)) };
}

describe('hyperparameters that are drawn', () => {
  it('have the mean and the deviation of their posterior', () => {
    const draws = draw(3000, 1);
    const { mean, deviation } = byGrid('lognormal');
    for (const k of [0, 1, 2]) {
      const average = draws.reduce((sum, theta) => sum + theta[k]!, 0) / draws.length;
      const spread = Math.sqrt(
        draws.reduce((sum, theta) => sum + (theta[k]! - average) ** 2, 0) / draws.length,
      );
      expect(Math.abs(average - mean[k]!)).toBeLessThan(0.15 * deviation[k]!);
      expect(spread / deviation[k]!).toBeGreaterThan(0.85);
      expect(spread / deviation[k]!).toBeLessThan(1.15);
    }
  });

  it('depend on the seed alone, and keep the limits', () => {
    expect(draw(20, 2)).toEqual(draw(20, 2));
    expect(draw(20, 2)).not.toEqual(draw(20, 3));
    const { lower, upper } = limitsOf(problem.groups, 'lognormal');
    for (const theta of draw(200, 4)) {
      theta.forEach((value, k) => {
        expect(value).toBeGreaterThanOrEqual(lower[k]!);
        expect(value).toBeLessThanOrEqual(upper[k]!);
      });
    }
  });

  it('are fewer when the time ends', () => {
    let asked = 0;
    // Nine rounds of three hyperparameters.
    expect(draw(20, 2, () => ++asked > 27)).toHaveLength(3);
    expect(draw(20, 2, () => true)).toEqual([]);
  });
});

describe('a Gaussian process', () => {
  const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };
  const rows = Float64Array.from({ length: 30 }, (_, i) => (i + 0.5) / 30);
  const y = rows.map((x, i) => Math.sin(7 * x) + (i === 4 ? 40 : 0) + 0.05 * (i % 3));

  it('has hypotheses of the same observations in the same scale, without those in doubt', () => {
    const process = fitGaussianProcess(rows, y, 30, 1, options);
    expect(process.choices?.doubted).toEqual([4]);
    const hypotheses = process.hypotheses(3, options);
    expect(hypotheses).toHaveLength(3);
    for (const each of hypotheses) {
      expect(each.output).toBe(process.output);
      expect(each.choices?.doubted).toEqual([4]);
      expect(each.hyperparameters.theta).not.toEqual(process.hyperparameters.theta);
      const [mean = NaN] = each.posterior(rows.subarray(4, 5), 1).mean;
      expect(each.output.fromModel(mean)).toBeLessThan(5);
    }
  });

  it('has none without time', () => {
    const process = fitGaussianProcess(rows, y, 30, 1, options);
    expect(process.hypotheses(3, { ...options, timeLimitMs: 0 })).toEqual([]);
  });
});
