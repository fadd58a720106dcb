/**
 * The routines of src/numeric/kernel.ts in AssemblyScript; what they do is said there. Matrices lie in linear memory, row by
 * row, `stride` numbers of 8 bytes to a row; addresses are those of bytes. `stride` is a whole multiple of 4. No memory is
 * allocated: callers place everything from byte 128 on, and the first 128 bytes take the 16 results of `dots`.
 */

function at(matrix: usize, stride: u32, row: u32, column: u32): usize {
  return matrix + (((row * stride + column) as usize) << 3);
}

function sum(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** The dot products of 4 rows from `a` with 2 rows from `b` over `length` numbers, to `out` and `out + 8`. */
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
  store<f64>(out, sum(s00));
  store<f64>(out, sum(s01), 8);
  store<f64>(out, sum(s10), 32);
  store<f64>(out, sum(s11), 40);
  store<f64>(out, sum(s20), 64);
  store<f64>(out, sum(s21), 72);
  store<f64>(out, sum(s30), 96);
  store<f64>(out, sum(s31), 104);
}

/** The dot products of 4 rows from `a` with 4 rows from `b`, to the first 128 bytes. */
function dots(a: usize, b: usize, stride: u32, length: u32): void {
  const width = (stride as usize) << 3;
  dots2(a, b, width, length, 0);
  dots2(a, b + 2 * width, width, length, 16);
}

function dot(row: u32, column: u32): f64 {
  return load<f64>(((row * 4 + column) as usize) << 3);
}

/** Finishes a block of `X L' = B` at `column`, of which `dots` holds what the columns to the left take away. */
function solveBlock(x: usize, row: u32, l: usize, stride: u32, column: u32): void {
  for (let r: u32 = 0; r < 4; r++) {
    const p = at(x, stride, row + r, column);
    for (let c: u32 = 0; c < 4; c++) {
      const q = at(l, stride, column + c, column);
      let value = load<f64>(p + (c << 3)) - dot(r, c);
      for (let k: u32 = 0; k < c; k++) value -= load<f64>(p + (k << 3)) * load<f64>(q + (k << 3));
      store<f64>(p + (c << 3), value / load<f64>(q + (c << 3)));
    }
  }
}

/** Factors the lower triangle of `l` in place; 0: not positive definite. */
export function cholesky(l: usize, stride: u32, smallest: f64): u32 {
  for (let i: u32 = 0; i < stride; i += 4) {
    for (let j: u32 = 0; j < i; j += 4) {
      dots(at(l, stride, i, 0), at(l, stride, j, 0), stride, j);
      solveBlock(l, i, l, stride, j);
    }
    dots(at(l, stride, i, 0), at(l, stride, i, 0), stride, i);
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
          if (!(value > smallest * entry && value < Infinity)) return 0;
          store<f64>(p + (c << 3), sqrt(value));
        }
      }
    }
  }
  return 1;
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

/** Writes the lower triangle of the inverse of `L L'` over that of `l`; `x` is room for another matrix. */
export function inverse(l: usize, stride: u32, x: usize): void {
  // Row i of x becomes column i of the inverse of L, which is zero left of the diagonal.
  memory.fill(x, 0, ((stride * stride) as usize) << 3);
  for (let i: u32 = 0; i < stride; i += 4) {
    for (let r: u32 = 0; r < 4; r++) store<f64>(at(x, stride, i + r, i + r), 1);
    for (let j = i; j < stride; j += 4) {
      dots(at(x, stride, i, i), at(l, stride, j, i), stride, j - i);
      solveBlock(x, i, l, stride, j);
    }
  }
  for (let i: u32 = 0; i < stride; i += 4) {
    for (let j: u32 = 0; j <= i; j += 4) {
      dots(at(x, stride, i, i), at(x, stride, j, i), stride, stride - i);
      for (let r: u32 = 0; r < 4; r++) {
        for (let c: u32 = 0; c < 4; c++) store<f64>(at(l, stride, i + r, j + c), dot(r, c));
      }
    }
  }
}

