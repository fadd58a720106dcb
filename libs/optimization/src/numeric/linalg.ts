import { type Kernel, typescriptKernel } from './kernel.js';
import { wasmKernel } from './wasm.js';

/**
 * Dense linear algebra on Float64Array, row by row. `n` is the order of a square matrix. Several right-hand sides stand
 * one after another, each of length `n`. Arguments are not changed unless it says so. After Golub and Van Loan (2013),
 * "Matrix Computations", sections 3.1 and 4.2.
 */
const kernel: Kernel = wasmKernel() ?? typescriptKernel;

/** With fewer numbers to solve for, the kernel costs more to pack for than it saves. */
const WORTH_PACKING = 200;

/**
 * The lower triangular `L` with `L L' = a`, zero above the diagonal.
 *
 * @param a symmetric, `n x n`; only the lower triangle is read
 * @returns null: `a` is not positive definite, or holds something that is not a number
 */
export function cholesky(a: Float64Array, n: number): Float64Array | null {
  return kernel.cholesky(a, n);
}

/** A factor of a matrix that had to be made positive definite. */
export interface JitteredCholesky {
  factor: Float64Array;
  /** What was added to each entry of the diagonal; 0: nothing. */
  jitter: number;
}

/**
 * {@link cholesky} of `a + jitter I`, with the least jitter that serves: 0, then from 1e-8 tenfold up to 1e-4 times the
 * mean of the diagonal.
 *
 * @returns null: not even the last one serves
 */
export function choleskyWithJitter(a: Float64Array, n: number): JitteredCholesky | null {
  const plain = cholesky(a, n);
  if (plain !== null) return { factor: plain, jitter: 0 };
  let trace = 0;
  for (let i = 0; i < n; i++) trace += a[i * n + i]!;
  const scale = trace > 0 ? trace / n : 1;
  const shifted = Float64Array.from(a);
  for (let exponent = -8; exponent <= -4; exponent++) {
    const jitter = scale * 10 ** exponent;
    for (let i = 0; i < n; i++) shifted[i * n + i] = a[i * n + i]! + jitter;
    const factor = cholesky(shifted, n);
    if (factor !== null) return { factor, jitter };
  }
  return null;
}

/** Solves `L x = b`. */
export function solveLower(l: Float64Array, n: number, b: Float64Array, count = 1): Float64Array {
  if (n * count >= WORTH_PACKING) return kernel.solveLower(l, n, b, count);
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
  const by = n * count >= WORTH_PACKING ? kernel : typescriptKernel;
  return by.solveLowerTransposed(l, n, b, count);
}

/** Solves `L L' x = b`. */
export function solveCholesky(l: Float64Array, n: number, b: Float64Array, count = 1): Float64Array {
  return solveLowerTransposed(l, n, solveLower(l, n, b, count), count);
}

/** The inverse of `L L'`, exactly symmetric. */
export function inverseFromCholesky(l: Float64Array, n: number): Float64Array {
  return kernel.inverse(l, n);
}

/** `log det(L L')`. */
export function logDeterminant(l: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Math.log(l[i * n + i]!);
  return 2 * sum;
}

/**
 * The factor of a matrix that grew by one row and column, in O(n^2).
 *
 * @param l factor of the first `n` rows and columns
 * @param column the new column above its diagonal entry, length `n`
 * @param diagonal the new diagonal entry
 * @returns `(n + 1) x (n + 1)`; null: the grown matrix is not positive definite
 */
export function appendToCholesky(
  l: Float64Array,
  n: number,
  column: Float64Array,
  diagonal: number,
): Float64Array | null {
  const row = solveLower(l, n, column);
  let pivot = diagonal;
  for (let i = 0; i < n; i++) pivot -= row[i]! * row[i]!;
  if (!(pivot > 1e-14 * diagonal && pivot < Infinity)) return null;
  const m = n + 1;
  const grown = new Float64Array(m * m);
  for (let i = 0; i < n; i++) grown.set(l.subarray(i * n, i * n + i + 1), i * m);
  grown.set(row, n * m);
  grown[n * m + n] = Math.sqrt(pivot);
  return grown;
}

/** `a b` of `a` (`rows x inner`) and `b` (`inner x columns`). */
export function multiply(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  inner: number,
  columns: number,
): Float64Array {
  const product = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    const at = i * columns;
    for (let k = 0; k < inner; k++) {
      const factor = a[i * inner + k]!;
      const from = k * columns;
      for (let j = 0; j < columns; j++) product[at + j]! += factor * b[from + j]!;
    }
  }
  return product;
}

/** `a b'` of `a` (`rows x inner`) and `b` (`columns x inner`): the dot products of their rows. */
export function multiplyTransposed(
  a: Float64Array,
  b: Float64Array,
  rows: number,
  inner: number,
  columns: number,
): Float64Array {
  const product = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      product[i * columns + j] = dot(a, b, inner, i * inner, j * inner);
    }
  }
  return product;
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

/** The transpose of `a` (`rows x columns`). */
export function transpose(a: Float64Array, rows: number, columns: number): Float64Array {
  const result = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) result[j * rows + i] = a[i * columns + j]!;
  }
  return result;
}

/**
 * Reverse mode of {@link cholesky} (Murray 2016, "Differentiation of the Cholesky decomposition", eq. 10).
 *
 * @param l the factor
 * @param dL derivatives with respect to its entries; those above the diagonal are not read
 * @returns derivatives with respect to the entries of the matrix, `n x n`, symmetric: what `f` changes by is the sum of
 *   their products with a symmetric change of the matrix, entry by entry
 */
export function choleskyBackward(l: Float64Array, n: number, dL: Float64Array): Float64Array {
  // P = lower triangle of L' dL, with half its diagonal.
  const p = new Float64Array(n * n);
  for (let k = 0; k < n; k++) {
    const row = k * n;
    for (let i = 0; i <= k; i++) {
      const factor = l[row + i]!;
      for (let j = 0; j <= i; j++) p[i * n + j]! += factor * dL[row + j]!;
    }
  }
  for (let i = 0; i < n; i++) p[i * n + i]! *= 0.5;
  // S = L'^-1 P L^-1: rows of P L^-1 first, then rows of the transpose of S.
  const half = transpose(solveLowerTransposed(l, n, p, n), n, n);
  const s = solveLowerTransposed(l, n, half, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = 0.5 * (s[i * n + j]! + s[j * n + i]!);
      s[i * n + j] = mean;
      s[j * n + i] = mean;
    }
  }
  return s;
}
