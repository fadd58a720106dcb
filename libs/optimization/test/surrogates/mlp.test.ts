import { describe, expect, it } from 'vitest';
import { byJointPosterior } from '../exact-process.js';
import { Rng } from '../../src/numeric/index.js';
import { fitMlpEnsemble } from '../../src/surrogates/mlp.js';
import { Network, Training } from '../../src/surrogates/network.js';

const options = { seed: 1, timeLimitMs: 1000, now: () => 0 };
const smooth = (x: Float64Array) => Math.sin(4 * x[0]!) + x[1]! * x[2]!;

function data(n: number, d: number, seed: number, f = smooth) {
  const rng = Rng.seeded(seed);
  const rows = Float64Array.from({ length: n * d }, () => rng.uniform());
  return { rows, y: Float64Array.from({ length: n }, (_, i) => f(rows.subarray(i * d, (i + 1) * d))) };
}

function differences(f: (x: Float64Array) => number, x: Float64Array, h = 1e-5): number[] {
  return Array.from(x, (_, i) => {
    const up = x.slice();
    const down = x.slice();
    up[i]! += h;
    down[i]! -= h;
    return (f(up) - f(down)) / (2 * h);
  });
}

describe('a network', () => {
  it('has correct derivatives of its results', () => {
    const rng = Rng.seeded(3);
    const network = new Network(3, 6, rng);
    const inputs = rng.normals(12);
    const weights = rng.normals(4);
    const value = (at: Float64Array) =>
      network.forward(at, 4).results.reduce((sum, result, s) => sum + weights[s]! * result, 0);
    const dInputs = network.backwardToInputs(network.forward(inputs, 4), weights);
    differences(value, inputs).forEach((wanted, k) => expect(dInputs[k]).toBeCloseTo(wanted, 8));
  });

  it('learns a line, in batches of which the last is smaller', () => {
    const rng = Rng.seeded(1);
    const network = new Network(1, 6, rng);
    const training = new Training(network, 0);
    const inputs = Float64Array.from({ length: 10 }, (_, i) => i / 5 - 0.9);
    const targets = inputs.map((x) => 0.5 * x - 0.2);
    for (let epoch = 0; epoch < 500; epoch++) training.epoch(inputs, targets, 4, 0.01);
    network.forward(inputs, 10).results.forEach((result, i) => expect(result).toBeCloseTo(targets[i]!, 1));
  });
});

describe('an ensemble of networks', () => {
  const { rows, y } = data(80, 3, 1);
  const ensemble = fitMlpEnsemble(rows, y, 80, 3, options);

  it('predicts new points with a realistic uncertainty', () => {
    const test = data(200, 3, 2);
    const { mean, covariance } = ensemble.posterior(test.rows, 200);
    const average = test.y.reduce((sum, value) => sum + value, 0) / 200;
    let [errors, deviations, standardised] = [0, 0, 0];
    test.y.forEach((value, i) => {
      errors += (ensemble.output.fromModel(mean[i]!) - value) ** 2;
      deviations += (value - average) ** 2;
      standardised += (mean[i]! - ensemble.output.toModel(value)) ** 2 / covariance[i * 201]! / 200;
    });
    expect(1 - errors / deviations).toBeGreaterThan(0.97);
    expect(ensemble.leaveOneOut().r2).toBeGreaterThan(0.95);
    expect(standardised).toBeGreaterThan(0.2);
    expect(standardised).toBeLessThan(3);
  });

  it('has correct derivatives with respect to the points', () => {
    const rng = Rng.seeded(4);
    const points = Float64Array.from({ length: 12 }, () => rng.uniform());
    const dMean = rng.normals(4);
    const dCovariance = rng.normals(16);
    const f = (at: Float64Array) => {
      const { mean, covariance } = ensemble.posterior(at, 4);
      return (
        mean.reduce((sum, value, a) => sum + value * dMean[a]!, 0) +
        covariance.reduce((sum, value, k) => sum + value * dCovariance[k]!, 0)
      );
    };
    const gradient = ensemble.posterior(points, 4).backward(dMean, dCovariance);
    differences(f, points).forEach((wanted, k) => expect(gradient[k]).toBeCloseTo(wanted, 7));
  });

  it('equals the joint posterior when some of the points stay fixed', () => {
    const rng = Rng.seeded(6);
    const [f, m] = [2, 3];
    const stay = Float64Array.from({ length: 3 * f }, () => rng.uniform());
    const points = Float64Array.from({ length: 3 * m }, () => rng.uniform());
    const oracle = byJointPosterior(3, (at, count) => ensemble.posterior(at, count)).beside(stay, f);
    const wanted = oracle.posterior(points, m);
    const found = ensemble.beside(stay, f).posterior(points, m);
    const marginals = ensemble.beside(stay, f).marginals(points, m);
    expect(ensemble.means(points, m)).toEqual(marginals.mean);
    const close = (a: Float64Array, b: Float64Array) => {
      expect(a.length).toBe(b.length);
      a.forEach((value, i) => expect(value).toBeCloseTo(b[i]!, 12));
    };
    close(found.mean, wanted.mean);
    close(found.covariance, wanted.covariance);
    close(found.cross, wanted.cross);
    close(marginals.mean, wanted.mean);
    close(
      marginals.variance,
      wanted.covariance.filter((_, at) => at % (m + 1) === 0),
    );
    close(marginals.cross, wanted.cross);
    const [dMean, dCovariance, dCross] = [rng.normals(m), rng.normals(m * m), rng.normals(m * f)];
    close(found.backward(dMean, dCovariance, dCross), wanted.backward(dMean, dCovariance, dCross));
  });

  it('is the same for the same seed and differs for another', () => {
    const few = data(12, 3, 5);
    const at = (seed: number) =>
      fitMlpEnsemble(few.rows, few.y, 12, 3, { ...options, seed }).posterior(few.rows, 12).mean;
    expect(at(7)).toEqual(at(7));
    expect(at(7)).not.toEqual(at(8));
  });

  it('obeys its time limit and reports it', () => {
    let clock = 0;
    const early = fitMlpEnsemble(rows, y, 80, 3, { seed: 1, timeLimitMs: 3, now: () => clock++ });
    expect(early.timedOut).toBe(true);
    expect(clock).toBeLessThan(6);
    expect(ensemble.timedOut).toBe(false);
    expect(early.posterior(rows, 80).mean.every(Number.isFinite)).toBe(true);
  });

  it.each([
    ['one observation', [5]],
    ['two equal observations', [3, 3]],
    ['three observations of very different size', [1e307, -1e-307, 1]],
  ])('gives finite predictions for %s', (_, values) => {
    const n = values.length;
    const model = fitMlpEnsemble(rows.subarray(0, 3 * n), Float64Array.from(values), n, 3, options);
    const { mean, covariance } = model.posterior(rows, 5);
    expect(mean.every(Number.isFinite) && covariance.every(Number.isFinite)).toBe(true);
    for (let a = 0; a < 5; a++) expect(covariance[6 * a]).toBeGreaterThan(0);
    const left = model.leaveOneOut();
    expect(left.mean.every(Number.isFinite) && left.deviation.every(Number.isFinite)).toBe(true);
  });

  it('is refused for results that are not finite', () => {
    expect(() => fitMlpEnsemble(rows.subarray(0, 3), Float64Array.of(NaN), 1, 3, options)).toThrow(/y\[0\]/);
  });
});
