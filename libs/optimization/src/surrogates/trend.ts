import { choleskyWithJitter, dot, joined, solveLower, solveLowerTransposed } from '../numeric/index.js';
import { fitGaussianProcess, type GaussianProcessOptions } from './fit.js';
import type { GaussianProcess } from './gp.js';
import { leaveOneOutOf } from './leave-one-out.js';
import { moments } from './warping.js';
import type {
  Beside,
  Choices,
  FittedSurrogate,
  LeaveOneOut,
  Marginals,
  OutputMap,
  Posterior,
} from './surrogate.js';

/** Whether a trend may be fitted: `unless_noisy`, not if the observations are clearly noisy. */
export type TrendChoice = 'automatic' | 'unless_noisy' | 'none';

/** Least number of observations for a trend, in all and for each column. A number has two coefficients. */
const LEAST_FOR_TREND = 10;
const LEAST_FOR_COLUMN = 3;
/** Least share of the variance of left-out observations that a trend must predict alone. */
const LEAST_SHARE = 0.3;
/** A trend may predict this much less of the variance than a Gaussian process alone. */
const LESS = 0.1;
/** A Gaussian process that predicts more of the variance needs no trend. */
const WELL_PREDICTED = 0.8;
/** Variances of the noise in units of those of the coefficients. */
const PENALTIES = [0.3, 1, 3, 10, 30];
/** Inverse standard deviations of `u` and `u^2` for `u` uniform in [-1/2, 1/2]. */
const LINEAR = Math.sqrt(12);
const SQUARED = Math.sqrt(180);
/** Half waves of a curve. */
const WAVES = 14;
/** Places along a column at which its slope is averaged. */
const PLACES = 64;
/** Lengthscales of curves, and how much more of the variance of left-out observations each must predict than a parabola. */
const CURVES = [
  { lengthscale: 0.47, gain: 0.05 },
  { lengthscale: 0.18, gain: 0.1 },
  { lengthscale: 0.09, gain: 0.15 },
];

/** Functions of a number from 0 to 1. Their sum, each times a coefficient, is the trend along one column. */
interface Basis {
  readonly kind: 'parabolas' | 'curves';
  readonly count: number;
  /** Function `k` at `x`. */
  value(k: number, x: number): number;
  slope(k: number, x: number): number;
}

/** A parabola along each column. */
export const parabolas: Basis = {
  kind: 'parabolas',
  count: 2,
  value: (k, x) => (k === 0 ? LINEAR * (x - 0.5) : SQUARED * (x - 0.5) ** 2),
  slope: (k, x) => (k === 0 ? LINEAR : 2 * SQUARED * (x - 0.5)),
};

/** Along a column of zeros and ones. */
const steps: Basis = { ...parabolas, count: 1 };

/**
 * A parabola and cosines, whose amplitudes fall as the spectrum of the Matern-5/2 covariance: a Gaussian process of one number in
 * reduced rank (A. Solin, S. Sarkka: Hilbert space methods for reduced-rank Gaussian process regression, 2020).
 *
 * @param lengthscale for numbers from 0 to 1
 */
export function curves(lengthscale: number): Basis {
  const [frequencies, amplitudes] = [new Float64Array(WAVES), new Float64Array(WAVES)];
  for (let k = 0; k < WAVES; k++) {
    frequencies[k] = (k + 1) * Math.PI;
    amplitudes[k] = 2 * Math.SQRT2 * (1 + (lengthscale * frequencies[k]!) ** 2 / 5) ** -1.5;
  }
  const { count, value, slope } = parabolas;
  return {
    kind: 'curves',
    count: count + WAVES,
    value: (k, x) =>
      k < count ? value(k, x) : amplitudes[k - count]! * Math.cos(frequencies[k - count]! * x),
    slope: (k, x) =>
      k < count
        ? slope(k, x)
        : -amplitudes[k - count]! * frequencies[k - count]! * Math.sin(frequencies[k - count]! * x),
  };
}