/** `exp(-r)` for `r` from -700 to 700; what is beyond counts as 700. By powers of two and the series of the rest. */
function decay(r: v128): v128 {
  const within = f64x2.max(f64x2.min(r, f64x2.splat(700)), f64x2.splat(-700));
  const k = f64x2.nearest(f64x2.mul(within, f64x2.splat(1.4426950408889634)));
  // From -log(2) / 2 to log(2) / 2; log(2) in two parts, so that the difference is exact.
  let f = f64x2.sub(f64x2.mul(k, f64x2.splat(0.6931471803691238)), within);
  f = f64x2.add(f, f64x2.mul(k, f64x2.splat(1.9082149292705877e-10)));
  let e = f64x2.splat(1.6059043836821613e-10);
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(2.08767569878681e-9));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(2.505210838544172e-8));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(2.755731922398589e-7));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(2.7557319223985893e-6));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(2.48015873015873e-5));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(1.984126984126984e-4));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(1.388888888888889e-3));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(8.333333333333333e-3));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(4.1666666666666664e-2));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(0.16666666666666666));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(0.5));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(1));
  e = f64x2.add(f64x2.mul(e, f), f64x2.splat(1));
  // 2 to the power of -k: the lowest bits of the sum are those of the exponent.
  const exponent = f64x2.sub(f64x2.splat(6755399441056767), k);
  return f64x2.mul(e, i64x2.shl(exponent, 52));
}

/** Of two squared distances: covariances to `covariance`, slopes to `slope`. */
function maternOf(squared: v128, scale: v128, covariance: usize, slope: usize): void {
  const r = f64x2.sqrt(f64x2.mul(squared, f64x2.splat(5)));
  const fall = f64x2.mul(scale, decay(r));
  const linear = f64x2.add(r, f64x2.splat(1));
  const square = f64x2.mul(f64x2.mul(r, r), f64x2.splat(1.0 / 3.0));
  v128.store(covariance, f64x2.mul(fall, f64x2.add(linear, square)));
  v128.store(slope, f64x2.mul(f64x2.mul(fall, f64x2.splat(5.0 / 3.0)), linear));
}

/** Matern-5/2 covariances of one point with the first `count` of the points in `columns`, `count` a multiple of 4. */
function maternRow(
  point: usize,
  step: usize,
  columns: usize,
  stride: u32,
  d: u32,
  count: u32,
  scale: f64,
  covariance: usize,
  slope: usize,
): void {
  const width = (stride as usize) << 3;
  const scales = f64x2.splat(scale);
  for (let j: usize = 0; j < (count as usize) << 3; j += 32) {
    let first = f64x2.splat(0);
    let second = first;
    let x = columns + j;
    let p = point;
    for (let c: u32 = 0; c < d; c++) {
      const own = v128.load64_splat(p);
      const u = f64x2.sub(v128.load(x), own);
      const v = f64x2.sub(v128.load(x, 16), own);
      first = f64x2.add(first, f64x2.mul(u, u));
      second = f64x2.add(second, f64x2.mul(v, v));
      x += width;
      p += step;
    }
    maternOf(first, scales, covariance + j, slope + j);
    maternOf(second, scales, covariance + j + 16, slope + j + 16);
  }
}

export function maternBetween(
  points: usize,
  rows: u32,
  columns: usize,
  stride: u32,
  n: u32,
  d: u32,
  scale: f64,
  covariance: usize,
  slope: usize,
): void {
  for (let i: u32 = 0; i < rows; i++) {
    const k = at(covariance, stride, i, 0);
    const s = at(slope, stride, i, 0);
    maternRow(points + (((i * d) as usize) << 3), 8, columns, stride, d, stride, scale, k, s);
    for (let j = n; j < stride; j++) {
      store<f64>(k + ((j as usize) << 3), 0);
      store<f64>(s + ((j as usize) << 3), 0);
    }
  }
}

