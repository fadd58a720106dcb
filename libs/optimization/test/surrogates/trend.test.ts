import { describe, expect, it } from 'vitest';
import { BayesianSequentialOptimizer } from '../../src/index.js';
import { Rng } from '../../src/numeric/index.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';
import type { FittedSurrogate } from '../../src/surrogates/surrogate.js';
import { curves, fitWithTrend, parabolas, Trend, type TrendChoice } from '../../src/surrogates/trend.js';

const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };
const d = 5;
const n = 30;

function rowsOf(count: number, seed: number): Float64Array {
  const rng = Rng.seeded(seed);
  return Float64Array.from({ length: count * d }, () => rng.uniform());
}
const valuesOf = (rows: Float64Array, f: (x: number, c: number) => number): Float64Array =>
  Float64Array.from({ length: rows.length / d }, (_, i) =>
    rows.subarray(i * d, (i + 1) * d).reduce((sum, x, c) => sum + f(x, c), 0),
  );

/** A bowl around 0.55 with many dents. */
const bowl = (x: number): number => 20 * (x - 0.55) ** 2;
const dented = (x: number): number => bowl(x) - Math.cos(30 * (x - 0.55));

/** Two waves without a bowl. */
const wavy = (x: number): number => Math.cos(12 * x);

const rows = rowsOf(n, 1);
const y = valuesOf(rows, dented);
/** Each row twice, with results that contradict each other. */
const twice = Float64Array.from([...rows, ...rows]);
const noisy = (() => {
  const rng = Rng.seeded(4);
  return valuesOf(twice, dented).map((value) => value + 3 * rng.normal());
})();
const errorOf = (model: FittedSurrogate, points: Float64Array, f: (x: number) => number): number => {
  const truths = valuesOf(points, f);
  const { mean } = model.posterior(points, truths.length);
  return Math.sqrt(
    truths.reduce((sum, truth, i) => sum + (truth - model.output.fromModel(mean[i]!)) ** 2, 0),
  );
};

