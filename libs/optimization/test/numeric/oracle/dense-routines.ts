import { BLOCK, type Kernel, SMALLEST_PIVOT } from '../../../src/numeric/kernel.js';

/* The routines of the kernel for triangles, in TypeScript: blocked for the registers of a processor. `a` is the memory. */

/**
 * Writes the dot products of 4 rows at `p` with 4 rows at `q`, over columns `from` to `to - 1`, to the first numbers.
 */
function dots(a: Float64Array, p: number, q: number, stride: number, from: number, to: number): void {
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
    const b0 = a[q + k]!;
    const b1 = a[q1 + k]!;
    const b2 = a[q2 + k]!;
    const b3 = a[q3 + k]!;
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
  a[0] = s00;
  a[1] = s01;
  a[2] = s02;
  a[3] = s03;
  a[4] = s10;
  a[5] = s11;
  a[6] = s12;
  a[7] = s13;
  a[8] = s20;
  a[9] = s21;
  a[10] = s22;
  a[11] = s23;
  a[12] = s30;
  a[13] = s31;
  a[14] = s32;
  a[15] = s33;
}

/**
 * Finishes a block of `X L' = B` at column `at`. The first numbers hold the sums to subtract for the columns on the
 * left.
 */
function solveBlock(a: Float64Array, p: number, rows: number, l: number, stride: number, at: number): void {
  for (let r = 0; r < rows; r++) {
    const row = p + r * stride + at;
    for (let c = 0; c < BLOCK; c++) {
      const pivots = l + (at + c) * stride + at;
      let sum = a[row + c]! - a[r * BLOCK + c]!;
      for (let k = 0; k < c; k++) sum -= a[row + k]! * a[pivots + k]!;
      a[row + c] = sum / a[pivots + c]!;
    }
  }
}

export function cholesky(a: Float64Array, l: number, stride: number): boolean {
  for (let i = 0; i < stride; i += BLOCK) {
    const p = l + i * stride;
    for (let j = 0; j < i; j += BLOCK) {
      dots(a, p, l + j * stride, stride, 0, j);
      solveBlock(a, p, BLOCK, l, stride, j);
    }
    dots(a, p, p, stride, 0, i);
    for (let r = 0; r < BLOCK; r++) {
      const row = p + r * stride + i;
      for (let c = 0; c <= r; c++) {
        const pivots = p + c * stride + i;
        let sum = a[row + c]! - a[r * BLOCK + c]!;
        for (let k = 0; k < c; k++) sum -= a[row + k]! * a[pivots + k]!;
        if (c < r) {
          a[row + c] = sum / a[pivots + c]!;
        } else {
          if (!(sum > SMALLEST_PIVOT * a[row + c]! && sum < Infinity)) return false;
          a[row + c] = Math.sqrt(sum);
        }
      }
    }
  }
  return true;
}

export function solveLower(a: Float64Array, l: number, stride: number, x: number, rows: number): void {
  const whole = rows - (rows % BLOCK);
  for (let i = 0; i < whole; i += BLOCK) solveRows(a, l, stride, x + i * stride, 0);
  for (let i = whole; i < rows; i++) {
    const row = x + i * stride;
    for (let j = 0; j < stride; j++) {
      let sum = a[row + j]!;
      for (let k = 0, p = l + j * stride; k < j; k++, p++) sum -= a[p]! * a[row + k]!;
      a[row + j] = sum / a[l + j * stride + j]!;
    }
  }
}

/** Solves for a block of rows that are 0 before column `from`. */
function solveRows(a: Float64Array, l: number, stride: number, x: number, from: number): void {
  for (let j = from; j < stride; j += BLOCK) {
    dots(a, x, l + j * stride, stride, from, j);
    solveBlock(a, x, BLOCK, l, stride, j);
  }
}

export function solveLowerTransposed(
  a: Float64Array,
  l: number,
  stride: number,
  x: number,
  rows: number,
): void {
  for (let i = stride - 1; i >= 0; i--) {
    const row = l + i * stride;
    for (let base = x; base < x + rows * stride; base += stride) {
      const value = a[base + i]! / a[row + i]!;
      a[base + i] = value;
      for (let k = 0; k < i; k++) a[base + k]! -= a[row + k]! * value;
    }
  }
}

export function inverse(a: Float64Array, l: number, stride: number, room: number): void {
  // Row i becomes column i of the inverse of L, which is 0 left of the diagonal.
  a.fill(0, room, room + stride * stride);
  for (let i = 0; i < stride; i++) a[room + i * stride + i] = 1;
  for (let i = 0; i < stride; i += BLOCK) solveRows(a, l, stride, room + i * stride, i);
  for (let i = 0; i < stride; i += BLOCK) {
    for (let j = 0; j <= i; j += BLOCK) {
      dots(a, room + i * stride, room + j * stride, stride, i, stride);
      for (let r = 0; r < BLOCK; r++) {
        for (let c = 0; c < BLOCK; c++) a[l + (i + r) * stride + j + c] = a[r * BLOCK + c]!;
      }
    }
  }
}

export function products(
  a: Float64Array,
  ...[left, rows, right, others, stride, out]: Parameters<Kernel['products']>
): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < others; j++) {
      const [p, q] = [left + i * stride, right + j * stride];
      let sum = 0;
      for (let k = 0; k < stride; k++) sum += a[p + k]! * a[q + k]!;
      a[out + i * others + j] = sum;
    }
  }
}