/**
 * Fits a Gaussian process as {@link fitGaussianProcess}. If it predicts left-out observations badly, on the scale as
 * measured and without doubt about any, and a {@link Trend} alone predicts them about as well, it fits the trend first and
 * a Gaussian process to the rest (regression kriging). A bowl with many dents is such a function: the process alone follows
 * the dents, because a constant mean gives it no reason to look for the middle of the bowl. A sum of wavy functions of one number
 * each is another one: the process alone has to see every combination of their minima.
 *
 * @param choice default `automatic`
 * @throws ServiceError as {@link fitGaussianProcess}
 */
export function fitWithTrend(
  rows: Float64Array,
  y: Float64Array,
  n: number,
  d: number,
  options: GaussianProcessOptions,
  choice: TrendChoice = 'automatic',
): FittedSurrogate {
  const end = options.now() + options.timeLimitMs;
  const plain = fitGaussianProcess(rows, y, n, d, options);
  const { warping, doubted, noise } = plain.choices!;
  if (choice === 'none' || (choice === 'unless_noisy' && noise === 'some')) return plain;
  const isEarly = n < Math.max(LEAST_FOR_TREND, LEAST_FOR_COLUMN * d);
  if (isEarly || plain.timedOut || warping !== 'identity' || doubted.length > 0) return plain;
  const { r2 } = plain.leaveOneOut();
  if (r2 > WELL_PREDICTED) return plain;
  const z = y.map((value) => plain.output.toModel(value));
  const trend = chooseTrend(rows, z, n, d);
  if (!(trend.r2 >= Math.max(LEAST_SHARE, r2 - LESS))) return plain;
  const rest = z.map((value, i) => value - trend.at(rows, i));
  const timeLimitMs = Math.max(0, end - options.now());
  const process = fitGaussianProcess(rows, rest, n, d, { ...options, warping: 'none', timeLimitMs });
  return new TrendedProcess(process, trend, plain, y);
}

/** A trend of parabolas, or of curves that predict left-out observations clearly better. */
function chooseTrend(rows: Float64Array, z: Float64Array, n: number, d: number): Trend {
  let best = new Trend(rows, z, n, d);
  let most = best.r2;
  for (const { lengthscale, gain } of CURVES) {
    const trend = new Trend(rows, z, n, d, curves(lengthscale));
    if (trend.r2 - gain > most) [best, most] = [trend, trend.r2 - gain];
  }
  return best;
}

/**
 * A sum of functions of one number each, and a constant for each category, by ridge regression. The penalty is the one of
 * {@link PENALTIES} with the least errors of left-out observations (PRESS: Allen 1974). With curves, it is an additive Gaussian
 * process (D. Duvenaud, H. Nickisch, C. E. Rasmussen: Additive Gaussian processes, 2011).
 */
export class Trend {
  readonly kind: Basis['kind'];
  /** Share of the variance of left-out observations that the trend predicts; not finite for equal observations. */
  readonly r2: number;
  /** Predictions of each observation from all others. */
  readonly leftOut: Float64Array;
  /** Of each column. */
  private readonly bases: readonly Basis[];
  /** Of the functions of each column, one column after the other. */
  private readonly coefficients: Float64Array;
  private readonly level: number;

  /**
   * @param rows `n x d`, encoded
   * @param z observations, length `n`
   * @param basis for columns with other values than 0 and 1
   */
  constructor(rows: Float64Array, z: Float64Array, n: number, d: number, basis = parabolas) {
    this.kind = basis.kind;
    this.bases = Array.from({ length: d }, (_, c) =>
      z.some((_, i) => rows[i * d + c] !== 0 && rows[i * d + c] !== 1) ? basis : steps,
    );
    const features = Array.from({ length: n }, (_, i) => this.features(rows, i));
    const p = features[0]!.length;
    const middle = Float64Array.from(
      { length: p },
      (_, k) => moments(Float64Array.from(features, (f) => f[k]!)).mean,
    );
    const mean = moments(z).mean;
    const centred = joined(
      features.map((f) => f.map((value, k) => value - middle[k]!)),
      p,
    );
    const targets = z.map((value) => value - mean);
    const regress = p < n ? ridgeOfColumns(centred, targets, n, p) : ridgeOfRows(centred, targets, n, p);
    const tried = PENALTIES.map((penalty) => {
      const { coefficients, errors, leverages } = regress(penalty);
      const leftOut = z.map((value, i) => value - errors[i]! / Math.max(1 - 1 / n - leverages[i]!, 1e-3));
      return {
        coefficients,
        leftOut,
        squares: leftOut.reduce((sum, value, i) => sum + (z[i]! - value) ** 2, 0),
      };
    });
    const best = tried.reduce((a, b) => (b.squares < a.squares ? b : a));
    this.coefficients = best.coefficients;
    this.leftOut = best.leftOut;
    this.level = mean - dot(middle, best.coefficients, p);
    this.r2 = 1 - best.squares / dot(targets, targets, n);
  }

