import { at } from './vectors';

/* The direction of a step of a search between bounds. */

/** The dot product over the coordinates that `free` marks. */
function inner(a: usize, b: usize, free: usize, n: u32): f64 {
  let total: f64 = 0;
  for (let i: usize = 0; i < (n as usize) << 3; i += 8) {
    if (load<f64>(free + i) != 0) total += load<f64>(a + i) * load<f64>(b + i);
  }
  return total;
}

/** Adds `weight` times `row` on the coordinates that `free` marks. */
function add(to: usize, row: usize, weight: f64, free: usize, n: u32): void {
  for (let i: usize = 0; i < (n as usize) << 3; i += 8) {
    if (load<f64>(free + i) != 0) store<f64>(to + i, load<f64>(to + i) + weight * load<f64>(row + i));
  }
}

export function direction(
  steps: usize,
  changes: usize,
  count: u32,
  gradient: usize,
  free: usize,
  n: u32,
  room: usize,
  out: usize,
): void {
  const size = (n as usize) << 3;
  for (let i: usize = 0; i < size; i += 8) {
    store<f64>(out + i, load<f64>(free + i) != 0 ? -load<f64>(gradient + i) : 0);
  }
  let scale: f64 = 0;
  for (let k = count; k > 0;) {
    k--;
    const s = at(steps, n, k, 0);
    const y = at(changes, n, k, 0);
    const to = room + ((k as usize) << 4);
    const curvature = inner(s, y, free, n);
    const square = inner(y, y, free, n);
    store<f64>(to, 0);
    if (!(curvature > 1e-12 * sqrt(square * inner(s, s, free, n)))) continue;
    const rho = 1 / curvature;
    if (scale == 0) scale = curvature / square;
    const alpha = rho * inner(s, out, free, n);
    store<f64>(to, rho);
    store<f64>(to, alpha, 8);
    add(out, y, -alpha, free, n);
  }
  if (scale != 0) {
    for (let i: usize = 0; i < size; i += 8) store<f64>(out + i, load<f64>(out + i) * scale);
  }
  for (let k: u32 = 0; k < count; k++) {
    const from = room + ((k as usize) << 4);
    const rho = load<f64>(from);
    if (rho == 0) continue;
    const correction = load<f64>(from, 8) - rho * inner(at(changes, n, k, 0), out, free, n);
    add(out, at(steps, n, k, 0), correction, free, n);
  }
}
