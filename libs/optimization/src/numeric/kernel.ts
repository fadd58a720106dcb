/**
 * The routines in which a fit spends its time. Matrices are square, row by row, without padding; arguments are not
 * changed, results are new arrays.
 */
export interface Kernel {
  readonly name: 'wasm' | 'typescript';
  /**
   * The lower triangular `L` with `L L' = a`, zero above the diagonal.
   *
   * @param a symmetric; only the lower triangle is read
   * @returns null: `a` is not positive definite, or holds something that is not a number
   */
  cholesky(a: Float64Array, n: number): Float64Array | null;
  /** Solves `L x = b` for `count` vectors `b`, one after another in `b`. */
  solveLower(l: Float64Array, n: number, b: Float64Array, count: number): Float64Array;
  /** Solves `L' x = b` likewise. */
  solveLowerTransposed(l: Float64Array, n: number, b: Float64Array, count: number): Float64Array;
  /** The inverse of `L L'`. */
  inverse(l: Float64Array, n: number): Float64Array;
}

/** A pivot that is less than this part of its diagonal entry is rounding. */
export const SMALLEST_PIVOT = 1e-14;

/** The routines work on blocks of so many rows and columns; matrices are padded to whole blocks. */
export const BLOCK = 4;

export const padded = (n: number): number => Math.ceil(n / BLOCK) * BLOCK;

/** Copies the first `columns` of `rows` rows from rows of length `from` to rows of length `to`. */
export function restride(
  source: Float64Array,
  from: number,
  target: Float64Array,
  to: number,
  rows: number,
  columns: number,
): Float64Array {
  if (from === to && columns === to) {
    target.set(source.length === rows * from ? source : source.subarray(0, rows * from));
    return target;
  }
  for (let i = 0; i < rows; i++) target.set(source.subarray(i * from, i * from + columns), i * to);
  return target;
}

/** Zero above the diagonal; ones on the diagonal of the padding, so that it takes part without harm. */
export function loadLower(source: Float64Array, n: number, target: Float64Array, stride: number): void {
  for (let i = 0; i < n; i++) {
    target.set(source.subarray(i * n, i * n + i + 1), i * stride);
    target.fill(0, i * stride + i + 1, (i + 1) * stride);
  }
  for (let i = n; i < stride; i++) {
    target.fill(0, i * stride, (i + 1) * stride);
    target[i * stride + i] = 1;
  }
}

/** The dot products of 4 rows of `a` from `p` with 4 rows of `b` from `q` over columns `from` to `to - 1`. */
function dots(
  a: Float64Array,
  p: number,
  b: Float64Array,
  q: number,
  stride: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  let [s00, s01, s02, s03] = [0, 0, 0, 0];
  let [s10, s11, s12, s13] = [0, 0, 0, 0];
  let [s20, s21, s22, s23] = [0, 0, 0, 0];
  let [s30, s31, s32, s33] = [0, 0, 0, 0];
  const [p1, p2, p3] = [p + stride, p + 2 * stride, p + 3 * stride];
  const [q1, q2, q3] = [q + stride, q + 2 * stride, q + 3 * stride];
  for (let k = from; k < to; k++) {
    const a0 = a[p + k]!;
    const a1 = a[p1 + k]!;
    const a2 = a[p2 + k]!;
    const a3 = a[p3 + k]!;
    const b0 = b[q + k]!;
    const b1 = b[q1 + k]!;
    const b2 = b[q2 + k]!;
    const b3 = b[q3 + k]!;
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    s03 += a0 * b3;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    s13 += a1 * b3;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    s23 += a2 * b3;
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
    s33 += a3 * b3;
  }
  out[0] = s00;
  out[1] = s01;
  out[2] = s02;
  out[3] = s03;
  out[4] = s10;
  out[5] = s11;
  out[6] = s12;
  out[7] = s13;
  out[8] = s20;
  out[9] = s21;
  out[10] = s22;
  out[11] = s23;
  out[12] = s30;
  out[13] = s31;
  out[14] = s32;
  out[15] = s33;
}

/** Finishes a block of `X L' = B` at column `at`, of which `dot` holds what the columns to the left take away. */
function solveBlock(
  x: Float64Array,
  p: number,
  l: Float64Array,
  stride: number,
  at: number,
  dot: Float64Array,
): void {
  for (let r = 0; r < BLOCK; r++) {
    const row = p + r * stride + at;
    for (let c = 0; c < BLOCK; c++) {
      const pivots = (at + c) * stride + at;
      let sum = x[row + c]! - dot[r * BLOCK + c]!;
      for (let k = 0; k < c; k++) sum -= x[row + k]! * l[pivots + k]!;
      x[row + c] = sum / l[pivots + c]!;
    }
  }
}

