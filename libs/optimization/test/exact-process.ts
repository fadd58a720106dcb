import { cholesky, solveCholesky } from '../src/numeric/index.js';
import type { FittedSurrogate, OutputMap } from '../src/surrogates/surrogate.js';

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
 * A Gaussian process with a squared exponential covariance of variance 1 and given hyperparameters, written out from the
 * textbook without regard to cost: the oracle of the tests.
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
    hyperparameters: {},
    timedOut: false,
    leaveOneOut: () => {
      throw new Error('not part of this oracle');
    },
    posterior(points, m) {
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
    },
  };
}
