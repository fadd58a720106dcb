import { describe, expect, it } from 'vitest';
import { byJointPosterior, exactProcess, logarithmic, plain, type ExactOptions } from '../exact-process.js';
import type { Output } from '../../src/domain/space.js';
import { logH, Rng } from '../../src/numeric/index.js';
import { normalCdf, normalDensity } from '../../src/numeric/special.js';
import type { FittedSurrogate } from '../../src/surrogates/surrogate.js';
import type { AcquisitionChoice, AcquisitionProblem } from '../../src/acquisition/acquisition.js';
import { acquisitionFunction } from '../../src/acquisition/create.js';

const d = 2;
const n = 7;
const rng = Rng.seeded('acquisition');
const rows = Float64Array.from({ length: n * d }, () => rng.uniform());

const minimised: Output = { key: 't.a', objective: { kind: 'minimize', weight: 1 } };
const maximised: Output = { key: 't.b', objective: { kind: 'maximize', weight: 2 } };
const targeted: Output = { key: 't.c', objective: { kind: 'close_to_target', target: 1.2, weight: 1 } };
const bounded: Output = { key: 't.d', objective: null, constraint: { at_least: 0.9, at_most: 2.5 } };

/** Measured surfaces, one per output, that differ from each other. */
function problemOf(
  outputs: readonly Output[],
  maps: readonly ExactOptions[],
  more?: Partial<AcquisitionProblem>,
) {
  const width = outputs.length;
  const values = new Float64Array(n * width);
  const models = outputs.map((_, k) => {
    const z = Float64Array.from(
      { length: n },
      (_, i) => Math.sin(3 * rows[i * d]! + k) + (k + 1) * (rows[i * d + 1]! - 0.5) ** 2,
    );
    const map = maps[k]?.output ?? plain;
    z.forEach((value, i) => (values[i * width + k] = map.fromModel(value)));
    return exactProcess(rows, z, d, maps[k]);
  });
  const problem: AcquisitionProblem = {
    outputs,
    models,
    rows,
    n,
    values,
    pending: new Float64Array(0),
    pendingCount: 0,
    seed: 3,
    ...more,
  };
  return problem;
}

/** A model with the same prediction everywhere. */
function constantModel(mean: number, deviation: number): FittedSurrogate {
  return {
    ...exactProcess(rows.subarray(0, d), Float64Array.of(0), d),
    ...byJointPosterior(d, (_points, m) => ({
      mean: new Float64Array(m).fill(mean),
      covariance: Float64Array.from({ length: m * m }, (_, at) => (at % (m + 1) === 0 ? deviation ** 2 : 0)),
      backward: () => new Float64Array(m * d),
    })),
  };
}

const point = Float64Array.of(0.3, 0.6);

describe('expected improvement in closed form', () => {
  it('equals the published values (BoTorch, test_analytic)', () => {
    // h(z) with mean -0.5, deviation 1 and best 0.
    expect(Math.exp(logH(-0.5))).toBeCloseTo(0.1978, 4);
    expect(Math.exp(logH(0.5))).toBeCloseTo(0.6978, 4);
    expect(logH(-10)).toBeCloseTo(-55.553122, 6);
  });

  it.each([
    [minimised, 0.5],
    [maximised, -0.5],
  ])('improves on the best posterior mean', (output, sign) => {
    const measured = exactProcess(rows.subarray(0, d), Float64Array.of(0), d);
    const elsewhere = constantModel(-0.5, 1);
    const model: FittedSurrogate = {
      ...measured,
      ...byJointPosterior(d, (points, m) =>
        points[0] === rows[0] ? measured.posterior(points, m) : elsewhere.posterior(points, m),
      ),
    };
    const acquisition = acquisitionFunction(
      { kind: 'qLogEI' },
      {
        ...problemOf([output], []),
        models: [model],
        rows: rows.subarray(0, d),
        n: 1,
        values: Float64Array.of(0),
      },
    );
    expect(Math.exp(acquisition.value(point, 1))).toBeCloseTo(sign > 0 ? 0.6978 : 0.1978, 4);
  });
});

