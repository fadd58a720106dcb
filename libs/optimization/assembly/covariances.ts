import { at, decay, sum } from './vectors';

/* Covariances and their derivatives. `shape` is that of the kernel: 0 for Matern-5/2, 1 for the squared exponential. */

/** Of two squared distances: covariances to `covariance`, slopes to `slope`. */
function covarianceOf(shape: u32, squared: v128, scale: v128, covariance: usize, slope: usize): void {
  const r = f64x2.sqrt(f64x2.mul(squared, f64x2.splat(5)));
  const fall = f64x2.mul(scale, decay<u32>(shape == 1 ? f64x2.mul(squared, f64x2.splat(0.5)) : r));
  if (shape == 1) {
    v128.store(covariance, fall);
    v128.store(slope, fall);
    return;
  }
  const linear = f64x2.add(r, f64x2.splat(1));
  const square = f64x2.mul(f64x2.mul(r, r), f64x2.splat(1.0 / 3.0));
  v128.store(covariance, f64x2.mul(fall, f64x2.add(linear, square)));
  v128.store(slope, f64x2.mul(f64x2.mul(fall, f64x2.splat(5.0 / 3.0)), linear));
}

/** Covariances of one point with the first `count` of the points in `columns`, `count` a multiple of 4. */
function covarianceRow(
  shape: u32,
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
    v128.store(covariance + j, first);
    v128.store(covariance + j, second, 16);
  }
  for (let j: usize = 0; j < (count as usize) << 3; j += 16) {
    covarianceOf(shape, v128.load(covariance + j), scales, covariance + j, slope + j);
  }
}

export function covarianceBetween(
  shape: u32,
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
    covarianceRow(shape, points + (((i * d) as usize) << 3), 8, columns, stride, d, stride, scale, k, s);
    for (let j = n; j < stride; j++) {
      store<f64>(k + ((j as usize) << 3), 0);
      store<f64>(s + ((j as usize) << 3), 0);
    }
  }
}

export function covarianceWithin(
  shape: u32,
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
      const own = columns + ((i as usize) << 3);
      covarianceRow(shape, own, width, columns, stride, d, (i & ~3) + 4, scale, k, s);
    } else {
      memory.fill(k, 0, width);
      memory.fill(s, 0, width);
    }
    store<f64>(k + ((i as usize) << 3), i < n ? scale + noise : 1);
    store<f64>(s + ((i as usize) << 3), 0);
  }
}

export function covariancePull(
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
