import { arena, padded, withJitter, type Shape } from '../numeric/index.js';

/**
 * Writes the covariance of `n` points with each other to the arena and factors it, with as much jitter as necessary.
 *
 * @param columns address of the points, `d x padded(n)`, in units of the lengthscales
 * @param noise variance on the diagonal
 * @param l address of the factor, `slope` of the slopes (see `Kernel.covarianceWithin`)
 * @returns the addition to `scale` on the diagonal; null: no jitter makes the matrix positive definite
 */
export function factorCovariance(
  shape: Shape,
  columns: number,
  n: number,
  d: number,
  scale: number,
  noise: number,
  l: number,
  slope: number,
): number | null {
  const { kernel } = arena;
  const stride = padded(n);
  return withJitter(scale + noise, (jitter) => {
    kernel.covarianceWithin(shape, columns, stride, n, d, scale, noise + jitter, l, slope);
    return kernel.cholesky(l, stride) ? noise + jitter : null;
  });
}

/** `log det` of a matrix of order `n` from its factor at `l`. */
export function logDeterminant(l: number, n: number): number {
  const { numbers } = arena;
  const step = padded(n) + 1;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.log(numbers[l + i * step]!);
  return 2 * sum;
}

/** The mean by generalised least squares, `1^T K^-1 z / 1^T K^-1 1`, and related vectors. */
export interface Centred {
  mean: number;
  /** `K^-1 (z - mean)`, `padded(n)` long. */
  alpha: Float64Array;
  /** `K^-1 1`, likewise. */
  ones: Float64Array;
  /** `1^T K^-1 1` */
  precision: number;
}

/**
 * @param noise variance on the diagonal
 * @param l address of the factor of `K`
 * @param room address of room for `2 padded(n)` numbers
 */
export function centre(l: number, z: Float64Array, room: number): Centred {
  const { kernel, numbers } = arena;
  const n = z.length;
  const stride = padded(n);
  numbers.fill(0, room, room + 2 * stride);
  numbers.set(z, room);
  numbers.fill(1, room + stride, room + stride + n);
  kernel.solveLower(l, stride, room, 2);
  kernel.solveLowerTransposed(l, stride, room, 2);
  const alpha = numbers.slice(room, room + stride);
  const ones = numbers.slice(room + stride, room + 2 * stride);
  return { ...takeMean(alpha, ones, n), alpha, ones };
}

/** Subtracts the part of the mean from `alpha`, which is `K^-1 z` before. */
function takeMean(alpha: Float64Array, ones: Float64Array, n: number): { mean: number; precision: number } {
  let precision = 0;
  let weighted = 0;
  for (let i = 0; i < n; i++) {
    precision += ones[i]!;
    weighted += alpha[i]!;
  }
  const mean = weighted / precision;
  for (let i = 0; i < n; i++) alpha[i]! -= mean * ones[i]!;
  return { mean, precision };
}