describe('a trend', () => {
  const firstColumn = rows.filter((_, k) => k % d === 0);
  it.each([
    ['parabolas', rows, valuesOf(rows, bowl), d, parabolas],
    ['curves, with fewer observations than coefficients', rows, valuesOf(rows, wavy), d, curves(0.2)],
    ['curves, with more observations than coefficients', firstColumn, firstColumn.map(wavy), 1, curves(0.2)],
  ])(
    'of %s predicts each observation as one that is fitted to all others',
    (_, at, values, columns, basis) => {
      const { leftOut, r2 } = new Trend(at, values, n, columns, basis);
      for (const i of [0, 7, n - 1]) {
        const others = Array.from(values.keys()).filter((k) => k !== i);
        const some = others.flatMap((k) => Array.from(at.subarray(k * columns, (k + 1) * columns)));
        const known = Float64Array.from(others, (k) => values[k]!);
        const without = new Trend(Float64Array.from(some), known, n - 1, columns, basis);
        expect(leftOut[i]).toBeCloseTo(without.at(at, i), 8);
      }
      expect(r2).toBeGreaterThan(0.8);
    },
  );

  it('predicts nothing of noise', () => {
    const rng = Rng.seeded(3);
    expect(
      new Trend(
        rows,
        Float64Array.from({ length: n }, () => rng.normal()),
        n,
        d,
      ).r2,
    ).toBeLessThan(0.3);
  });

  it('is fitted to a bowl with many dents, whose middle it finds', () => {
    const model = fitWithTrend(rows, y, n, d, options);
    expect(model.choices!.trend).toBe('parabolas');
    const plain = fitGaussianProcess(rows, y, n, d, options);
    const points = rowsOf(200, 2);
    expect(errorOf(model, points, dented)).toBeLessThan(0.9 * errorOf(plain, points, dented));
    expect(model.noise).toBeGreaterThanOrEqual(plain.noise);
    expect(model.leaveOneOut().r2).toBeGreaterThan(0.3);
    expect(model.relevance!.every((value) => value > 0)).toBe(true);
  });

  it('is fitted to a sum of waves, of which the process alone predicts nothing', () => {
    const values = valuesOf(rows, wavy);
    const model = fitWithTrend(rows, values, n, d, options);
    expect(model.choices!.trend).toBe('curves');
    const plain = fitGaussianProcess(rows, values, n, d, options);
    const points = rowsOf(200, 2);
    expect(errorOf(model, points, wavy)).toBeLessThan(0.5 * errorOf(plain, points, wavy));
  });

  it('of curves is as uncertain as it is wrong', () => {
    const f = (x: number): number => {
      const v = 10 * x - 5;
      return (v ** 4 - 16 * v ** 2 + 5 * v) / 2;
    };
    const model = fitWithTrend(rows, valuesOf(rows, f), n, d, options);
    expect(model.choices!.trend).toBe('curves');
    const points = rowsOf(200, 2);
    const truths = valuesOf(points, f);
    const { mean, variance } = model.beside(new Float64Array(0), 0).marginals(points, truths.length);
    const squares = truths.map(
      (truth, i) => (model.output.toModel(truth) - mean[i]!) ** 2 / (variance[i]! + model.noise),
    );
    const deviations = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / truths.length);
    expect(deviations).toBeGreaterThan(0.7);
    expect(deviations).toBeLessThan(1.5);
  });

  it.each([
    ['a function that the process predicts well', valuesOf(rows, (x, c) => (c === 0 ? Math.sin(5 * x) : 0))],
    ['short waves, of which few observations say nothing', valuesOf(rows, (x) => Math.cos(60 * x))],
    ['a constant', valuesOf(rows, () => 3)],
  ])('is not fitted to %s', (_, values) => {
    const model = fitWithTrend(rows, values, n, d, options);
    expect(model.choices!.trend).toBeUndefined();
    const points = rowsOf(3, 2);
    const plain = fitGaussianProcess(rows, values, n, d, options);
    expect(model.posterior(points, 3).mean).toEqual(plain.posterior(points, 3).mean);
  });

  it('is fitted to noisy results, or to others alone, or never, as the choice says', () => {
    const of = (choice: TrendChoice) => [
      fitWithTrend(rows, y, n, d, options, choice).choices!.trend,
      fitWithTrend(twice, noisy, 2 * n, d, options, choice).choices!.trend,
    ];
    expect(of('automatic')).toEqual(['parabolas', 'parabolas']);
    expect(of('unless_noisy')).toEqual(['parabolas', undefined]);
    expect(of('none')).toEqual([undefined, undefined]);
  });

  it('is not fitted to fewer than three observations for each column', () => {
    const of = (count: number) =>
      fitWithTrend(rows.subarray(0, count * d), y.subarray(0, count), count, d, options).choices!.trend;
    expect(of(3 * d - 1)).toBeUndefined();
    expect(of(3 * d)).toBeDefined();
  });

  it.each([
    ['parabolas', y],
    ['curves', valuesOf(rows, wavy)],
  ])('of %s has right derivatives of mean, covariance and cross covariance', (kind, values) => {
    const model = fitWithTrend(rows, values, n, d, options);
    expect(model.choices!.trend).toBe(kind);
    const [stay, points] = [rowsOf(2, 4), rowsOf(2, 5)];
    const beside = model.beside(stay, 2);
    const weight = (i: number): number => Math.sin(1 + i);
    const f = (at: Float64Array): number => {
      const { mean, covariance, cross } = beside.posterior(at, 2);
      return [...mean, ...covariance, ...cross].reduce((sum, value, i) => sum + weight(i) * value, 0);
    };
    const weights = (from: number, count: number) =>
      Float64Array.from({ length: count }, (_, i) => weight(from + i));
    const gradient = beside.posterior(points, 2).backward(weights(0, 2), weights(2, 4), weights(6, 4));
    points.forEach((value, j) => {
      const moved = (by: number): Float64Array => points.map((old, k) => (k === j ? value + by : old));
      expect(gradient[j]).toBeCloseTo((f(moved(1e-6)) - f(moved(-1e-6))) / 2e-6, 4);
    });
    const { mean, variance, cross } = beside.marginals(points, 2);
    const joint = beside.posterior(points, 2);
    mean.forEach((value, i) => expect(value).toBeCloseTo(joint.mean[i]!, 9));
    expect(model.means(points, 2)).toEqual(mean);
    variance.forEach((value, i) => expect(value).toBeCloseTo(joint.covariance[3 * i]!, 9));
    cross.forEach((value, i) => expect(value).toBeCloseTo(joint.cross[i]!, 9));
  });

  it.each([
    ['one objective', ['loss'], rows, y, 1],
    ['one of two objectives', ['loss', 'other'], rows, y, 1],
    ['one noisy objective', ['loss'], twice, noisy, 1],
    ['one of two noisy objectives', ['loss', 'other'], twice, noisy, 0],
  ])('of %s is explained if it is fitted', (_, keys, at, values, count) => {
    const optimizer = new BayesianSequentialOptimizer({
      inputs: Array.from({ length: d }, (_, c) => ({ kind: 'continuous', key: `t.x${c}`, bounds: [0, 1] })),
      outputs: keys.map((key) => ({ key: `t.${key}`, objective: { kind: 'minimize', weight: 1 } })),
      seed: 1,
    });
    const points = Array.from(values, (_, i) =>
      Object.fromEntries(Array.from({ length: d }, (_, c) => [`t.x${c}`, at[i * d + c]!])),
    );
    optimizer.report(
      points,
      Array.from(values, (value) => Object.fromEntries(keys.map((key) => [`t.${key}`, value]))),
    );
    const sentences = optimizer.explain().outputs[0]!.choices.filter((text) => text.startsWith('Trend:'));
    expect(sentences).toHaveLength(count);
  });
});
