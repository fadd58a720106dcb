import { describe, expect, it } from 'vitest';
import { exactProcess } from '../exact-process.js';
import type { AcquisitionProblem } from '../../src/acquisition/acquisition.js';
import { acquisitionFunction, likelyOnFront } from '../../src/acquisition/create.js';
import type { Output } from '../../src/domain/space.js';
import { Rng } from '../../src/numeric/index.js';
import { normalCdf } from '../../src/numeric/special.js';
import { fitGaussianProcess } from '../../src/surrogates/fit.js';
import type { Choices } from '../../src/surrogates/surrogate.js';

const choices: Choices = {
  kernel: 'squared_exponential',
  kernelReason: '',
  warping: 'identity',
  noise: 'some',
  doubted: [],
};

const objective = (key: string): Output => ({ key, objective: { kind: 'maximize', weight: 1 } });

/** Results on the part of a sphere in which no objective is negative: none dominates another. */
function onSphere(m: number, n: number): { problem: AcquisitionProblem; d: number } {
  const d = m - 1;
  const rng = Rng.seeded(`sphere ${m}`);
  const rows = Float64Array.from({ length: n * d }, () => rng.uniform());
  const outputs = Array.from({ length: m }, (_, j) => objective(`t.f${j}`));
  const values = new Float64Array(n * m);
  for (let i = 0; i < n; i++) {
    let left = 1;
    for (let j = 0; j < m; j++) {
      const angle = j < d ? (rows[i * d + j]! * Math.PI) / 2 : 0;
      values[i * m + j] = left * Math.cos(angle);
      left *= Math.sin(angle);
    }
  }
  const models = outputs.map((_, j) => {
    const z = Float64Array.from({ length: n }, (_, i) => values[i * m + j]!);
    return fitGaussianProcess(rows, z, n, d, {
      seed: j,
      timeLimitMs: Infinity,
      now: () => 0,
      warping: 'none',
    });
  });
  const reference = Object.fromEntries(outputs.map(({ key }) => [key, -0.1]));
  const pending = new Float64Array(0);
  return { problem: { outputs, models, rows, n, values, pending, pendingCount: 0, seed: 5, reference }, d };
}

