/** Increasing maps of the real line onto itself that make observations more like those of a Gaussian process. */
export interface Warp {
  readonly name: 'identity' | 'log' | 'bilog' | 'yeo_johnson';
  forward(u: number): number;
  inverse(w: number): number;
  /** Logarithm of the derivative of `forward`. */
  logSlope(u: number): number;
}

/** Fewer observations cannot distinguish one map from another. */
export const LEAST_TO_WARP = 12;

/** `exp` of more is as good as infinity for every user. */
const MOST_EXPONENT = 300;

export const identity: Warp = {
  name: 'identity',
  forward: (u) => u,
  inverse: (w) => w,
  logSlope: () => 0,
};

/**
 * `sign * log(1 + t)` with `t = (sign * u - anchor) / softness` on the side of the tail; below the anchor the straight
 * line `sign * t`, with the same slope there.
 */
function log(sign: 1 | -1, anchor: number, softness: number): Warp {
  const distance = (u: number) => (sign * u - anchor) / softness;
  return {
    name: 'log',
    forward: (u) => {
      const t = distance(u);
      return sign * (t > 0 ? Math.log1p(t) : t);
    },
    inverse: (w) => {
      const s = sign * w;
      return sign * (anchor + softness * (s > 0 ? Math.expm1(Math.min(s, MOST_EXPONENT)) : s));
    },
    logSlope: (u) => -Math.log(softness) - Math.log1p(Math.max(distance(u), 0)),
  };
}

/** `sign(t) log(1 + |t|)` with `t = (u - centre) / softness`: both tails are heavy. */
function bilog(centre: number, softness: number): Warp {
  return {
    name: 'bilog',
    forward: (u) => {
      const t = (u - centre) / softness;
      return Math.sign(t) * Math.log1p(Math.abs(t));
    },
    inverse: (w) => centre + softness * Math.sign(w) * Math.expm1(Math.min(Math.abs(w), MOST_EXPONENT)),
    logSlope: (u) => -Math.log(softness) - Math.log1p(Math.abs(u - centre) / softness),
  };
}

/**
 * I.-K. Yeo, R. A. Johnson: A new family of power transformations, 2000, of `(u - centre) / deviation`.
 *
 * @param power in [0, 2], where the map reaches every real number
 */
function yeoJohnson(power: number, centre: number, deviation: number): Warp {
  const up = (t: number, p: number) => (p === 0 ? Math.log1p(t) : Math.expm1(p * Math.log1p(t)) / p);
  const down = (s: number, p: number) =>
    p === 0 ? Math.expm1(Math.min(s, MOST_EXPONENT)) : Math.expm1(Math.log1p(p * s) / p);
  return {
    name: 'yeo_johnson',
    forward: (u) => {
      const t = (u - centre) / deviation;
      return t >= 0 ? up(t, power) : -up(-t, 2 - power);
    },
    inverse: (w) => centre + deviation * (w >= 0 ? down(w, power) : -down(-w, 2 - power)),
    logSlope: (u) => {
      const t = (u - centre) / deviation;
      return (t >= 0 ? (power - 1) * Math.log1p(t) : (1 - power) * Math.log1p(-t)) - Math.log(deviation);
    },
  };
}

/** The Yeo-Johnson map whose values are most likely normal, by golden section over its power. */
function likeliestYeoJohnson(u: Float64Array): Warp {
  const { mean, deviation } = moments(u);
  const loss = (power: number): number => {
    const warp = yeoJohnson(power, mean, deviation);
    const spread = moments(u.map((value) => warp.forward(value))).deviation;
    return u.length * Math.log(spread) - u.reduce((sum, value) => sum + warp.logSlope(value), 0);
  };
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [0, 2];
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atLeft, atRight] = [loss(left), loss(right)];
  for (let step = 0; step < 20; step++) {
    if (atLeft < atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - ratio * (high - low);
      atLeft = loss(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + ratio * (high - low);
      atRight = loss(right);
    }
  }
  return yeoJohnson((low + high) / 2, mean, deviation);
}

/**
 * The maps worth trying on observations `u`, not all equal; identity first. Anchors and softness come from quantiles,
 * so that the same data in another unit have the same candidates.
 */
export function candidateWarps(u: Float64Array): Warp[] {
  const n = u.length;
  if (n < LEAST_TO_WARP) return [identity];
  const sorted = u.slice().sort();
  const median = (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2;
  const { mean, deviation } = moments(u);
  const skew = u.reduce((sum, value) => sum + ((value - mean) / deviation) ** 3, 0) / n;
  const sign = skew >= 0 ? 1 : -1;
  // Seen from the end without the tail: the nearest value, and its distance to the median.
  const nearest = sign > 0 ? sorted[0]! : -sorted[n - 1]!;
  const farthest = sign > 0 ? sorted[n - 1]! : -sorted[0]!;
  const span = sign * median - nearest;

  const warps = [identity];
  if (nearest > 0 && farthest > 10 * nearest) {
    const origin = Math.max(nearest / 10, 1e-4 * sign * median);
    warps.push(log(sign, origin, origin));
  }
  if (span > 1e-9 * deviation) warps.push(log(sign, nearest, span), log(sign, nearest, span / 10));
  const distances = u.map((value) => Math.abs(value - median)).sort();
  const typical = distances[n >> 1]!;
  if (typical > 1e-9 * deviation) warps.push(bilog(median, typical));
  warps.push(likeliestYeoJohnson(u));
  return warps;
}

/** Mean and sample standard deviation; the deviation of a single value is 0. */
export function moments(values: Float64Array): { mean: number; deviation: number } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: n > 1 ? Math.sqrt(squares / (n - 1)) : 0 };
}