  /** The trend at row `i`. */
  at(rows: Float64Array, i: number): number {
    return this.level + dot(this.features(rows, i), this.coefficients, this.coefficients.length);
  }

  /** Adds `pull` times the derivative with respect to row `i`. */
  addSlope(rows: Float64Array, i: number, pull: number, gradient: Float64Array): void {
    const first = i * this.bases.length;
    this.slopes((c) => rows[first + c]!).forEach((slope, c) => (gradient[first + c]! += pull * slope));
  }

  /** Root mean square of the slope along each column. */
  steepness(): Float64Array {
    const squares = new Float64Array(this.bases.length);
    for (let k = 0; k < PLACES; k++)
      this.slopes(() => (k + 0.5) / PLACES).forEach((slope, c) => (squares[c]! += slope ** 2 / PLACES));
    return squares.map(Math.sqrt);
  }

  /** The derivative along each column. */
  private slopes(at: (c: number) => number): Float64Array {
    let first = 0;
    return Float64Array.from(this.bases, ({ count, slope }, c) => {
      let sum = 0;
      for (let k = 0; k < count; k++) sum += this.coefficients[first + k]! * slope(k, at(c));
      first += count;
      return sum;
    });
  }

  private features(rows: Float64Array, i: number): Float64Array {
    const { bases } = this;
    const found = new Float64Array(bases.reduce((sum, { count }) => sum + count, 0));
    let first = 0;
    bases.forEach(({ count, value }, c) => {
      for (let k = 0; k < count; k++) found[first + k] = value(k, rows[i * bases.length + c]!);
      first += count;
    });
    return found;
  }
}

/** A ridge regression with a penalty. Errors and leverages are those of the rows. */
type Ridge = (penalty: number) => {
  coefficients: Float64Array;
  errors: Float64Array;
  leverages: Float64Array;
};

/** By the normal equations, of size `p`. @param features `n x p`, centred, as the targets */
function ridgeOfColumns(features: Float64Array, targets: Float64Array, n: number, p: number): Ridge {
  const products = new Float64Array(p * p);
  const pulls = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < p; a++) {
      const value = features[i * p + a]!;
      pulls[a]! += value * targets[i]!;
      for (let b = 0; b <= a; b++) products[a * p + b]! += value * features[i * p + b]!;
    }
  }
  return (penalty) => {
    const factor = penalised(products, p, penalty);
    const coefficients = solveLowerTransposed(factor, p, solveLower(factor, p, pulls));
    const roots = solveLower(factor, p, features, n);
    return {
      coefficients,
      errors: targets.map((target, i) => target - dot(features, coefficients, p, i * p)),
      leverages: targets.map((_, i) => dot(roots, roots, p, i * p, i * p)),
    };
  };
}

/** The same by the dual equations, of size `n`. */
function ridgeOfRows(features: Float64Array, targets: Float64Array, n: number, p: number): Ridge {
  const products = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) products[i * n + j] = dot(features, features, p, i * p, j * p);
  const unit = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  return (penalty) => {
    const factor = penalised(products, n, penalty);
    const weights = solveLowerTransposed(factor, n, solveLower(factor, n, targets));
    const coefficients = new Float64Array(p);
    weights.forEach((weight, i) => {
      for (let k = 0; k < p; k++) coefficients[k]! += weight * features[i * p + k]!;
    });
    const roots = solveLower(factor, n, unit, n);
    return {
      coefficients,
      errors: weights.map((weight) => penalty * weight),
      leverages: targets.map((_, i) => 1 - penalty * dot(roots, roots, n, i * n, i * n)),
    };
  };
}

