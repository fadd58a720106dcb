import { padded, type Shape } from '../numeric/index.js';

/**
 * Matern-5/2 and squared exponential covariances with one lengthscale per group of columns (automatic relevance
 * determination). C. E. Rasmussen, C. K. I. Williams: Gaussian Processes for Machine Learning, 2006, eq. 4.9, 4.17 and
 * section 5.1.
 */

const SQRT5 = Math.sqrt(5);

/** Which columns share a lengthscale: group of each column, groups counted from 0. */
export interface Groups {
  readonly of: Int32Array;
  readonly count: number;
}

/** `1 / lengthscale` of each column. */
export function inverseLengthscales(groups: Groups, logLengthscales: ArrayLike<number>): Float64Array {
  return Float64Array.from(groups.of, (group) => Math.exp(-logLengthscales[group]!));
}

/** Rows in units of the lengthscales. */
export function scaleRows(rows: Float64Array, n: number, inverse: Float64Array): Float64Array {
  const d = inverse.length;
  const out = new Float64Array(n * d);
  for (let i = 0, at = 0; i < n; i++) for (let c = 0; c < d; c++, at++) out[at] = rows[at]! * inverse[c]!;
  return out;
}

/** `n` rows of length `d` column by column, `d x padded(n)`, for the covariances of the kernel. */
export function columnsOf(rows: Float64Array, n: number, d: number): Float64Array {
  const stride = padded(n);
  const columns = new Float64Array(d * stride);
  for (let i = 0; i < n; i++) for (let c = 0; c < d; c++) columns[c * stride + i] = rows[i * d + c]!;
  return columns;
}

/** Columns in units of the lengthscales, written to `target` from `at` on. */
export function scaleColumns(
  columns: Float64Array,
  inverse: Float64Array,
  target: Float64Array,
  at: number,
): void {
  const stride = columns.length / inverse.length;
  for (let c = 0, from = 0; c < inverse.length; c++) {
    for (let i = 0; i < stride; i++, from++) target[at + from] = columns[from]! * inverse[c]!;
  }
}

/**
 * Covariances of rows of `a` with rows of `b`, in units of the lengthscales, for numbers too small for the kernel.
 *
 * @returns `covariance` (`p x q`), and `slope` with `d covariance / d a_c = -slope * (a_c - b_c)` in those units
 */
export function crossCovariance(
  shape: Shape,
  a: Float64Array,
  p: number,
  b: Float64Array,
  q: number,
  d: number,
  scale: number,
): { covariance: Float64Array; slope: Float64Array } {
  const covariance = new Float64Array(p * q);
  const slope = new Float64Array(p * q);
  for (let i = 0, at = 0; i < p; i++) {
    for (let j = 0; j < q; j++, at++) {
      let squared = 0;
      for (let c = 0, x = i * d, y = j * d; c < d; c++, x++, y++) {
        const difference = a[x]! - b[y]!;
        squared += difference * difference;
      }
      if (shape === 'squared_exponential') {
        covariance[at] = slope[at] = scale * Math.exp(-squared / 2);
        continue;
      }
      const r = SQRT5 * Math.sqrt(squared);
      const decay = scale * Math.exp(-r);
      covariance[at] = decay * (1 + r + (r * r) / 3);
      slope[at] = decay * (5 / 3) * (1 + r);
    }
  }
  return { covariance, slope };
}
