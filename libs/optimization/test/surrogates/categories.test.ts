import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { fitWithDescriptors, type Descriptors } from '../../src/surrogates/categories.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';

const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };
const CATEGORIES = 8;
/** One number in [0, 1], then eight categories, whose property decides the result. */
const inputOf = [0, ...Array.from({ length: CATEGORIES }, () => 1)];
const property = [0, 0.9, 0.15, 0.7, 0.4, 1, 0.55, 0.25];
const described: Descriptors = [null, ...property.map((value) => [value])];
const misleading: Descriptors = [null, ...property.map((_, k) => [((k * 5) % 8) / 7, k % 2])];

/** Rows with these categories, `n x 9`. */
function rowsOf(categories: readonly number[], seed: number): Float64Array {
  const rng = Rng.seeded(seed);
  const rows = new Float64Array(categories.length * 9);
  categories.forEach((category, i) => {
    rows[i * 9] = rng.uniform();
    rows[i * 9 + 1 + category] = 1;
  });
  return rows;
}
const resultsOf = (rows: Float64Array): Float64Array =>
  Float64Array.from({ length: rows.length / 9 }, (_, i) => {
    const category = rows.subarray(i * 9 + 1, i * 9 + 9).indexOf(1);
    return Math.sin(4 * property[category]!) + 0.3 * rows[i * 9]!;
  });

// Category 4 was never measured.
const n = 14;
const seen = Array.from({ length: n }, (_, i) => [0, 1, 2, 3, 5, 6, 7][i % 7]!);
const rows = rowsOf(seen, 1);
const y = resultsOf(rows);
const unseen = rowsOf([4, 4, 4], 2);
const fit = (descriptors: Descriptors) =>
  fitWithDescriptors(rows, y, n, 9, { ...options, inputOf, descriptors });

describe('descriptors', () => {
  it('predict a category that was never measured', () => {
    const model = fit(described);
    const { mean } = model.posterior(unseen, 3);
    resultsOf(unseen).forEach((value, i) => {
      expect(Math.abs(model.output.fromModel(mean[i]!) - value)).toBeLessThan(0.1);
    });
    expect(model.relevance![1]).toBeGreaterThan(0);
    expect(model.leaveOneOut().r2).toBeGreaterThan(0.98);
    const { mean: blind } = fit(inputOf.map(() => null)).posterior(unseen, 3);
    expect(Math.abs(model.output.fromModel(blind[0]!) - resultsOf(unseen)[0]!)).toBeGreaterThan(0.3);
  });

  it('do little harm when they mislead, and none when there are none', () => {
    const plain = fitGaussianProcess(rows, y, n, 9, { ...options, inputOf });
    expect(fit(misleading).leaveOneOut().r2).toBeGreaterThan(plain.leaveOneOut().r2 - 0.02);
    const { mean } = fit(inputOf.map(() => null)).posterior(unseen, 3);
    expect(mean).toEqual(plain.posterior(unseen, 3).mean);
  });

  it('keep the derivatives of mean, covariance and cross covariance with respect to encoded rows', () => {
    const model = fit(described);
    const stay = rowsOf([2, 5], 3);
    const points = rowsOf([4, 1], 4);
    const beside = model.beside(stay, 2);
    const dMean = Float64Array.of(1, -2);
    const dCovariance = Float64Array.of(0.5, 1, 1, -1);
    const dCross = Float64Array.of(1, 0, -0.5, 2);
    const total = (at: Float64Array): number => {
      const { mean, covariance, cross } = beside.posterior(at, 2);
      const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
      return dot(mean, dMean) + dot(covariance, dCovariance) + dot(cross, dCross);
    };
    beside
      .posterior(points, 2)
      .backward(dMean, dCovariance, dCross)
      .forEach((slope, j) => {
        const moved = (by: number) => total(points.map((value, at) => (at === j ? value + by : value)));
        expect(slope).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 5);
      });
    const { mean } = model.posterior(points, 2);
    expect(beside.marginals(points, 2).mean).toEqual(mean);
    expect(model.means(points, 2)).toEqual(mean);
  });
});
