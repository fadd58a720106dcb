import { at, sum } from './vectors';

/* Triangular matrices, and products of rows. */

/** The dot products of 4 rows from `a` with 2 rows from `b` over `length` numbers: 4 to `out`, and 4 behind them. */
function dots2(a: usize, b: usize, width: usize, length: u32, out: usize): void {
  let s00 = f64x2.splat(0);
  let s01 = s00;
  let s10 = s00;
  let s11 = s00;
  let s20 = s00;
  let s21 = s00;
  let s30 = s00;
  let s31 = s00;
  let a1 = a + width;
  let a2 = a1 + width;
  let a3 = a2 + width;
  let b1 = b + width;
  const end = a + ((length as usize) << 3);
  while (a < end) {
    const u = v128.load(b);
    const v = v128.load(b1);
    let row = v128.load(a);
    s00 = f64x2.add(s00, f64x2.mul(row, u));
    s01 = f64x2.add(s01, f64x2.mul(row, v));
    row = v128.load(a1);
    s10 = f64x2.add(s10, f64x2.mul(row, u));
    s11 = f64x2.add(s11, f64x2.mul(row, v));
    row = v128.load(a2);
    s20 = f64x2.add(s20, f64x2.mul(row, u));
    s21 = f64x2.add(s21, f64x2.mul(row, v));
    row = v128.load(a3);
    s30 = f64x2.add(s30, f64x2.mul(row, u));
    s31 = f64x2.add(s31, f64x2.mul(row, v));
    a += 16;
    a1 += 16;
    a2 += 16;
    a3 += 16;
    b += 16;
    b1 += 16;
  }
  v128.store(out, sums(s00, s10));
  v128.store(out, sums(s20, s30), 16);
  v128.store(out, sums(s01, s11), 32);
  v128.store(out, sums(s21, s31), 48);
}

/** The sums of two pairs. */
function sums(a: v128, b: v128): v128 {
  return f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3));
}

/** The dot products of 4 rows from `a` with 4 rows from `b`, to the first 128 bytes: those with one row of `b` together. */
function dots(a: usize, b: usize, stride: u32, length: u32): void {
  const width = (stride as usize) << 3;
  dots2(a, b, width, length, 0);
  dots2(a, b + 2 * width, width, length, 64);
}

function dot(row: u32, column: u32): f64 {
  return load<f64>(((column * 4 + row) as usize) << 3);
}

/** Finishes a block of `X L' = B` at `column`, of which `dots` holds what the columns to the left take away. */
function solveBlock(x: usize, row: u32, l: usize, stride: u32, column: u32): void {
  const p = at(x, stride, row, column);
  const q = at(l, stride, column, column);
  const width = (stride as usize) << 3;
  solveRows(p, q, width, 0);
  solveRows(p + 2 * width, q, width, 16);
}

/** {@link solveBlock} of two rows at `p`; `taken` is the place of their dot products. */
function solveRows(p: usize, q: usize, width: usize, taken: usize): void {
  const p1 = p + width;
  const q1 = q + width;
  const q2 = q1 + width;
  const q3 = q2 + width;
  let a = v128.load(p);
  let b = v128.load(p1);
  let c0 = f64x2.sub(v128.shuffle<f64>(a, b, 0, 2), v128.load(taken));
  let c1 = f64x2.sub(v128.shuffle<f64>(a, b, 1, 3), v128.load(taken, 32));
  a = v128.load(p, 16);
  b = v128.load(p1, 16);
  let c2 = f64x2.sub(v128.shuffle<f64>(a, b, 0, 2), v128.load(taken, 64));
  let c3 = f64x2.sub(v128.shuffle<f64>(a, b, 1, 3), v128.load(taken, 96));
  c0 = f64x2.div(c0, v128.load64_splat(q));
  c1 = f64x2.div(f64x2.sub(c1, f64x2.mul(c0, v128.load64_splat(q1))), v128.load64_splat(q1, 8));
  c2 = f64x2.sub(c2, f64x2.mul(c0, v128.load64_splat(q2)));
  c2 = f64x2.sub(c2, f64x2.mul(c1, v128.load64_splat(q2, 8)));
  c2 = f64x2.div(c2, v128.load64_splat(q2, 16));
  c3 = f64x2.sub(c3, f64x2.mul(c0, v128.load64_splat(q3)));
  c3 = f64x2.sub(c3, f64x2.mul(c1, v128.load64_splat(q3, 8)));
  c3 = f64x2.sub(c3, f64x2.mul(c2, v128.load64_splat(q3, 16)));
  c3 = f64x2.div(c3, v128.load64_splat(q3, 24));
  v128.store(p, v128.shuffle<f64>(c0, c1, 0, 2));
  v128.store(p, v128.shuffle<f64>(c2, c3, 0, 2), 16);
  v128.store(p1, v128.shuffle<f64>(c0, c1, 1, 3));
  v128.store(p1, v128.shuffle<f64>(c2, c3, 1, 3), 16);
}