export function maternWithin(
  columns: usize,
  stride: u32,
  n: u32,
  d: u32,
  scale: f64,
  noise: f64,
  covariance: usize,
  slope: usize,
): void {
  const width = (stride as usize) << 3;
  for (let i: u32 = 0; i < stride; i++) {
    const k = at(covariance, stride, i, 0);
    const s = at(slope, stride, i, 0);
    if (i < n) {
      maternRow(columns + ((i as usize) << 3), width, columns, stride, d, (i & ~3) + 4, scale, k, s);
    } else {
      memory.fill(k, 0, width);
      memory.fill(s, 0, width);
    }
    store<f64>(k + ((i as usize) << 3), i < n ? scale + noise : 1);
    store<f64>(s + ((i as usize) << 3), 0);
  }
}

export function maternPull(
  inverse: usize,
  alpha: usize,
  slope: usize,
  columns: usize,
  stride: u32,
  n: u32,
  d: u32,
  out: usize,
): void {
  const width = (stride as usize) << 3;
  memory.fill(out, 0, (d as usize) << 3);
  for (let i: u32 = 1; i < n; i++) {
    // Slopes on the diagonal are 0: an odd row ends with one.
    const length = (((i + 1) & ~1) as usize) << 3;
    const k = at(inverse, stride, i, 0);
    const s = at(slope, stride, i, 0);
    const own = v128.load64_splat(alpha + ((i as usize) << 3));
    for (let j: usize = 0; j < length; j += 16) {
      const both = f64x2.sub(v128.load(k + j), f64x2.mul(own, v128.load(alpha + j)));
      v128.store(s + j, f64x2.mul(both, v128.load(s + j)));
    }
    for (let c: u32 = 0; c < d; c++) {
      const x = columns + (c as usize) * width;
      const here = v128.load64_splat(x + ((i as usize) << 3));
      let total = f64x2.splat(0);
      for (let j: usize = 0; j < length; j += 16) {
        const u = f64x2.sub(v128.load(x + j), here);
        total = f64x2.add(total, f64x2.mul(v128.load(s + j), f64x2.mul(u, u)));
      }
      const to = out + ((c as usize) << 3);
      store<f64>(to, load<f64>(to) + sum(total));
    }
  }
}

/** Of two numbers. */
function tanh(x: v128): v128 {
  const one = f64x2.splat(1);
  return f64x2.sub(one, f64x2.div(f64x2.splat(2), f64x2.add(decay(f64x2.mul(x, f64x2.splat(-2))), one)));
}

export function networkForward(
  parameters: usize,
  d: u32,
  hidden: u32,
  inputs: usize,
  m: u32,
  activity: usize,
  results: usize,
): void {
  const width = (hidden as usize) << 3;
  const biases = parameters + (d as usize) * width;
  const weights = biases + width;
  for (let s: u32 = 0; s < m; s++) {
    const input = inputs + (((s * d) as usize) << 3);
    const active = activity + (s as usize) * width;
    let result = f64x2.splat(0);
    for (let unit: usize = 0; unit < width; unit += 16) {
      let value = v128.load(biases + unit);
      let w = parameters + unit;
      for (let c: usize = 0; c < (d as usize) << 3; c += 8) {
        value = f64x2.add(value, f64x2.mul(v128.load64_splat(input + c), v128.load(w)));
        w += width;
      }
      value = tanh(value);
      v128.store(active + unit, value);
      result = f64x2.add(result, f64x2.mul(v128.load(weights + unit), value));
    }
    store<f64>(results + ((s as usize) << 3), load<f64>(weights + width) + sum(result));
  }
}

