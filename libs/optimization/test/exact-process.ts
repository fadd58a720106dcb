import { cholesky, solveCholesky } from '../src/numeric/linalg.js';
import type { Beside, FittedSurrogate, OutputMap, Posterior } from '../src/surrogates/surrogate.js';

/** Values in the scale of the model are the measured ones. */
export const plain: OutputMap = { toModel: (y) => y, fromModel: (z) => z, slope: () => 1 };

/** The model sees the logarithm. */
export const logarithmic: OutputMap = { toModel: Math.log, fromModel: Math.exp, slope: Math.exp };

export interface ExactOptions {
  lengthscale?: number;
  /** Variance of the noise. */
  noise?: number;
  output?: OutputMap;
}

/**
 * A Gaussian process with a squared exponential covariance of variance 1 and given hyperparameters. It follows the
 * textbook without optimisation and serves as the reference of the tests.
 *
 * @param z values in the scale of the model
 */
export function exactProcess(
  rows: Float64Array,
  z: Float64Array,
  d: number,
  { lengthscale = 0.4, noise = 1e-6, output = plain }: ExactOptions = {},
): FittedSurrogate {
  const n = z.length;
  const kernel = (a: Float64Array, i: number, b: Float64Array, j: number) => {
    let squares = 0;
    for (let c = 0; c < d; c++) squares += (a[i * d + c]! - b[j * d + c]!) ** 2;
    return Math.exp((-0.5 * squares) / lengthscale ** 2);
  };
  const own = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) own[i * n + j] = kernel(rows, i, rows, j) + (i === j ? noise : 0);
  }
  const root = cholesky(own, n)!;
  const alpha = solveCholesky(root, n, z);
  return {
    d,
    output,
    noise: Math.sqrt(noise),
    relevance: null,
    timedOut: false,
    leaveOneOut: () => {
      throw new Error('not part of this oracle');
    },
    ...byJointPosterior(d, (points, m) => {
      const cross = Array.from({ length: m }, (_, a) =>
        Float64Array.from({ length: n }, (_, i) => kernel(points, a, rows, i)),
      );
      const weights = cross.map((k) => solveCholesky(root, n, k));
      const inner = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
      const mean = Float64Array.from(cross, (k) => inner(k, alpha));
      const covariance = new Float64Array(m * m);
      for (let a = 0; a < m; a++) {
        for (let b = 0; b < m; b++) {
          covariance[a * m + b] = kernel(points, a, points, b) - inner(cross[a]!, weights[b]!);
        }
      }
      return {
        mean,
        covariance,
        backward(dMean, dCovariance) {
          const gradient = new Float64Array(m * d);
          for (let a = 0; a < m; a++) {
            for (let c = 0; c < d; c++) {
              const at = points[a * d + c]!;
              const slope = (k: number, other: number) => (-k * (at - other)) / lengthscale ** 2;
              for (let i = 0; i < n; i++) {
                const dk = slope(cross[a]![i]!, rows[i * d + c]!);
                gradient[a * d + c]! += dMean[a]! * dk * alpha[i]!;
                for (let b = 0; b < m; b++) {
                  const both = dCovariance[a * m + b]! + dCovariance[b * m + a]!;
                  gradient[a * d + c]! -= both * dk * weights[b]![i]!;
                }
              }
              for (let b = 0; b < m; b++) {
                const both = dCovariance[a * m + b]! + dCovariance[b * m + a]!;
                gradient[a * d + c]! += both * slope(kernel(points, a, points, b), points[b * d + c]!);
              }
            }
          }
          return gradient;
        },
      };
    }),
  };
}

/**
 * The distributions of a surrogate, all from its joint posterior with the fixed points.
 *
 * @param joint as `Surrogate.posterior`, without the covariances with fixed points
 */
export function byJointPosterior(
  d: number,
  joint: (points: Float64Array, m: number) => Omit<Posterior, 'cross'>,
): Pick<FittedSurrogate, 'posterior' | 'means' | 'beside'> {
  const beside = (stay: Float64Array, f: number): Beside => {
    const posterior = (points: Float64Array, m: number): Posterior => {
      const width = f + m;
      const all = joint(Float64Array.of(...stay.subarray(0, f * d), ...points.subarray(0, m * d)), width);
      const entry = (a: number, b: number) => all.covariance[a * width + b]!;
      const block = (columns: number, from: number) =>
        Float64Array.from({ length: m * columns }, (_, at) =>
          entry(f + Math.floor(at / columns), from + (at % columns)),
        );
      return {
        mean: all.mean.slice(f),
        covariance: block(m, f),
        cross: block(f, 0),
        backward(dMean, dCovariance, dCross = new Float64Array(m * f)) {
          const dAll = new Float64Array(width * width);
          for (let a = 0; a < m; a++) {
            for (let b = 0; b < m; b++) dAll[(f + a) * width + f + b] = dCovariance[a * m + b]!;
            for (let b = 0; b < f; b++) dAll[(f + a) * width + b] = dCross[a * f + b]!;
          }
          return all.backward(Float64Array.of(...new Float64Array(f), ...dMean), dAll).slice(f * d);
        },
      };
    };
    const marginals = (points: Float64Array, m: number) => {
      const each = Array.from({ length: m }, (_, a) => posterior(points.subarray(a * d, a * d + d), 1));
      return {
        mean: Float64Array.from(each, ({ mean }) => mean[0]!),
        variance: Float64Array.from(each, ({ covariance }) => covariance[0]!),
        cross: Float64Array.from(each.flatMap(({ cross }) => [...cross])),
      };
    };
    return { posterior, marginals };
  };
  const posterior = (points: Float64Array, m: number) => beside(new Float64Array(0), 0).posterior(points, m);
  return { posterior, means: (points, m) => posterior(points, m).mean, beside };
}