describe('joint samples against closed forms', () => {
  it('qLogEI of one point', () => {
    const problem = problemOf([minimised], [], { samples: 512 });
    const closed = acquisitionFunction({ kind: 'qLogEI' }, problem);
    const point = bestOf((at) => closed.value(at, 1));
    const { mean, covariance } = problem.models[0]!.posterior(point, 1);
    const deviation = Math.sqrt(covariance[0]!);
    const best = Math.min(...problem.models[0]!.posterior(rows, n).mean);
    // A useless pending point: the expectation stays the same, now computed by samples.
    const far = acquisitionFunction({ kind: 'qLogEI' }, problem).withPending(worst(problem), 1);
    const z = (best - mean[0]!) / deviation;
    const expected = deviation * (normalDensity(z) + z * normalCdf(z));
    const second = deviation ** 2 * ((1 + z * z) * normalCdf(z) + z * normalDensity(z));
    const error = Math.sqrt((second - expected ** 2) / 512);
    expect(Math.exp(closed.value(point, 1))).toBeCloseTo(expected, 10);
    expect(Math.abs(Math.exp(far.value(point, 1)) - expected)).toBeLessThan(3 * error);
  });

  it('qUCB of one point', () => {
    const problem = problemOf([maximised], [], { samples: 4096 });
    const { mean, covariance } = problem.models[0]!.posterior(point, 1);
    const expected = mean[0]! + Math.sqrt(4 * covariance[0]!);
    const found = acquisitionFunction({ kind: 'qUCB', beta: 4 }, problem).value(point, 1);
    expect(Math.abs(found - expected)).toBeLessThan(0.05 * Math.sqrt(covariance[0]!));
  });

  it('qLogNEHVI of one point, two objectives, against the expectation per strip', () => {
    const values = Float64Array.of(0, 3, 1, 2, 3, 0);
    const three = rows.subarray(0, 3 * d);
    const measured = [0, 1].map((k) =>
      exactProcess(three, Float64Array.of(values[k]!, values[2 + k]!, values[4 + k]!), d, {
        noise: 1e-9,
        lengthscale: 0.1,
      }),
    );
    const outputs: Output[] = [
      { ...maximised, key: 't.x' },
      { ...maximised, key: 't.y' },
    ];
    const problem: AcquisitionProblem = {
      ...problemOf(outputs, []),
      models: measured,
      rows: three,
      n: 3,
      values,
      samples: 512,
      reference: { 't.x': -1, 't.y': -1 },
    };
    const at = Float64Array.of(rows[0]! + 0.12, rows[1]! + 0.05);
    const [x, y] = measured.map((model) => model.posterior(at, 1));
    const psi = (lower: number, upper: number, mean: number, deviation: number) => {
      const part = (bound: number) =>
        bound === Infinity ? 0 : deviation * Math.exp(logH((mean - bound) / deviation));
      return part(lower) - part(upper);
    };
    // Strips of the non-dominated region between neighbours in the first objective.
    const strips = [
      [-1, 0, 3],
      [0, 1, 2],
      [1, 3, 0],
      [3, Infinity, -1],
    ] as const;
    let expected = 0;
    for (const [left, right, above] of strips) {
      expected +=
        psi(left, right, x!.mean[0]!, Math.sqrt(x!.covariance[0]!)) *
        psi(above, Infinity, y!.mean[0]!, Math.sqrt(y!.covariance[0]!));
    }
    const units = [0, 1].map((k) => deviationOf([values[k]!, values[2 + k]!, values[4 + k]!]));
    // The standard error of the mean from the spread of independent samples.
    const found = Array.from({ length: 12 }, (_, seed) => {
      const acquisition = acquisitionFunction({ kind: 'qLogNEHVI' }, { ...problem, seed });
      return Math.exp(acquisition.value(at, 1)) * units[0]! * units[1]!;
    });
    const mean = found.reduce((sum, value) => sum + value) / found.length;
    const error = deviationOf(found) / Math.sqrt(found.length);
    expect(Math.abs(mean - expected)).toBeLessThan(3 * error);
    expect(error).toBeLessThan(0.02 * expected);
  });
});

const choices: [string, AcquisitionChoice, Output[], ExactOptions[]][] = [
  ['LogEI', { kind: 'qLogEI' }, [minimised], []],
  ['LogEI with another threshold', { kind: 'qLogEI' }, [minimised, bounded], []],
  [
    'qLogEI with a threshold on the objective',
    { kind: 'qLogEI' },
    [{ ...minimised, constraint: { at_most: 1.2 } }],
    [],
  ],
  ['qLogEI of a target, unwarped', { kind: 'qLogEI' }, [targeted], [{ output: logarithmic }]],
  ['qLogEI of a sum', { kind: 'qLogEI' }, [minimised, maximised], []],
  ['qLogNEI', { kind: 'qLogNEI' }, [minimised], [{ noise: 0.05 }]],
  ['qLogNEI with a threshold', { kind: 'qLogNEI' }, [minimised, bounded], [{ noise: 0.05 }]],
  ['qUCB', { kind: 'qUCB', beta: 2 }, [maximised], []],
  ['qUCB with a threshold', { kind: 'qUCB', beta: 2 }, [maximised, bounded], []],
  ['qLogNEHVI', { kind: 'qLogNEHVI' }, [minimised, maximised], []],
  [
    'qLogNEHVI, unwarped, with a threshold',
    { kind: 'qLogNEHVI' },
    [minimised, maximised, bounded],
    [{ output: logarithmic }],
  ],
  ['qLogNEHVI of three', { kind: 'qLogNEHVI' }, [minimised, maximised, targeted], []],
  ['qLogNParEGO', { kind: 'qLogNParEGO' }, [minimised, maximised], []],
];