describe('expected hypervolume', () => {
  it.each([
    [2, 30],
    [3, 45],
    [4, 45],
  ])('of %i objectives knows each of %i points on the front', (m, n) => {
    const { problem, d } = onSphere(m, n);
    const acquisition = acquisitionFunction({ kind: 'qLogNEHVI' }, { ...problem, samples: 16 });
    const atMeasured = acquisition.values(problem.rows, n);
    const rng = Rng.seeded('elsewhere');
    const elsewhere = Float64Array.from({ length: 64 * d }, () => rng.uniform());
    const best = Math.max(...acquisition.values(elsewhere, 64));
    for (const value of atMeasured) expect(value).toBeLessThan(best - Math.log(20));
  });

  it('counts a point whose measured threshold is broken by noise alone', () => {
    const d = 1;
    const rows = Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9);
    const n = rows.length;
    const top = 4;
    const slack = Float64Array.from(rows, (_, i) => (i === top ? -0.02 : 1));
    const peak = Float64Array.from(rows, (x) => Math.exp(-20 * (x - rows[top]!) ** 2));
    const values = Float64Array.from({ length: n * 3 }, (_, at) =>
      at % 3 === 2 ? slack[Math.floor(at / 3)]! : peak[Math.floor(at / 3)]!,
    );
    const outputs: Output[] = [
      objective('t.f'),
      objective('t.g'),
      { key: 't.slack', objective: null, constraint: { at_least: 0 } },
    ];
    const exact = exactProcess(rows, peak, d, { noise: 1e-8 });
    const noisy = exactProcess(rows, slack, d, { noise: 0.5 });
    expect(noisy.posterior(rows.subarray(top, top + 1), 1).mean[0]).toBeGreaterThan(0.5);
    const acquisition = acquisitionFunction(
      { kind: 'qLogNEHVI' },
      {
        ...{ outputs, models: [exact, exact, noisy], rows, n, values, pending: new Float64Array(0) },
        ...{ pendingCount: 0, seed: 1, reference: { 't.f': 0, 't.g': 0 } },
      },
    );
    // Against the front of the other points, the volume would be about a tenth of a square of two deviations.
    expect(acquisition.value(rows.subarray(top, top + 1), 1)).toBeLessThan(Math.log(0.01));
  });

  it('counts less the better a point is known, once an output is clearly noisy and none looks exact', () => {
    const rows = Float64Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.9);
    const n = rows.length;
    const noise = 0.01;
    const values = Float64Array.from({ length: n * 2 }, (_, at) =>
      at % 2 === 0 ? rows[at >> 1]! : 1 - rows[at >> 1]! ** 2,
    );
    const process = (k: number) =>
      exactProcess(
        rows,
        values.filter((_, at) => at % 2 === k),
        1,
        { noise },
      );
    const points = Float64Array.of(0.35, 0.7);
    const acquisitionWith = (...found: Choices['noise'][]) => {
      const models = found.map((each, k) => ({ ...process(k), choices: { ...choices, noise: each } }));
      const outputs = [objective('t.f'), objective('t.g')];
      const problem = {
        outputs,
        models,
        rows,
        n,
        values,
        pending: new Float64Array(0),
        pendingCount: 0,
        seed: 1,
      };
      const reference = { 't.f': -0.1, 't.g': -0.1 };
      return acquisitionFunction({ kind: 'qLogNEHVI' }, { ...problem, reference });
    };
    const unclear = acquisitionWith('unclear', 'unclear').values(points, 2);
    expect(acquisitionWith('some', 'none').values(points, 2)).toEqual(unclear);
    const noisy = acquisitionWith('some', 'unclear');
    const { variance } = process(0).beside(new Float64Array(0), 0).marginals(points, 2);
    noisy.values(points, 2).forEach((value, i) => {
      const removed = 1 - (noise / (variance[i]! + noise)) ** 2;
      expect(value - unclear[i]!).toBeCloseTo(Math.log(removed), 8);
      const at = points.subarray(i, i + 1);
      expect(noisy.value(at, 1)).toBeCloseTo(value, 8);
      const [up, down] = [1e-5, -1e-5].map((step) => noisy.value(Float64Array.of(at[0]! + step), 1));
      const found = noisy.gradient(at, 1);
      expect(found.value).toBeCloseTo(value, 8);
      expect(found.gradient[0]).toBeCloseTo((up! - down!) / 2e-5, 3);
    });
    expect(variance[0]).toBeLessThan(variance[1]! / 5);
  });
});

describe('a run likely on the front', () => {
  it('has at least the given chance that no other run dominates its true values', () => {
    const rows = Float64Array.of(0.1, 0.5, 0.9);
    const [best, near, far] = [0, 1, 2];
    const measured = [Float64Array.of(1, 0.8, -2), Float64Array.of(1, 0.9, -2)];
    const processes = (noise: number) =>
      measured.map((z) => exactProcess(rows, z, 1, { lengthscale: 0.1, noise }));
    const likely = (noise: number, share: number) =>
      likelyOnFront(
        {
          ...{ outputs: [objective('t.f'), objective('t.g')], models: processes(noise), rows, n: 3 },
          values: Float64Array.from({ length: 6 }, (_, at) => measured[at % 2]![at >> 1]!),
          ...{ pending: new Float64Array(0), pendingCount: 0, seed: 1, samples: 4096 },
          reference: { 't.f': -1, 't.g': -1 },
        },
        share,
      );
    const noise = 0.1;
    const behind = processes(noise).map((model) => {
      const { mean, covariance } = model.posterior(rows.subarray(0, 2), 2);
      const variance = covariance[0]! + covariance[3]! - 2 * covariance[1]!;
      return normalCdf((mean[best]! - mean[near]!) / Math.sqrt(variance));
    });
    const chance = 1 - behind[0]! * behind[1]!;
    expect(chance).toBeGreaterThan(0.3);
    expect(likely(noise, chance - 0.03).sort()).toEqual([best, near]);
    expect(likely(noise, chance + 0.03)).toEqual([best]);
    expect(likely(noise, 0.001)).not.toContain(far);
    expect(likely(1e-6, 0.2)).toEqual([best]);
  });
});