export function networkBackward(
  parameters: usize,
  d: u32,
  hidden: u32,
  inputs: usize,
  m: u32,
  activity: usize,
  dResults: usize,
  dParameters: usize,
): void {
  const width = (hidden as usize) << 3;
  const dBiases = dParameters + (d as usize) * width;
  const dWeights = dBiases + width;
  memory.fill(dParameters, 0, ((d + 2) as usize) * width + 8);
  for (let s: u32 = 0; s < m; s++) {
    const pull = load<f64>(dResults + ((s as usize) << 3));
    const pulls = f64x2.splat(pull);
    const active = activity + (s as usize) * width;
    for (let unit: usize = 0; unit < width; unit += 16) {
      const to = dWeights + unit;
      v128.store(to, f64x2.add(v128.load(to), f64x2.mul(pulls, v128.load(active + unit))));
    }
    store<f64>(dWeights + width, load<f64>(dWeights + width) + pull);
  }
  networkDeltas(parameters, d, hidden, m, activity, dResults);
  for (let s: u32 = 0; s < m; s++) {
    const input = inputs + (((s * d) as usize) << 3);
    const deltas = activity + (s as usize) * width;
    for (let unit: usize = 0; unit < width; unit += 16) {
      const delta = v128.load(deltas + unit);
      let to = dBiases + unit;
      v128.store(to, f64x2.add(v128.load(to), delta));
      to = dParameters + unit;
      for (let c: usize = 0; c < (d as usize) << 3; c += 8) {
        v128.store(to, f64x2.add(v128.load(to), f64x2.mul(v128.load64_splat(input + c), delta)));
        to += width;
      }
    }
  }
}

/** What hidden units give becomes the derivatives with respect to what they are given. */
function networkDeltas(
  parameters: usize,
  d: u32,
  hidden: u32,
  m: u32,
  activity: usize,
  dResults: usize,
): void {
  const width = (hidden as usize) << 3;
  const weights = parameters + ((d + 1) as usize) * width;
  const one = f64x2.splat(1);
  for (let s: u32 = 0; s < m; s++) {
    const pull = v128.load64_splat(dResults + ((s as usize) << 3));
    const active = activity + (s as usize) * width;
    for (let unit: usize = 0; unit < width; unit += 16) {
      const value = v128.load(active + unit);
      const slope = f64x2.sub(one, f64x2.mul(value, value));
      v128.store(active + unit, f64x2.mul(f64x2.mul(pull, v128.load(weights + unit)), slope));
    }
  }
}

export function networkToInputs(
  parameters: usize,
  d: u32,
  hidden: u32,
  m: u32,
  activity: usize,
  dResults: usize,
  dInputs: usize,
): void {
  networkDeltas(parameters, d, hidden, m, activity, dResults);
  for (let s: u32 = 0; s < m; s++) {
    products(parameters, d, at(activity, hidden, s, 0), 1, hidden, dInputs + (((s * d) as usize) << 3));
  }
}

export function adam(
  parameters: usize,
  gradient: usize,
  first: usize,
  second: usize,
  count: u32,
  rate: f64,
  decayed: f64,
  atFirst: f64,
  atSecond: f64,
): void {
  for (let k: usize = 0; k < (count as usize) << 3; k += 16) {
    const g = v128.load(gradient + k);
    let u = f64x2.mul(v128.load(first + k), f64x2.splat(0.9));
    u = f64x2.add(u, f64x2.mul(g, f64x2.splat(0.1)));
    v128.store(first + k, u);
    let v = f64x2.mul(v128.load(second + k), f64x2.splat(0.999));
    v = f64x2.add(v, f64x2.mul(f64x2.mul(g, g), f64x2.splat(0.001)));
    v128.store(second + k, v);
    const p = v128.load(parameters + k);
    const root = f64x2.add(f64x2.sqrt(f64x2.mul(v, f64x2.splat(atSecond))), f64x2.splat(1e-8));
    const step = f64x2.div(f64x2.mul(u, f64x2.splat(atFirst)), root);
    const change = f64x2.mul(f64x2.splat(rate), f64x2.add(step, f64x2.mul(p, f64x2.splat(decayed))));
    v128.store(parameters + k, f64x2.sub(p, change));
  }
}
