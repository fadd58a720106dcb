import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';

/** A clock that stands still, so that no time limit is reached. */
const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };

function data(n: number, d: number, f: (x: Float64Array) => number, seed = 1) {
  const rng = Rng.seeded(seed);
  const rows = Float64Array.from({ length: n * d }, () => rng.uniform());
  return { rows, y: Float64Array.from({ length: n }, (_, i) => f(rows.subarray(i * d, (i + 1) * d))) };
}

const finite = (values: Float64Array) => values.every(Number.isFinite);

describe('a fitted Gaussian process', () => {
  const smooth = (x: Float64Array) => Math.sin(5 * x[0]!) + x[1]! * x[1]!;

  it('predicts a smooth function and identifies the important inputs', () => {
    const { rows, y } = data(40, 3, smooth);
    const gp = fitGaussianProcess(rows, y, 40, 3, options);
    const test = data(50, 3, smooth, 2);
    const { mean } = gp.posterior(test.rows, 50);
    const error = mean.map((value, i) => Math.abs(gp.output.fromModel(value) - test.y[i]!));
    expect(Math.max(...error)).toBeLessThan(0.1);
    expect(gp.leaveOneOut().r2).toBeGreaterThan(0.99);
    expect(gp.relevance[0]).toBeGreaterThan(5 * gp.relevance[2]!);
    expect(gp.timedOut).toBe(false);
  });

  it('is the same for the same seed, and equal within rounding for another unit or order', () => {
    const { rows, y } = data(15, 2, smooth);
    const first = fitGaussianProcess(rows, y, 15, 2, options);
    expect(fitGaussianProcess(rows, y, 15, 2, options).hyperparameters).toEqual(first.hyperparameters);

    const points = data(4, 2, smooth, 3).rows;
    const unscaled = first.posterior(points, 4).mean.map((z) => first.output.fromModel(z));
    const milli = y.map((value) => 1000 * value);
    const scaled = fitGaussianProcess(rows, milli, 15, 2, options);
    scaled.posterior(points, 4).mean.forEach((z, a) => {
      expect(scaled.output.fromModel(z) / 1000).toBeCloseTo(unscaled[a]!, 4);
    });
    const backwards = fitGaussianProcess(
      Float64Array.from({ length: 30 }, (_, at) => rows[(14 - (at >> 1)) * 2 + (at & 1)]!),
      y.slice().reverse(),
      15,
      2,
      options,
    );
    backwards.posterior(points, 4).mean.forEach((z, a) => {
      expect(backwards.output.fromModel(z)).toBeCloseTo(unscaled[a]!, 4);
    });
  });

  it('treats an output without noise as exact, unless replicates contradict each other', () => {
    const { rows, y } = data(40, 2, smooth);
    const exact = fitGaussianProcess(rows, y, 40, 2, { ...options, warping: 'none' });
    expect(exact.noise ** 2).toBeLessThan(1e-5);
    rows.set(rows.subarray(0, 2), 2);
    y[1] = y[0]! + 0.01;
    const noisy = fitGaussianProcess(rows, y, 40, 2, { ...options, warping: 'none' });
    expect(noisy.noise ** 2).toBeGreaterThanOrEqual(0.99e-4);
  });

  it('finds the noise of noisy data', () => {
    const rng = Rng.seeded(4);
    const { rows, y } = data(80, 2, (x) => smooth(x) + 0.2 * rng.normal());
    const gp = fitGaussianProcess(rows, y, 80, 2, { ...options, warping: 'none' });
    const deviation = gp.noise * (gp.output.fromModel(1) - gp.output.fromModel(0));
    expect(deviation).toBeGreaterThan(0.15);
    expect(deviation).toBeLessThan(0.25);
  });

  it('gives the columns of one categorical input one common relevance while that predicts as well', () => {
    const level = [0, 2, -1];
    const rng = Rng.seeded(2);
    const rows = new Float64Array(30 * 4);
    const y = new Float64Array(30);
    for (let i = 0; i < 30; i++) {
      const category = rng.below(3);
      rows[4 * i] = rng.uniform();
      rows[4 * i + 1 + category] = 1;
      y[i] = Math.sin(4 * rows[4 * i]!) + level[category]!;
    }
    const gp = fitGaussianProcess(rows, y, 30, 4, { ...options, inputOf: [0, 1, 1, 1] });
    expect(gp.relevance[1]).toBe(gp.relevance[3]);
    expect(gp.leaveOneOut().r2).toBeGreaterThan(0.98);
  });

  it('gives each category its own relevance where that predicts better', () => {
    const rng = Rng.seeded(2);
    const rows = new Float64Array(60 * 7);
    const y = new Float64Array(60);
    for (let i = 0; i < 60; i++) {
      const category = rng.below(6);
      rows[7 * i] = rng.uniform();
      rows[7 * i + 1 + category] = 1;
      // Five categories are alike.
      y[i] = category === 5 ? 3 - Math.cos(9 * rows[7 * i]!) : Math.sin(12 * rows[7 * i]!);
    }
    const gp = fitGaussianProcess(rows, y, 60, 7, {
      ...options,
      inputOf: [0, 1, 1, 1, 1, 1, 1],
      warping: 'none',
    });
    expect(new Set(gp.relevance.subarray(1)).size).toBe(6);
    expect(gp.leaveOneOut().r2).toBeGreaterThan(0.95);
  });

  it('learns from a part of many observations and predicts from all', () => {
    const { rows, y } = data(350, 2, smooth);
    const gp = fitGaussianProcess(rows, y, 350, 2, { ...options, warping: 'none' });
    const { mean } = gp.posterior(rows, 350);
    const error = mean.map((value, i) => Math.abs(gp.output.fromModel(value) - y[i]!));
    expect(Math.max(...error)).toBeLessThan(0.01);
    expect(gp.leaveOneOut().mean.length).toBe(350);
  });

  it('obeys its time limit and reports it', () => {
    const { rows, y } = data(60, 4, (x) => Math.exp(3 * x[0]!) + x[1]! * x[2]!);
    let clock = 0;
    const gp = fitGaussianProcess(rows, y, 60, 4, { seed: 1, timeLimitMs: 5, now: () => clock++ });
    expect(gp.timedOut).toBe(true);
    expect(clock).toBeLessThan(10);
    expect(finite(gp.posterior(rows, 3).covariance)).toBe(true);
  });
});

