import { at } from './vectors';

/* Posteriors at a few points, and samples of them. Sums run in the order of their numbers. */

/** Adds `weight` times a row of `width` bytes. */
function addRow(to: usize, row: usize, width: usize, weight: f64): void {
  const weights = f64x2.splat(weight);
  for (let i: usize = 0; i < width; i += 16) {
    v128.store(to + i, f64x2.add(v128.load(to + i), f64x2.mul(weights, v128.load(row + i))));
  }
}

export function squares(rows: usize, m: u32, stride: u32, out: usize): void {
  const width = (stride as usize) << 3;
  for (let a: u32 = 0; a < m; a++) {
    const row = at(rows, stride, a, 0);
    let total: f64 = 0;
    for (let i: usize = 0; i < width; i += 8) {
      const value = load<f64>(row + i);
      total += value * value;
    }
    store<f64>(out + ((a as usize) << 3), total);
  }
}

export function takeProducts(rows: usize, m: u32, stride: u32, out: usize): void {
  const width = (stride as usize) << 3;
  for (let a: u32 = 0; a < m; a++) {
    for (let b: u32 = 0; b <= a; b++) {
      const p = at(rows, stride, a, 0);
      const q = at(rows, stride, b, 0);
      const to = at(out, m, a, b);
      let left = load<f64>(to);
      for (let i: usize = 0; i < width; i += 8) left -= load<f64>(p + i) * load<f64>(q + i);
      store<f64>(to, left);
    }
  }
}

export function pullPoints(
  derivatives: usize,
  priors: usize,
  others: usize,
  slopes: usize,
  solved: usize,
  m: u32,
  weights: usize,
  f: u32,
  columns: usize,
  stride: u32,
  d: u32,
  pulls: usize,
  out: usize,
): void {
  const width = (stride as usize) << 3;
  const row = (d as usize) << 3;
  const dCovariance = derivatives + ((m as usize) << 3);
  const dCross = dCovariance + (((m * m) as usize) << 3);
  const near = priors + (((m * m) as usize) << 3);
  memory.fill(out, 0, (m as usize) * row);
  for (let a: u32 = 0; a < m; a++) {
    const point = others + (a as usize) * row;
    const to = out + (a as usize) * row;
    memory.fill(pulls, 0, width);
    addRow(pulls, weights, width, load<f64>(at(derivatives, 1, a, 0)));
    for (let b: u32 = 0; b < m; b++) {
      const own = load<f64>(at(dCovariance, m, a, b)) + load<f64>(at(dCovariance, m, b, a));
      addRow(pulls, at(solved, stride, b, 0), width, -own);
      move(to, point, others + (b as usize) * row, row, own * load<f64>(at(priors, m, a, b)));
    }
    for (let b: u32 = 0; b < f; b++) {
      const own = load<f64>(at(dCross, f, a, b));
      addRow(pulls, at(weights, stride, b + 1, 0), width, -own);
      move(to, point, others + ((m + b) as usize) * row, row, own * load<f64>(at(near, f, a, b)));
    }
    const slope = at(slopes, stride, a, 0);
    for (let i: usize = 0; i < width; i += 16) {
      v128.store(pulls + i, f64x2.mul(v128.load(pulls + i), v128.load(slope + i)));
    }
    takeColumns(to, point, columns, stride, d, pulls);
  }
}

/** Takes `pull` times the difference of two points of `row` bytes. */
function move(to: usize, point: usize, other: usize, row: usize, pull: f64): void {
  for (let c: usize = 0; c < row; c += 8) {
    store<f64>(to + c, load<f64>(to + c) - pull * (load<f64>(point + c) - load<f64>(other + c)));
  }
}

/** Takes the differences of a point to the points in columns, each times its pull. */
function takeColumns(to: usize, point: usize, columns: usize, stride: u32, d: u32, pulls: usize): void {
  const width = (stride as usize) << 3;
  for (let c: u32 = 0; c < d; c += 2) {
    // The last of an odd number of columns comes twice.
    const last: u32 = c + 1 < d ? c + 1 : c;
    const x = at(columns, stride, c, 0);
    const y = at(columns, stride, last, 0);
    const hereX = load<f64>(at(point, 1, c, 0));
    const hereY = load<f64>(at(point, 1, last, 0));
    let sumX: f64 = 0;
    let sumY: f64 = 0;
    for (let i: usize = 0; i < width; i += 8) {
      const pull = load<f64>(pulls + i);
      sumX += pull * (hereX - load<f64>(x + i));
      sumY += pull * (hereY - load<f64>(y + i));
    }
    store<f64>(at(to, 1, c, 0), load<f64>(at(to, 1, c, 0)) - sumX);
    if (last > c) store<f64>(at(to, 1, last, 0), load<f64>(at(to, 1, last, 0)) - sumY);
  }
}

export function draw(
  factors: usize,
  q: u32,
  fixed: u32,
  means: usize,
  normals: usize,
  count: u32,
  stride: u32,
  out: usize,
): void {
  const width = (stride as usize) << 3;
  const step = (q as usize) << 3;
  for (let i: u32 = 0; i < q; i++) {
    const factor = at(factors, stride, i, 0);
    const length = ((fixed + i + 1) as usize) << 3;
    const mean = load<f64>(means + ((i as usize) << 3));
    let z = normals;
    let to = out + ((i as usize) << 3);
    let s: u32 = 0;
    for (; s + 4 <= count; s += 4) {
      const z1 = z + width;
      const z2 = z1 + width;
      const z3 = z2 + width;
      let v0 = mean;
      let v1 = mean;
      let v2 = mean;
      let v3 = mean;
      for (let a: usize = 0; a < length; a += 8) {
        const own = load<f64>(factor + a);
        v0 += own * load<f64>(z + a);
        v1 += own * load<f64>(z1 + a);
        v2 += own * load<f64>(z2 + a);
        v3 += own * load<f64>(z3 + a);
      }
      store<f64>(to, v0);
      store<f64>(to + step, v1);
      store<f64>(to + 2 * step, v2);
      store<f64>(to + 3 * step, v3);
      z = z3 + width;
      to += 4 * step;
    }
    for (; s < count; s++) {
      let value = mean;
      for (let a: usize = 0; a < length; a += 8) value += load<f64>(factor + a) * load<f64>(z + a);
      store<f64>(to, value);
      z += width;
      to += step;
    }
  }
}

export function pullDraw(
  derivatives: usize,
  q: u32,
  normals: usize,
  count: u32,
  stride: u32,
  dMeans: usize,
  dFactors: usize,
): void {
  const width = (stride as usize) << 3;
  memory.fill(dMeans, 0, (q as usize) << 3);
  memory.fill(dFactors, 0, (q as usize) * width);
  for (let s: u32 = 0; s < count; s++) {
    for (let i: u32 = 0; i < q; i++) {
      const weight = load<f64>(at(derivatives, q, s, i));
      const to = dMeans + ((i as usize) << 3);
      store<f64>(to, load<f64>(to) + weight);
      addRow(at(dFactors, stride, i, 0), at(normals, stride, s, 0), width, weight);
    }
  }
}
