const INV_SQRT_PI = 0.5641895835477563;
const INV_SQRT_2 = Math.SQRT1_2;
/** `log(2 pi) / 2`. */
const HALF_LOG_2PI = 0.9189385332046728;
/** `sqrt(pi / 2)`. */
const SQRT_HALF_PI = 1.2533141373155003;

/* Rational approximations of Cody (1969), "Rational Chebyshev approximations for the error function". */
const A = [3.1611237438705655, 113.86415415105016, 377.485237685302, 3209.3775891384694];
const A4 = 0.18577770618460315;
const B = [23.601290952344122, 244.02463793444417, 1282.6165260773723, 2844.236833439171];
const C = [
  0.5641884969886701, 8.883149794388377, 66.11919063714163, 298.6351381974001, 881.952221241769,
  1712.0476126340707, 2051.0783778260716, 1230.3393547979972,
];
const C8 = 2.1531153547440383e-8;
const D = [
  15.744926110709835, 117.6939508913125, 537.1811018620099, 1621.3895745666903, 3290.7992357334597,
  4362.619090143247, 3439.3676741437216, 1230.3393548037495,
];
const P = [
  0.30532663496123236, 0.36034489994980445, 0.12578172611122926, 0.016083785148742275, 0.0006587491615298378,
];
const P5 = 0.016315387137302097;
const Q = [
  2.568520192289822, 1.8729528499234673, 0.5279051029514285, 0.06051834131244132, 0.0023352049762686918,
];

/** `numerator / denominator` with leading coefficients `lead` and 1, and the others from the highest power down. */
function ratio(x: number, lead: number, above: readonly number[], below: readonly number[]): number {
  let numerator = lead * x;
  let denominator = x;
  const last = above.length - 1;
  for (let i = 0; i < last; i++) {
    numerator = (numerator + above[i]!) * x;
    denominator = (denominator + below[i]!) * x;
  }
  return (numerator + above[last]!) / (denominator + below[last]!);
}

/** The error function, relative error below 1e-15. */
export function erf(x: number): number {
  if (Math.abs(x) <= 0.46875) return x * ratio(x * x, A4, A, B);
  return x > 0 ? 1 - erfc(x) : erfc(-x) - 1;
}

/** `1 - erf(x)`, without loss of digits for large `x`. */
export function erfc(x: number): number {
  const y = Math.abs(x);
  if (y <= 0.46875) return 1 - erf(x);
  const tail = erfcxAbove(y) * expOfMinusSquare(y);
  return x > 0 ? tail : 2 - tail;
}

/** `exp(x^2) erfc(x)`: does not underflow for large `x`; Infinity below about -26.6. */
export function erfcx(x: number): number {
  const y = Math.abs(x);
  if (y <= 0.46875) return Math.exp(x * x) * (1 - erf(x));
  return x > 0 ? erfcxAbove(y) : 2 / expOfMinusSquare(y) - erfcxAbove(y);
}

function erfcxAbove(y: number): number {
  if (y <= 4) return ratio(y, C8, C, D);
  const inverse = 1 / (y * y);
  return (INV_SQRT_PI - inverse * ratio(inverse, P5, P, Q)) / y;
}

/** `exp(-y^2)`; the square is split to avoid its rounding error. */
function expOfMinusSquare(y: number): number {
  const coarse = Math.trunc(y * 16) / 16;
  return Math.exp(-coarse * coarse) * Math.exp(-(y - coarse) * (y + coarse));
}

/** Density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp(-0.5 * z * z - HALF_LOG_2PI);
}

/** Cumulative distribution function of the standard normal distribution. */
export function normalCdf(z: number): number {
  return 0.5 * erfc(-z * INV_SQRT_2);
}