function choleskyInPlace(l: Float64Array, stride: number): boolean {
  const dot = new Float64Array(BLOCK * BLOCK);
  for (let i = 0; i < stride; i += BLOCK) {
    const p = i * stride;
    for (let j = 0; j < i; j += BLOCK) {
      dots(l, p, l, j * stride, stride, 0, j, dot);
      solveBlock(l, p, l, stride, j, dot);
    }
    dots(l, p, l, p, stride, 0, i, dot);
    for (let r = 0; r < BLOCK; r++) {
      const row = p + r * stride + i;
      for (let c = 0; c <= r; c++) {
        const pivots = p + c * stride + i;
        let sum = l[row + c]! - dot[r * BLOCK + c]!;
        for (let k = 0; k < c; k++) sum -= l[row + k]! * l[pivots + k]!;
        if (c < r) {
          l[row + c] = sum / l[pivots + c]!;
        } else {
          if (!(sum > SMALLEST_PIVOT * l[row + c]! && sum < Infinity)) return false;
          l[row + c] = Math.sqrt(sum);
        }
      }
    }
  }
  return true;
}

/** Rows of `x` become the solutions; `from(i)` is the first column at which a row of the block at row `i` is not zero. */
function solveRows(
  x: Float64Array,
  rows: number,
  l: Float64Array,
  stride: number,
  from: (i: number) => number,
): void {
  const dot = new Float64Array(BLOCK * BLOCK);
  for (let i = 0; i < rows; i += BLOCK) {
    const first = from(i);
    for (let j = first; j < stride; j += BLOCK) {
      dots(x, i * stride, l, j * stride, stride, first, j, dot);
      solveBlock(x, i * stride, l, stride, j, dot);
    }
  }
}

/** The same routines without WebAssembly: blocked for the registers of a processor. */
export const typescriptKernel: Kernel = {
  name: 'typescript',

  cholesky(a, n) {
    const stride = padded(n);
    const l = new Float64Array(stride * stride);
    loadLower(a, n, l, stride);
    if (!choleskyInPlace(l, stride)) return null;
    return stride === n ? l : restride(l, stride, new Float64Array(n * n), n, n, n);
  },

  solveLower(l, n, b, count) {
    const stride = padded(n);
    const rows = padded(count);
    const factor = new Float64Array(stride * stride);
    loadLower(l, n, factor, stride);
    const x = restride(b, n, new Float64Array(rows * stride), stride, count, n);
    solveRows(x, rows, factor, stride, () => 0);
    return restride(x, stride, new Float64Array(count * n), n, count, n);
  },

  solveLowerTransposed(l, n, b, count) {
    const x = b.slice(0, n * count);
    for (let i = n - 1; i >= 0; i--) {
      const row = i * n;
      const pivot = l[row + i]!;
      for (let base = 0; base < x.length; base += n) {
        const value = x[base + i]! / pivot;
        x[base + i] = value;
        for (let k = 0; k < i; k++) x[base + k]! -= l[row + k]! * value;
      }
    }
    return x;
  },

  inverse(l, n) {
    const stride = padded(n);
    const factor = new Float64Array(stride * stride);
    loadLower(l, n, factor, stride);
    // Row i becomes column i of the inverse of L, which is zero left of the diagonal.
    const x = new Float64Array(stride * stride);
    for (let i = 0; i < stride; i++) x[i * stride + i] = 1;
    solveRows(x, stride, factor, stride, (i) => i);
    const dot = new Float64Array(BLOCK * BLOCK);
    const result = new Float64Array(n * n);
    for (let i = 0; i < n; i += BLOCK) {
      for (let j = i; j < n; j += BLOCK) {
        dots(x, i * stride, x, j * stride, stride, j, stride, dot);
        for (let r = 0; r < BLOCK && i + r < n; r++) {
          for (let c = 0; c < BLOCK && j + c < n; c++) {
            result[(i + r) * n + j + c] = dot[r * BLOCK + c]!;
            result[(j + c) * n + i + r] = dot[r * BLOCK + c]!;
          }
        }
      }
    }
    return result;
  },
};