function penalised(products: Float64Array, size: number, penalty: number): Float64Array {
  const shifted = products.slice();
  for (let k = 0; k < size; k++) shifted[k * (size + 1)]! += penalty;
  return choleskyWithJitter(shifted, size)!;
}

/** A trend plus a Gaussian process of the rest. The trend counts as known. */
class TrendedProcess implements FittedSurrogate {
  readonly d: number;
  readonly noise: number;
  readonly relevance: Float64Array;
  readonly choices: Choices;
  readonly timedOut: boolean;
  readonly output: OutputMap;
  /** The rest in the scale of this model is `level + unit` times that of the process. */
  private readonly level: number;
  private readonly unit: number;
  /**
   * Factor of all variances, at least 1. Curves follow the observations so closely that the rest says little about their errors
   * elsewhere. With the factor, the variances are right for left-out observations. A parabola has too few coefficients for that.
   */
  private readonly spread: number;

  /**
   * @param process in the scale of its own output, which is linear
   * @param plain the process without a trend, without a warp. The trend explains no noise, so that its noise is the least.
   */
  constructor(
    private readonly process: GaussianProcess,
    private readonly trend: Trend,
    plain: GaussianProcess,
    private readonly y: Float64Array,
  ) {
    this.d = process.d;
    this.level = process.output.fromModel(0);
    this.unit = process.output.slope(0);
    this.output = plain.output;
    this.noise = Math.max(plain.noise, process.noise * this.unit);
    this.relevance = trend.steepness().map((slope, c) => slope + this.unit * process.relevance[c]!);
    this.choices = { ...process.choices!, trend: trend.kind };
    this.timedOut = process.timedOut;
    this.spread = trend.kind === 'curves' ? Math.max(1, this.squaredError()) : 1;
  }

  posterior(points: Float64Array, m: number): Posterior {
    return this.raised(this.process.posterior(points, m), points, m);
  }

  means(points: Float64Array, m: number): Float64Array {
    return this.raisedMeans(this.process.means(points, m), points);
  }

  beside(stay: Float64Array, count: number): Beside {
    const beside = this.process.beside(stay, count);
    return {
      posterior: (points, m) => this.raised(beside.posterior(points, m), points, m),
      marginals: (points, m): Marginals => {
        const { mean, variance, cross } = beside.marginals(points, m);
        return {
          mean: this.raisedMeans(mean, points),
          variance: this.squared(variance),
          cross: this.squared(cross),
        };
      },
    };
  }

  leaveOneOut(): LeaveOneOut {
    const { mean, variance } = this.process.leftOut();
    const predicted = mean.map((value, i) => this.leftOut(value, i));
    return leaveOneOutOf(this.y, predicted, this.squared(variance).map(Math.sqrt), this.output);
  }

  /** The prediction of observation `i` from all others. @param rest that of the process */
  private leftOut(rest: number, i: number): number {
    return this.trend.leftOut[i]! + this.level + this.unit * rest;
  }

  /** Of left-out observations, the mean square of the errors in deviations of the process. */
  private squaredError(): number {
    const { mean, variance } = this.process.leftOut();
    const squares = mean.map((value, i) => {
      const error = this.output.toModel(this.y[i]!) - this.leftOut(value, i);
      return error ** 2 / (this.unit ** 2 * variance[i]!);
    });
    return moments(squares).mean;
  }

  private raisedMeans(mean: Float64Array, points: Float64Array): Float64Array {
    return mean.map((value, i) => this.trend.at(points, i) + this.level + this.unit * value);
  }

  private squared(values: Float64Array): Float64Array {
    return values.map((value) => value * this.spread * this.unit ** 2);
  }

  private raised(
    { mean, covariance, cross, backward }: Posterior,
    points: Float64Array,
    m: number,
  ): Posterior {
    return {
      mean: this.raisedMeans(mean, points),
      covariance: this.squared(covariance),
      cross: this.squared(cross),
      backward: (dMean, dCovariance, dCross) => {
        const gradient = backward(
          dMean.map((pull) => pull * this.unit),
          this.squared(dCovariance),
          dCross && this.squared(dCross),
        );
        for (let i = 0; i < m; i++) this.trend.addSlope(points, i, dMean[i]!, gradient);
        return gradient;
      },
    };
  }
}