/** Rows that are worked on together: what they need of a matrix is read once, and they stay in the caches of a processor. */
const TOGETHER: u32 = 32;

/** Factors the lower triangle of `l` in place; 0: not positive definite. */
export function cholesky(l: usize, stride: u32, smallest: f64): u32 {
  for (let from: u32 = 0; from < stride; from += TOGETHER) {
    const end = min(stride, from + TOGETHER);
    for (let j: u32 = 0; j < end; j += 4) {
      for (let i = max(from, j); i < end; i += 4) {
        dots(at(l, stride, i, 0), at(l, stride, j, 0), stride, j);
        if (i > j) solveBlock(l, i, l, stride, j);
        else if (!factorBlock(l, stride, i, smallest)) return 0;
      }
    }
  }
  return 1;
}

/** Factors the block on the diagonal at `i`, of which `dots` holds what the columns to the left take away. */
function factorBlock(l: usize, stride: u32, i: u32, smallest: f64): bool {
  for (let r: u32 = 0; r < 4; r++) {
    const p = at(l, stride, i + r, i);
    for (let c: u32 = 0; c <= r; c++) {
      const q = at(l, stride, i + c, i);
      const entry = load<f64>(p + (c << 3));
      let value = entry - dot(r, c);
      for (let k: u32 = 0; k < c; k++) value -= load<f64>(p + (k << 3)) * load<f64>(q + (k << 3));
      if (c < r) {
        store<f64>(p + (c << 3), value / load<f64>(q + (c << 3)));
      } else {
        if (!(value > smallest * entry && value < Infinity)) return false;
        store<f64>(p + (c << 3), sqrt(value));
      }
    }
  }
  return true;
}

/** The dot products of 4 rows from `a` with one from `b`, to the first 32 bytes. */
function dotsOfOne(a: usize, b: usize, width: usize, length: u32): void {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let a1 = a + width;
  let a2 = a1 + width;
  let a3 = a2 + width;
  const end = a + ((length as usize) << 3);
  while (a < end) {
    const u = v128.load(b);
    s0 = f64x2.add(s0, f64x2.mul(v128.load(a), u));
    s1 = f64x2.add(s1, f64x2.mul(v128.load(a1), u));
    s2 = f64x2.add(s2, f64x2.mul(v128.load(a2), u));
    s3 = f64x2.add(s3, f64x2.mul(v128.load(a3), u));
    a += 16;
    a1 += 16;
    a2 += 16;
    a3 += 16;
    b += 16;
  }
  store<f64>(0, sum(s0));
  store<f64>(0, sum(s1), 8);
  store<f64>(0, sum(s2), 16);
  store<f64>(0, sum(s3), 24);
}

/** Rows of `x` become the solutions of `x L' = b`. */
export function solveLower(l: usize, stride: u32, x: usize, rows: u32): void {
  const width = (stride as usize) << 3;
  let i: u32 = 0;
  for (; i + 4 <= rows; i += 4) {
    for (let j: u32 = 0; j < stride; j += 4) {
      dots(at(x, stride, i, 0), at(l, stride, j, 0), stride, j);
      solveBlock(x, i, l, stride, j);
    }
  }
  for (; i < rows; i++) {
    const row = at(x, stride, i, 0);
    for (let j: u32 = 0; j < stride; j += 4) {
      dotsOfOne(at(l, stride, j, 0), row, width, j);
      const p = at(x, stride, i, j);
      for (let c: u32 = 0; c < 4; c++) {
        const q = at(l, stride, j + c, j);
        let value = load<f64>(p + (c << 3)) - load<f64>(c << 3);
        for (let k: u32 = 0; k < c; k++) value -= load<f64>(p + (k << 3)) * load<f64>(q + (k << 3));
        store<f64>(p + (c << 3), value / load<f64>(q + (c << 3)));
      }
    }
  }
}

/** Writes the dot products of each of `rows` rows from `a` with each of `others` rows from `b` to `out`. */
export function products(a: usize, rows: u32, b: usize, others: u32, stride: u32, out: usize): void {
  const width = (stride as usize) << 3;
  for (let i: u32 = 0; i < rows; i++) {
    const to = out + (((i * others) as usize) << 3);
    const row = at(a, stride, i, 0);
    let j: u32 = 0;
    for (; j + 4 <= others; j += 4) {
      dotsOfOne(at(b, stride, j, 0), row, width, stride);
      memory.copy(to + (j << 3), 0, 32);
    }
    for (; j < others; j++) {
      let total = f64x2.splat(0);
      for (let k: usize = 0; k < width; k += 16) {
        total = f64x2.add(total, f64x2.mul(v128.load(row + k), v128.load(at(b, stride, j, 0) + k)));
      }
      store<f64>(to + (j << 3), sum(total));
    }
  }
}