describe.each(choices)('%s', (_, choice, outputs, maps) => {
  const fresh = acquisitionFunction(choice, problemOf(outputs, maps));
  const busy = fresh.withPending(Float64Array.of(0.7, 0.2, 0.15, 0.4), 2);

  it.each([
    ['nothing pending', fresh],
    ['two pending', busy],
  ])('has the derivatives of its values, %s', (_, acquisition) => {
    const draws = Rng.seeded('gradients');
    for (const q of [1, 2, 3].filter((size) => size <= acquisition.jointLimit)) {
      for (let round = 0; round < 3; round++) {
        const points = Float64Array.from({ length: q * d }, () => draws.uniform());
        const { value, gradient } = acquisition.gradient(points, q);
        expect(value).toBe(acquisition.value(points, q));
        const size = Math.max(1, ...gradient.map(Math.abs));
        points.forEach((at, c) => {
          // The smallest error over several step sizes, because kinks of single samples are narrow.
          const errors = [1e-5, 1e-6, 1e-7].map((h) => {
            const shifted = points.slice();
            shifted[c] = at + h;
            const above = acquisition.value(shifted, q);
            shifted[c] = at - h;
            return Math.abs((above - acquisition.value(shifted, q)) / (2 * h) - gradient[c]!) / size;
          });
          expect(Math.min(...errors)).toBeLessThan(1e-5);
        });
      }
    }
  });

  it('gives many points the same values as one at a time', () => {
    const draws = Rng.seeded('many');
    const points = Float64Array.from({ length: 5 * d }, () => draws.uniform());
    for (const acquisition of [fresh, busy]) {
      acquisition.values(points, 5).forEach((value, i) => {
        expect(value).toBeCloseTo(acquisition.value(points.subarray(i * d, i * d + d), 1), 9);
      });
    }
  });

  it('expects almost no gain at a pending point', () => {
    const at = Float64Array.of(0.7, 0.2);
    if (choice.kind !== 'qLogNParEGO' && choice.kind !== 'qUCB')
      expect(busy.value(at, 1)).toBeLessThanOrEqual(fresh.value(at, 1) + 0.2);
    expect(Number.isFinite(busy.value(at, 1))).toBe(true);
  });

  it('gives the same numbers for the same seed', () => {
    const again = acquisitionFunction(choice, problemOf(outputs, maps)).withPending(
      Float64Array.of(0.7, 0.2, 0.15, 0.4),
      2,
    );
    expect(again.value(point, 1)).toBe(busy.value(point, 1));
  });
});

describe('before any result satisfies the thresholds', () => {
  const hard: Output = { key: 't.d', objective: null, constraint: { at_least: 1.4 } };

  it('is greater where the thresholds are more likely satisfied, whatever the objective', () => {
    const problem = problemOf([minimised, hard], []);
    const acquisition = acquisitionFunction({ kind: 'qLogNEI' }, problem);
    const draws = Rng.seeded(1);
    const found = Array.from({ length: 30 }, () =>
      Float64Array.from({ length: d }, () => draws.uniform()),
    ).map((at) => {
      const { mean, covariance } = problem.models[1]!.posterior(at, 1);
      return [normalCdf((mean[0]! - 1.4) / Math.sqrt(covariance[0]!)), acquisition.value(at, 1)] as const;
    });
    for (const [likely, value] of found) {
      expect(Math.exp(value)).toBeLessThan(likely + 0.12);
      expect(Math.exp(value)).toBeGreaterThan(likely - 0.12);
    }
  });
});

describe('bad input', () => {
  it('is refused with its name', () => {
    expect(() => acquisitionFunction({ kind: 'qLogEI' }, problemOf([bounded], []))).toThrow(/objective/);
    expect(() => acquisitionFunction({ kind: 'qUCB', beta: -1 }, problemOf([minimised], []))).toThrow(/beta/);
    expect(() => acquisitionFunction({ kind: 'qLogEI' }, { ...problemOf([minimised], []), n: 0 })).toThrow(
      /measured/,
    );
  });
});

/** The one of several points with the highest value. */
function bestOf(value: (point: Float64Array) => number): Float64Array {
  const draws = Rng.seeded('search');
  const points = Array.from({ length: 200 }, () => Float64Array.from({ length: d }, () => draws.uniform()));
  return points.reduce((best, at) => (value(at) > value(best) ? at : best));
}

/** The measured point with the highest value of the first output. */
function worst({ values, outputs }: AcquisitionProblem): Float64Array {
  let top = 0;
  for (let i = 1; i < n; i++) if (values[i * outputs.length]! > values[top * outputs.length]!) top = i;
  return rows.slice(top * d, top * d + d);
}

function deviationOf(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