describe('poor data', () => {
  it.each([
    ['one observation', [0.3, 0.4], [5]],
    ['one observation of zero', [0.3, 0.4], [0]],
    ['a constant output', [0.1, 0.2, 0.5, 0.5, 0.9, 0.1], [7, 7, 7]],
    ['equal points with different results', [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [1, 2, 3]],
    ['very large results', [0.1, 0.2, 0.5, 0.5, 0.9, 0.1], [1e307, -1e308, 3e307]],
    ['very small results', [0.1, 0.2, 0.5, 0.5, 0.9, 0.1], [1e-307, -1e-308, 0]],
  ])('of %s give finite predictions', (_, rows, y) => {
    const n = y.length;
    const gp = fitGaussianProcess(Float64Array.from(rows), Float64Array.from(y), n, 2, options);
    const points = Float64Array.from([0.3, 0.4, 0.8, 0.8]);
    const posterior = gp.posterior(points, 2);
    expect(finite(posterior.mean) && finite(posterior.covariance)).toBe(true);
    expect(finite(posterior.backward(new Float64Array(2).fill(1), new Float64Array(4).fill(1)))).toBe(true);
    const left = gp.leaveOneOut();
    expect(finite(left.mean) && finite(left.deviation) && Number.isFinite(left.r2)).toBe(true);
    expect(Number.isFinite(gp.output.fromModel(posterior.mean[0]!))).toBe(true);
  });

  it('with an extreme outlier give finite predictions', () => {
    const { rows, y } = data(20, 2, (x) => x[0]!);
    y[3] = 1e30;
    const gp = fitGaussianProcess(rows, y, 20, 2, options);
    expect(finite(gp.posterior(rows, 20).mean)).toBe(true);
    expect(finite(gp.leaveOneOut().deviation)).toBe(true);
  });

  it('are refused when a number is not finite or is missing', () => {
    const rows = Float64Array.from([0, 0, 1, 1]);
    const fit = (x: Float64Array, y: number[]) => () =>
      fitGaussianProcess(x, Float64Array.from(y), y.length, 2, options);
    expect(fit(rows, [1, NaN])).toThrow(/y\[1\]/);
    expect(fit(Float64Array.from([0, 0, Infinity, 1]), [1, 2])).toThrow(/rows\[1\]\[0\]/);
    expect(fit(rows, [1, 2, 3])).toThrow(/3 observations of 2 columns/);
    expect(fit(new Float64Array(0), [])).toThrow(/at least 1/);
  });
});
