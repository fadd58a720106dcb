import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/numeric/index.js';
import { fitGaussianProcess, type GaussianProcessOptions } from '../../src/surrogates/fit.js';

/** A clock that stands still, so that no time limit is reached. */
const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };

function data(n: number, d: number, f: (x: Float64Array) => number, noise = 0, seed = 1) {
  const rng = Rng.seeded(seed);
  const rows = Float64Array.from({ length: n * d }, () => rng.uniform());
  const truth = Float64Array.from({ length: n }, (_, i) => f(rows.subarray(i * d, (i + 1) * d)));
  return { rows, truth, y: truth.map((value) => value + noise * rng.normal()) };
}

const fitted = (
  { rows, y }: { rows: Float64Array; y: Float64Array },
  more: Partial<GaussianProcessOptions> = {},
) => fitGaussianProcess(rows, y, y.length, rows.length / y.length, { ...options, ...more });

/** Root of the mean squared difference between the expectations of a model and the truth. */
function errorOf(model: ReturnType<typeof fitted>, test: { rows: Float64Array; truth: Float64Array }) {
  const { mean } = model.posterior(test.rows, test.truth.length);
  const squares = test.truth.map((value, i) => (model.output.fromModel(mean[i]!) - value) ** 2);
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length);
}

const smooth = (x: Float64Array) => Math.sin(5 * x[0]!) + x[1]! * x[1]!;
/** Jumps. */
const rough = (x: Float64Array) => (x[0]! > 0.37 ? 1 : 0);

describe('the kernel of a fit', () => {
  it('is the squared exponential for noisy results of a smooth function, which it predicts better', () => {
    const noisy = data(60, 2, smooth, 0.3);
    const test = data(100, 2, smooth, 0, 2);
    const model = fitted(noisy);
    expect(model.choices).toMatchObject({ kernel: 'squared_exponential', doubted: [] });
    expect(model.choices!.kernelReason).toMatch(/noisy, and Matern 5\/2 does not predict/);
    expect(errorOf(model, test)).toBeLessThan(errorOf(fitted(noisy, { kernel: 'matern52' }), test));
  });

  it('is Matern 5/2 for results without noise, and for noisy ones of a function that jumps', () => {
    expect(fitted(data(40, 2, smooth)).choices).toMatchObject({ kernel: 'matern52' });
    const jumps = fitted(data(80, 2, rough, 0.05));
    expect(jumps.choices!.kernel).toBe('matern52');
    expect(jumps.choices!.kernelReason).toMatch(/noisy, and this kernel predicts/);
  });

  it.each(['matern52', 'squared_exponential'] as const)('is %s if the setting asks for it', (kernel) => {
    for (const noise of [0, 0.3]) {
      const model = fitted(data(30, 2, smooth, noise), { kernel });
      expect(model.hyperparameters.shape).toBe(kernel);
      expect(model.choices!.kernelReason).toMatch(/setting "kernel"/);
    }
  });
});

describe('a result that all others contradict', () => {
  const spoilt = () => {
    const found = data(40, 2, smooth, 0.02);
    found.y[7]! += 1.5;
    return found;
  };

  it('is ignored, and the predictions are as good as without it', () => {
    const test = data(100, 2, smooth, 0, 2);
    const model = fitted(spoilt());
    expect(model.choices!.doubted).toEqual([7]);
    const trusting = fitted(spoilt(), { outliers: 'keep' });
    expect(trusting.choices!.doubted).toEqual([]);
    expect(errorOf(model, test)).toBeLessThan(errorOf(trusting, test) / 2);
    expect(errorOf(model, test)).toBeLessThan(1.5 * errorOf(fitted(data(40, 2, smooth, 0.02)), test));
  });

  it('is predicted from the others, as every left-out result', () => {
    const { mean, deviation } = fitted(spoilt()).leaveOneOut();
    const { truth, y } = spoilt();
    expect(mean).toHaveLength(40);
    expect(Math.abs(mean[7]! - truth[7]!)).toBeLessThan(0.2);
    expect(y[7]! - mean[7]!).toBeGreaterThan(4 * deviation[7]!);
    expect(Math.abs(mean[8]! - truth[8]!)).toBeLessThan(0.2);
  });

  it('counts again when a replicate confirms it', () => {
    const { rows, y } = spoilt();
    const again = {
      rows: Float64Array.of(...rows, ...rows.subarray(14, 16), ...rows.subarray(14, 16)),
      y: Float64Array.of(...y, y[7]! + 0.02, y[7]! - 0.01),
    };
    expect(fitted(again).choices!.doubted).toEqual([]);
  });

  it('is not looked for in data that only have noise', () => {
    for (let seed = 1; seed <= 5; seed++) {
      expect(fitted(data(40, 2, smooth, 0.3, seed)).choices!.doubted).toEqual([]);
    }
  });
});

describe('any data', () => {
  const plain = data(30, 3, smooth, 0.1);
  const of = (change: (value: number, i: number) => number) => ({ rows: plain.rows, y: plain.y.map(change) });
  const many = data(1000, 3, smooth);
  const repeated = plain.rows.map((_, at) => plain.rows[at % 6]!);
  it.each([
    ['a constant output', of(() => 4)],
    ['a scale of 1e-9', of((value) => 1e-9 * value)],
    ['a scale of 1e9', of((value) => 1e9 * value)],
    ['an offset of 1e12', of((value) => 1e12 + value)],
    ['one result of 1e9', of((value, i) => (i === 5 ? 1e9 : value))],
    ['one result of -1e9', of((value, i) => (i === 5 ? -1e9 : value))],
    ['three results of 1e9', of((value, i) => (i % 10 === 5 ? 1e9 : value))],
    ['two points, often repeated', { rows: repeated, y: plain.y }],
    ['25 inputs', data(50, 25, smooth, 0.1)],
    ['50 inputs', data(60, 50, smooth, 0.1)],
    ['1000 results', many],
  ])('give finite predictions: %s', (_, some) => {
    const d = some.rows.length / some.y.length;
    for (const kernel of ['automatic', 'squared_exponential'] as const) {
      if (some.y.length > 100 && kernel !== 'automatic') continue;
      const model = fitted(some, { kernel });
      const points = Float64Array.of(...some.rows.subarray(0, d), ...new Float64Array(d).fill(0.5));
      const { mean, covariance, backward } = model.posterior(points, 2);
      const left = model.leaveOneOut();
      const gradient = backward(new Float64Array(2).fill(1), new Float64Array(4).fill(1));
      for (const numbers of [mean, covariance, gradient, left.mean, left.deviation]) {
        expect(numbers.every(Number.isFinite)).toBe(true);
      }
      expect(mean.every((z) => Number.isFinite(model.output.fromModel(z)))).toBe(true);
      expect(model.noise).toBeGreaterThan(0);
    }
  });
});
