import { describe, expect, it } from 'vitest';
import { byJointPosterior } from '../exact-process.js';
import { Rng } from '../../src/numeric/index.js';
import { Evidence } from '../../src/surrogates/evidence.js';
import { GaussianProcess } from '../../src/surrogates/gp.js';
import { SHAPES, type Shape } from '../../src/numeric/index.js';
import type { Groups } from '../../src/surrogates/covariance.js';
import { StandardisedOutput } from '../../src/surrogates/output-map.js';
import type { OutputMap } from '../../src/surrogates/surrogate.js';

const plain: OutputMap = { toModel: (y) => y, fromModel: (z) => z, slope: () => 1 };
const ard = (d: number): Groups => ({ of: Int32Array.from({ length: d }, (_, c) => c), count: d });
const uniform = (rng: Rng, count: number) => Float64Array.from({ length: count }, () => rng.uniform());

function sample(seed: number, n: number, d: number) {
  const rng = Rng.seeded(seed);
  const rows = uniform(rng, n * d);
  const y = Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < d; c++) sum += Math.sin((c + 2) * rows[i * d + c]!);
    return sum + 0.1 * rng.normal();
  });
  return { rows, y, n };
}

const model = (
  data: ReturnType<typeof sample>,
  groups: Groups,
  theta: Float64Array,
  output = plain,
  shape: Shape = 'matern52',
) => new GaussianProcess(data, { shape, groups, theta }, output, false);

/** Solves `a x = b` by elimination with pivots, without a symmetric factorisation. */
function eliminate(a: number[][], b: number[]): number[] {
  const n = b.length;
  const rows = a.map((row, i) => [...row, b[i]!]);
  for (let k = 0; k < n; k++) {
    const pivot = rows.slice(k).reduce((best, row) => (Math.abs(row[k]!) > Math.abs(best[k]!) ? row : best));
    const at = rows.indexOf(pivot);
    [rows[k], rows[at]] = [rows[at]!, rows[k]!];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / rows[k]![k]!;
      rows[i] = rows[i]!.map((value, j) => value - factor * rows[k]![j]!);
    }
  }
  return rows.map((row, i) => row[n]! / row[i]!);
}

function covarianceOf(
  shape: Shape,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  lengthscales: number[],
  scale: number,
): number {
  let squared = 0;
  lengthscales.forEach((length, c) => (squared += ((a[c]! - b[c]!) / length) ** 2));
  if (shape === 'squared_exponential') return scale * Math.exp(-squared / 2);
  const r = Math.sqrt(5 * squared);
  return scale * (1 + r + (5 * squared) / 3) * Math.exp(-r);
}

/** Central difference of `f` in each coordinate of `x`. */
function differences(f: (x: Float64Array) => number, x: Float64Array, h = 1e-5): number[] {
  return Array.from(x, (_, i) => {
    const up = x.slice();
    const down = x.slice();
    up[i]! += h;
    down[i]! -= h;
    return (f(up) - f(down)) / (2 * h);
  });
}

function expectClose(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number): void {
  expect(got.length).toBe(wanted.length);
  const size = Math.max(1, ...Array.from(wanted, Math.abs));
  for (let i = 0; i < wanted.length; i++) {
    expect(Math.abs(got[i]! - wanted[i]!) / size, `entry ${i}`).toBeLessThan(tolerance);
  }
}

describe('the evidence', () => {
  it.each([
    ['lognormal', 'matern52', ard(3)],
    ['lognormal', 'squared_exponential', ard(3)],
    ['flat', 'matern52', ard(3)],
    ['lognormal', 'matern52', { of: Int32Array.from([0, 1, 1]), count: 2 }],
  ] as const)('has the gradient of its value (%s, %s)', (prior, shape, groups) => {
    const { rows, y: z, n } = sample(3, 12, 3);
    const evidence = new Evidence({ rows, z, n, shape, groups }, prior);
    const rng = Rng.seeded(5);
    for (let round = 0; round < 5; round++) {
      const theta = Float64Array.from({ length: groups.count + 2 }, () => rng.normal() - 0.5);
      theta[groups.count + 1]! -= 3;
      const gradient = new Float64Array(theta.length);
      evidence.negative(theta, gradient);
      const value = (at: Float64Array) => evidence.negative(at, new Float64Array(at.length));
      expectClose(gradient, differences(value, theta), 1e-7);
    }
  });
});