/** Logarithm of {@link normalCdf}, finite for every finite `z`. */
export function logNormalCdf(z: number): number {
  if (z > 0) return Math.log1p(-0.5 * erfc(z * INV_SQRT_2));
  if (z > -1) return Math.log(0.5 * erfc(-z * INV_SQRT_2));
  return Math.log(0.5 * erfcx(-z * INV_SQRT_2)) - 0.5 * z * z;
}

/** Derivative of {@link logNormalCdf}: density over cumulative. */
export function logNormalCdfSlope(z: number): number {
  if (z > -1) return normalDensity(z) / normalCdf(z);
  return 1 / (SQRT_HALF_PI * erfcx(-z * INV_SQRT_2));
}

/** Below, the asymptotic series of `h` is exact to rounding, and the closed form loses digits. */
const SERIES_BELOW = -20;

/**
 * `log h(z)` with `h(z) = density(z) + z cdf(z)`, the expected improvement over 0 of a normal variable with mean `z`
 * and deviation 1. Finite for every finite `z` (Ament et al. 2023, "Unexpected improvements to expected improvement",
 * eq. 9; the far tail by the series of `h` instead of its first term).
 */
export function logH(z: number): number {
  if (z > -1) return Math.log(normalDensity(z) + z * normalCdf(z));
  const bell = -0.5 * z * z - HALF_LOG_2PI;
  if (z > SERIES_BELOW) return bell + Math.log1p(z * SQRT_HALF_PI * erfcx(-z * INV_SQRT_2));
  return bell - 2 * Math.log(-z) + Math.log(tailOfH(1 / (z * z)));
}

/** Derivative of {@link logH}: `cdf(z) / h(z)`. */
export function logHSlope(z: number): number {
  if (z > -1) return normalCdf(z) / (normalDensity(z) + z * normalCdf(z));
  if (z > SERIES_BELOW) {
    const mills = SQRT_HALF_PI * erfcx(-z * INV_SQRT_2);
    return mills / (1 + z * mills);
  }
  const u = 1 / (z * z);
  return (-z * (1 - u * tailOfH(u))) / tailOfH(u);
}

/** `z^2 h(z) / density(z) = 1 - 3u + 15u^2 - 105u^3 + ...` with `u = 1 / z^2`, by Horner's rule. */
function tailOfH(u: number): number {
  let sum = 1;
  for (let k = 9; k >= 1; k--) sum = 1 - (2 * k + 1) * u * sum;
  return sum;
}

/** `log(sum of exp(values))` without overflow; -Infinity for none. */
export function logSumExp(values: Float64Array): number {
  let largest = -Infinity;
  for (const value of values) if (value > largest) largest = value;
  if (largest === -Infinity || largest === Infinity) return largest;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - largest);
  return largest + Math.log(sum);
}

/* Coefficients of algorithm AS 241, PPND16 (Wichura 1988), from the lowest power up. */
const CENTRE = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
    67265.7709270087, 33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
] as const;
const MIDDLE = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
] as const;
const FAR = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
    0.000018463183175100548, 1.421511758316446e-7, 2.0442631033899397e-15,
  ],
] as const;

function quotient(x: number, [above, below]: readonly [readonly number[], readonly number[]]): number {
  let numerator = 0;
  let denominator = 0;
  for (let i = above.length - 1; i >= 0; i--) {
    numerator = numerator * x + above[i]!;
    denominator = denominator * x + below[i]!;
  }
  return numerator / denominator;
}

/** The inverse of {@link normalCdf}, relative error below 1e-15 (Wichura 1988, AS 241); NaN outside [0, 1]. */
export function ndtri(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * quotient(0.180625 - q * q, CENTRE);
  if (!(p >= 0 && p <= 1)) return NaN;
  const tail = q < 0 ? p : 1 - p;
  if (tail === 0) return q < 0 ? -Infinity : Infinity;
  const r = Math.sqrt(-Math.log(tail));
  const z = r <= 5 ? quotient(r - 1.6, MIDDLE) : quotient(r - 5, FAR);
  return q < 0 ? -z : z;
}
