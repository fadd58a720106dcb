/* What the routines share. */

export function at(matrix: usize, stride: u32, row: u32, column: u32): usize {
  return matrix + (((row * stride + column) as usize) << 3);
}

export function sum(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/**
 * `exp(-r)` for `r` from -700 to 700; what is beyond counts as 700. By powers of two and the series of the rest. With a type of
 * its own as `Caller`, each caller has an instance of its own, which the compiler inlines: constants leave the loop.
 */
export function decay<Caller>(r: v128): v128 {
  const within = f64x2.pmax(f64x2.pmin(r, f64x2.splat(700)), f64x2.splat(-700));
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