describe('the posterior', () => {
  const theta = Float64Array.from([Math.log(0.4), Math.log(0.9), Math.log(1.7), Math.log(0.02)]);

  it.each(SHAPES)('equals the closed form (%s)', (shape) => {
    for (const n of [1, 2, 4, 6]) {
      const data = sample(n, n, 2);
      const points = uniform(Rng.seeded(9), 6);
      const k = (a: ArrayLike<number>, b: ArrayLike<number>) => covarianceOf(shape, a, b, [0.4, 0.9], 1.7);
      const x = Array.from({ length: n }, (_, i) => data.rows.subarray(2 * i, 2 * i + 2));
      const p = Array.from({ length: 3 }, (_, a) => points.subarray(2 * a, 2 * a + 2));
      const covariance = x.map((a, i) => x.map((b, j) => k(a, b) + (i === j ? 0.02 : 0)));
      const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
      const ones = x.map(() => 1);
      const level = dot(ones, eliminate(covariance, [...data.y])) / dot(ones, eliminate(covariance, ones));
      const cross = p.map((a) => x.map((b) => k(a, b)));
      const residual = Array.from(data.y, (value) => value - level);
      const mean = cross.map((row) => level + dot(row, eliminate(covariance, residual)));
      const joint = p.flatMap((a, i) =>
        p.map((b, j) => k(a, b) - dot(cross[i]!, eliminate(covariance, cross[j]!))),
      );
      const posterior = model(data, ard(2), theta, plain, shape).posterior(points, 3);
      expectClose(posterior.mean, mean, 1e-10);
      expectClose(posterior.covariance, joint, 1e-10);
    }
  });

  it.each(SHAPES)('has correct derivatives with respect to the points (%s)', (shape) => {
    const data = sample(7, 9, 2);
    for (const groups of [ard(2), { of: Int32Array.from([0, 0]), count: 1 }]) {
      const gp = model(data, groups, groups.count === 2 ? theta : theta.subarray(1), plain, shape);
      const rng = Rng.seeded(2);
      const points = uniform(rng, 8);
      points.set(points.subarray(0, 2), 6); // a repeated point
      const dMean = rng.normals(4);
      const dCovariance = rng.normals(16);
      const f = (at: Float64Array) => {
        const { mean, covariance } = gp.posterior(at, 4);
        return (
          mean.reduce((sum, value, a) => sum + value * dMean[a]!, 0) +
          covariance.reduce((sum, value, at) => sum + value * dCovariance[at]!, 0)
        );
      };
      const gradient = gp.posterior(points, 4).backward(dMean, dCovariance);
      expectClose(gradient, differences(f, points), 1e-7);
    }
  });

  it.each(SHAPES)('equals the joint posterior when some of the points stay fixed (%s)', (shape) => {
    const data = sample(7, 9, 2);
    const gp = model(data, ard(2), theta, plain, shape);
    const rng = Rng.seeded(2);
    const [stay, points] = [uniform(rng, 6), uniform(rng, 10)];
    stay.set(data.rows.subarray(0, 2)); // one of them was measured
    const [f, m] = [3, 5];
    const { posterior, beside: oracle } = byJointPosterior(2, (at, count) => gp.posterior(at, count));
    const wanted = oracle(stay, f).posterior(points, m);
    const found = gp.beside(stay, f).posterior(points, m);
    expectClose(found.mean, posterior(points, m).mean, 1e-12);
    expectClose(found.covariance, wanted.covariance, 1e-12);
    expectClose(found.cross, wanted.cross, 1e-12);
    const weights = [m, m * m, m * f].map((count) => rng.normals(count)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    expectClose(found.backward(...weights), wanted.backward(...weights), 1e-10);
    const marginals = gp.beside(stay, f).marginals(points, m);
    expectClose(marginals.mean, wanted.mean, 1e-12);
    expectClose(
      marginals.variance,
      wanted.covariance.filter((_, at) => at % (m + 1) === 0),
      1e-12,
    );
    expectClose(marginals.cross, wanted.cross, 1e-12);
    expect(gp.means(points, m)).toEqual(gp.beside(new Float64Array(0), 0).marginals(points, m).mean);
  });

  it('passes through the data as the noise goes to zero', () => {
    const data = sample(4, 8, 2);
    let before = Infinity;
    for (const noise of [1e-2, 1e-5, 1e-9]) {
      const gp = model(data, ard(2), Float64Array.from([...theta.subarray(0, 3), Math.log(noise)]));
      const { mean, covariance } = gp.posterior(data.rows, 8);
      const error = Math.max(...mean.map((value, i) => Math.abs(value - data.y[i]!)));
      expect(error).toBeLessThan(before / 10);
      before = error;
      if (noise === 1e-9) for (let i = 0; i < 8; i++) expect(covariance[i * 9]).toBeLessThan(1e-7);
    }
    expect(before).toBeLessThan(1e-6);
  });

  it('does not depend on the order of the observations or the unit of the output', () => {
    const data = sample(6, 10, 2);
    const order = Rng.seeded(1).shuffle([...Array(10).keys()]);
    const shuffled = {
      rows: Float64Array.from(order.flatMap((i) => [...data.rows.subarray(2 * i, 2 * i + 2)])),
      y: Float64Array.from(order, (i) => data.y[i]!),
      n: 10,
    };
    const points = uniform(Rng.seeded(8), 6);
    const original = model(data, ard(2), theta, new StandardisedOutput(data.y)).posterior(points, 3);
    const reordered = model(shuffled, ard(2), theta, new StandardisedOutput(shuffled.y)).posterior(points, 3);
    expectClose(reordered.mean, original.mean, 1e-10);
    expectClose(reordered.covariance, original.covariance, 1e-10);

    const y = data.y.map((value) => 1e6 * value - 3e6);
    const output = new StandardisedOutput(y);
    const other = model({ ...data, y }, ard(2), theta, output).posterior(points, 3);
    expectClose(other.covariance, original.covariance, 1e-10);
    const back = new StandardisedOutput(data.y);
    expectClose(
      other.mean.map((value) => output.fromModel(value)),
      original.mean.map((value) => 1e6 * back.fromModel(value) - 3e6),
      1e-10,
    );
  });
});

describe('leaving one out', () => {
  it('equals a fit to all others', () => {
    const data = sample(5, 7, 2);
    const theta = Float64Array.from([Math.log(0.5), Math.log(0.7), 0.2, Math.log(0.01)]);
    const all = model(data, ard(2), theta).leaveOneOut();
    for (let left = 0; left < 7; left++) {
      const others = {
        rows: data.rows.filter((_, at) => Math.floor(at / 2) !== left),
        y: data.y.filter((_, i) => i !== left),
        n: 6,
      };
      const own = data.rows.subarray(2 * left, 2 * left + 2);
      const { mean, covariance } = model(others, ard(2), theta).posterior(own, 1);
      expect(all.mean[left]).toBeCloseTo(mean[0]!, 10);
      expect(all.deviation[left]).toBeCloseTo(Math.sqrt(covariance[0]! + 0.01), 10);
    }
  });
});