/** Takes `v0 a0 + v1 a1 + v2 a2 + v3 a3` from `x`, over `length` numbers; `a0` to `a3` are rows of `width` bytes. */
function takeRows(x: usize, a0: usize, width: usize, length: u32, v0: f64, v1: f64, v2: f64, v3: f64): void {
  let a1 = a0 + width;
  let a2 = a1 + width;
  let a3 = a2 + width;
  const w0 = f64x2.splat(v0);
  const w1 = f64x2.splat(v1);
  const w2 = f64x2.splat(v2);
  const w3 = f64x2.splat(v3);
  const end = x + ((length as usize) << 3);
  while (x < end) {
    let taken = f64x2.mul(w0, v128.load(a0));
    taken = f64x2.add(taken, f64x2.mul(w1, v128.load(a1)));
    taken = f64x2.add(taken, f64x2.mul(w2, v128.load(a2)));
    taken = f64x2.add(taken, f64x2.mul(w3, v128.load(a3)));
    v128.store(x, f64x2.sub(v128.load(x), taken));
    a0 += 16;
    a1 += 16;
    a2 += 16;
    a3 += 16;
    x += 16;
  }
}

/** Rows of `x` become the solutions of `x L = b`. */
export function solveLowerTransposed(l: usize, stride: u32, x: usize, rows: u32): void {
  const width = (stride as usize) << 3;
  for (let i = stride; i > 0;) {
    i -= 4;
    const block = at(l, stride, i, i);
    for (let row: u32 = 0; row < rows; row++) {
      const p = at(x, stride, row, i);
      const v3 = load<f64>(p, 24) / load<f64>(block + 3 * width, 24);
      const v2 =
        (load<f64>(p, 16) - v3 * load<f64>(block + 3 * width, 16)) / load<f64>(block + 2 * width, 16);
      const v1 =
        (load<f64>(p, 8) - v3 * load<f64>(block + 3 * width, 8) - v2 * load<f64>(block + 2 * width, 8)) /
        load<f64>(block + width, 8);
      const v0 =
        (load<f64>(p) -
          v3 * load<f64>(block + 3 * width) -
          v2 * load<f64>(block + 2 * width) -
          v1 * load<f64>(block + width)) /
        load<f64>(block);
      store<f64>(p, v0);
      store<f64>(p, v1, 8);
      store<f64>(p, v2, 16);
      store<f64>(p, v3, 24);
      takeRows(at(x, stride, row, 0), at(l, stride, i, 0), width, i, v0, v1, v2, v3);
    }
  }
}

/** Rows of `x` become the columns of the inverse of `L`, which are zero left of the diagonal; numbers there have no meaning. */
function invertFactor(l: usize, stride: u32, x: usize): void {
  for (let i: u32 = 0; i < stride; i++) {
    memory.fill(at(x, stride, i, i & ~3), 0, ((stride - (i & ~3)) as usize) << 3);
    store<f64>(at(x, stride, i, i), 1);
  }
  for (let from: u32 = 0; from < stride; from += TOGETHER) {
    for (let j = from; j < stride; j += 4) {
      for (let i = from; i <= min(j, from + TOGETHER - 4); i += 4) {
        dots(at(x, stride, i, i), at(l, stride, j, i), stride, j - i);
        solveBlock(x, i, l, stride, j);
      }
    }
  }
}

/** Writes the lower triangle of the inverse of `L L'` over that of `l`; `x` is room for another matrix. */
export function inverse(l: usize, stride: u32, x: usize): void {
  invertFactor(l, stride, x);
  for (let from: u32 = 0; from < stride; from += TOGETHER) {
    const end = min(stride, from + TOGETHER);
    for (let j: u32 = 0; j < end; j += 4) {
      for (let i = max(from, j); i < end; i += 4) {
        dots(at(x, stride, j, i), at(x, stride, i, i), stride, stride - i);
        for (let r: u32 = 0; r < 4; r++) memory.copy(at(l, stride, i + r, j), (r << 5) as usize, 32);
      }
    }
  }
}

/** Writes the diagonal of {@link inverse}, and nothing else that has a meaning. */
export function inverseDiagonal(l: usize, stride: u32, x: usize): void {
  invertFactor(l, stride, x);
  for (let i: u32 = 0; i < stride; i += 4) {
    dots(at(x, stride, i, i), at(x, stride, i, i), stride, stride - i);
    for (let r: u32 = 0; r < 4; r++) store<f64>(at(l, stride, i + r, i + r), dot(r, r));
  }
}
