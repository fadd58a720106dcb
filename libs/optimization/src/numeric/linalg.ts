import { arena } from './arena.js';
import { padded } from './kernel.js';

/**
 * Dense linear algebra on Float64Array, row by row, without padding. `n` is the order of a square matrix. Right-hand
 * sides of length `n` stand one after another. Arguments are not changed. After Golub and Van Loan (2013), "Matrix
 * Computations", sections 3.1 and 4.2.
 */

/** With fewer numbers to solve for, packing for the kernel costs more than it saves. */
const WORTH_PACKING = 200;

function packLower(a: Float64Array, n: number, numbers: Float64Array, at: number, stride: number): void {
  for (let i = 0; i < stride; i++) {
    const row = at + i * stride;
    numbers.fill(0, row, row + stride);
    if (i < n) for (let j = 0; j <= i; j++) numbers[row + j] = a[i * n + j]!;
    else numbers[row + i] = 1;
  }
}

/**
 * The lower triangular `L` with `L L' = a`, zero above the diagonal; null: `a` is not positive definite, or contains
 * NaN or Infinity.
 *
 * @param a symmetric, `n x n`; only the lower triangle is read
 */
export function cholesky(a: Float64Array, n: number): Float64Array | null {
  const stride = padded(n);
  const at = arena.room(stride * stride);
  const { kernel, numbers } = arena;
  packLower(a, n, numbers, at, stride);
  if (!kernel.cholesky(at, stride)) return null;
  const l = new Float64Array(n * n);
  for (let i = 0; i < n; i++) l.set(numbers.subarray(at + i * stride, at + i * stride + i + 1), i * n);
  return l;
}

/** Shares of the mean of a diagonal that are added to it until the matrix is positive definite. */
const JITTERS = [0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/**
 * Repeats an attempt with more and more on the diagonal of a matrix that rounding may have made indefinite.
 *
 * @param scale the mean of the diagonal
 * @param attempt gets the number to add to each entry of the diagonal
 * @returns the first result; null: even 1e-4 of the scale was not enough
 */
export function withJitter<T>(scale: number, attempt: (jitter: number) => T | null): T | null {
  for (const part of JITTERS) {
    const found = attempt(part * scale);
    if (found !== null) return found;
  }
  return null;
}

/** {@link cholesky} of `a` with the least sufficient jitter (see {@link withJitter}); null: none is enough. */
export function choleskyWithJitter(a: Float64Array, n: number): Float64Array | null {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += a[i * n + i]!;
  return withJitter(trace > 0 ? trace / n : 1, (jitter) => {
    if (jitter === 0) return cholesky(a, n);
    const shifted = Float64Array.from(a);
    for (let i = 0; i < n; i++) shifted[i * n + i]! += jitter;
    return cholesky(shifted, n);
  });
}

/** Solves `L x = b`. */
export function solveLower(l: Float64Array, n: number, b: Float64Array, count = 1): Float64Array {
  if (n * count >= WORTH_PACKING) return solved('solveLower', l, n, b, count);
  const x = b.slice(0, n * count);
  for (let base = 0; base < x.length; base += n) {
    for (let i = 0; i < n; i++) {
      const row = i * n;
      let sum = x[base + i]!;
      for (let k = 0; k < i; k++) sum -= l[row + k]! * x[base + k]!;
      x[base + i] = sum / l[row + i]!;
    }
  }
  return x;
}

/** Solves `L' x = b`. */
export function solveLowerTransposed(l: Float64Array, n: number, b: Float64Array, count = 1): Float64Array {
  if (n * count >= WORTH_PACKING) return solved('solveLowerTransposed', l, n, b, count);
  const x = b.slice(0, n * count);
  for (let base = 0; base < x.length; base += n) {
    for (let i = n - 1; i >= 0; i--) {
      const row = i * n;
      const value = x[base + i]! / l[row + i]!;
      x[base + i] = value;
      for (let k = 0; k < i; k++) x[base + k]! -= l[row + k]! * value;
    }
  }
  return x;
}

function solved(
  routine: 'solveLower' | 'solveLowerTransposed',
  l: Float64Array,
  n: number,
  b: Float64Array,
  count: number,
): Float64Array {
  const stride = padded(n);
  const at = arena.room((stride + count) * stride);
  const { kernel, numbers } = arena;
  packLower(l, n, numbers, at, stride);
  const x = at + stride * stride;
  numbers.fill(0, x, x + count * stride);
  for (let k = 0; k < count; k++) numbers.set(b.subarray(k * n, k * n + n), x + k * stride);
  kernel[routine](at, stride, x, count);
  const result = new Float64Array(count * n);
  for (let k = 0; k < count; k++) result.set(numbers.subarray(x + k * stride, x + k * stride + n), k * n);
  return result;
}

/** Solves `L L' x = b`. */
export function solveCholesky(l: Float64Array, n: number, b: Float64Array, count = 1): Float64Array {
  return solveLowerTransposed(l, n, solveLower(l, n, b, count), count);
}

/**
 * The dot products of each of `rows` rows with each row of a matrix that is used often.
 *
 * @param a `rows x stride`, with `stride` from {@link padded}
 * @param b `others x stride`, known by its identity: its content must not change
 * @returns `rows x others`
 */
export function multiplyTransposed(
  a: Float64Array,
  rows: number,
  b: Float64Array,
  others: number,
  stride: number,
): Float64Array {
  const [right] = arena.residents(b) as [number];
  const left = arena.room(rows * (stride + others));
  const out = left + rows * stride;
  const { kernel, numbers } = arena;
  numbers.set(a, left);
  kernel.products(left, rows, right, others, stride, out);
  return numbers.slice(out, out + rows * others);
}

/** `sum a[p + k] b[q + k]` over `length` entries. */
export function dot(a: Float64Array, b: Float64Array, length: number, p = 0, q = 0): number {
  let even = 0;
  let odd = 0;
  let k = 0;
  for (; k + 1 < length; k += 2) {
    even += a[p + k]! * b[q + k]!;
    odd += a[p + k + 1]! * b[q + k + 1]!;
  }
  if (k < length) even += a[p + k]! * b[q + k]!;
  return even + odd;
}

/** `a x` of a square matrix and a vector. */
export function timesVector(a: Float64Array, n: number, x: Float64Array): Float64Array {
  const product = new Float64Array(n);
  for (let i = 0; i < n; i++) product[i] = dot(a, x, n, i * n, 0);
  return product;
}

/** Rows of equal length one after another. @param d their length; needed when there may be none */
export function joined(rows: readonly Float64Array[], d = rows[0]!.length): Float64Array {
  const all = new Float64Array(rows.length * d);
  rows.forEach((row, i) => all.set(row, i * d));
  return all;
}

export function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - b[i]!);
}
