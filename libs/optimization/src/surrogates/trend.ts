import { choleskyWithJitter, dot, solveLower, solveLowerTransposed } from '../numeric/index.js';
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

/**
 * Fits a Gaussian process as {@link fitGaussianProcess}. If it predicts left-out observations badly, on the scale as
 * measured and without doubt about any, and a {@link Trend} alone predicts them about as well, it fits the trend first and
 * a Gaussian process to the rest (regression kriging). A bowl with many dents is such a function: the process alone follows
 * the dents, because a constant mean gives it no reason to look for the middle of the bowl.
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
  const trend = new Trend(rows, z, n, d);
  if (!(trend.r2 >= Math.max(LEAST_SHARE, r2 - LESS))) return plain;
  const rest = z.map((value, i) => value - trend.at(rows, i));
  const timeLimitMs = Math.max(0, end - options.now());
  const process = fitGaussianProcess(rows, rest, n, d, { ...options, warping: 'none', timeLimitMs });
  return new TrendedProcess(process, trend, plain, y);
}

/**
 * A parabola of each number and a constant for each category, by ridge regression. The penalty is the one of
 * {@link PENALTIES} with the least errors of left-out observations (PRESS: Allen 1974).
 */
export class Trend {
  /** Share of the variance of left-out observations that the trend predicts; not finite for equal observations. */
  readonly r2: number;
  /** Predictions of each observation from all others. */
  readonly leftOut: Float64Array;
  private readonly d: number;
  /** Columns with other values than 0 and 1. */
  private readonly curved: readonly number[];
  /** Coefficients of the columns, then of the squares of the curved ones. */
  private readonly coefficients: Float64Array;
  private readonly level: number;

  /**
   * @param rows `n x d`, encoded
   * @param z observations, length `n`
   */
  constructor(rows: Float64Array, z: Float64Array, n: number, d: number) {
    this.d = d;
    this.curved = Array.from({ length: d }, (_, c) => c).filter((c) =>
      z.some((_, i) => rows[i * d + c] !== 0 && rows[i * d + c] !== 1),
    );
    const p = d + this.curved.length;
    const features = Array.from({ length: n }, (_, i) => this.features(rows, i));
    const middle = Float64Array.from(
      { length: p },
      (_, k) => moments(Float64Array.from(features, (f) => f[k]!)).mean,
    );
    const mean = moments(z).mean;
    const centred = new Float64Array(n * p);
    features.forEach((f, i) => f.forEach((value, k) => (centred[i * p + k] = value - middle[k]!)));
    const products = new Float64Array(p * p);
    const pulls = new Float64Array(p);
    for (let i = 0; i < n; i++) {
      for (let a = 0; a < p; a++) {
        const value = centred[i * p + a]!;
        pulls[a]! += value * (z[i]! - mean);
        for (let b = 0; b <= a; b++) products[a * p + b]! += value * centred[i * p + b]!;
      }
    }

    const ridge = (penalty: number) => {
      const shifted = products.slice();
      for (let a = 0; a < p; a++) shifted[a * (p + 1)]! += penalty;
      const factor = choleskyWithJitter(shifted, p)!;
      const coefficients = solveLowerTransposed(factor, p, solveLower(factor, p, pulls));
      const roots = solveLower(factor, p, centred, n);
      const leftOut = z.map((value, i) => {
        const leverage = 1 / n + dot(roots, roots, p, i * p, i * p);
        const error = value - mean - dot(centred, coefficients, p, i * p);
        return value - error / Math.max(1 - leverage, 1e-3);
      });
      return {
        coefficients,
        leftOut,
        errors: leftOut.reduce((sum, value, i) => sum + (z[i]! - value) ** 2, 0),
      };
    };
    const best = PENALTIES.map(ridge).reduce((a, b) => (b.errors < a.errors ? b : a));
    this.coefficients = best.coefficients;
    this.leftOut = best.leftOut;
    this.level = mean - dot(middle, best.coefficients, p);
    this.r2 = 1 - best.errors / z.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  }

  /** The trend at row `i`. */
  at(rows: Float64Array, i: number): number {
    return this.level + dot(this.features(rows, i), this.coefficients, this.coefficients.length);
  }

  /** Adds `pull` times the derivative with respect to row `i`. */
  addSlope(rows: Float64Array, i: number, pull: number, gradient: Float64Array): void {
    const { d, coefficients, curved } = this;
    for (let c = 0; c < d; c++) gradient[i * d + c]! += pull * LINEAR * coefficients[c]!;
    curved.forEach((c, k) => {
      const u = rows[i * d + c]! - 0.5;
      gradient[i * d + c]! += pull * 2 * SQUARED * coefficients[d + k]! * u;
    });
  }

  /** Root mean square of the slope along each column. */
  steepness(): Float64Array {
    const { d, coefficients, curved } = this;
    const squares = coefficients.slice(0, d).map((value) => (LINEAR * value) ** 2);
    curved.forEach((c, k) => (squares[c]! += (SQUARED * coefficients[d + k]!) ** 2 / 3));
    return squares.map(Math.sqrt);
  }

  private features(rows: Float64Array, i: number): Float64Array {
    const { d, curved } = this;
    const found = new Float64Array(d + curved.length);
    for (let c = 0; c < d; c++) found[c] = LINEAR * (rows[i * d + c]! - 0.5);
    curved.forEach((c, k) => (found[d + k] = SQUARED * (rows[i * d + c]! - 0.5) ** 2));
    return found;
  }
}

/** A trend plus a Gaussian process of the rest. The trend counts as known. */
class TrendedProcess implements FittedSurrogate {
  readonly d: number;
  readonly noise: number;
  readonly relevance: Float64Array;
  readonly choices: Choices;
  readonly timedOut: boolean;
  /** The rest in the scale of this model is `level + unit` times that of the process. */
  private readonly level: number;
  private readonly unit: number;

  readonly output: OutputMap;

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
    this.choices = { ...process.choices!, trend: true };
    this.timedOut = process.timedOut;
  }

  posterior(points: Float64Array, m: number): Posterior {
    return this.raised(this.process.posterior(points, m), points, m);
  }

  beside(stay: Float64Array, count: number): Beside {
    const beside = this.process.beside(stay, count);
    return {
      posterior: (points, m) => this.raised(beside.posterior(points, m), points, m),
      marginals: (points, m): Marginals => {
        const { mean, variance, cross } = beside.marginals(points, m);
        return {
          mean: this.means(mean, points),
          variance: this.squared(variance),
          cross: this.squared(cross),
        };
      },
    };
  }

  leaveOneOut(): LeaveOneOut {
    const { mean, variance } = this.process.leftOut();
    const { trend, unit, level, y, output } = this;
    const predicted = mean.map((value, i) => trend.leftOut[i]! + level + unit * value);
    return leaveOneOutOf(y, predicted, this.squared(variance).map(Math.sqrt), output);
  }

  private means(mean: Float64Array, points: Float64Array): Float64Array {
    return mean.map((value, i) => this.trend.at(points, i) + this.level + this.unit * value);
  }

  private squared(values: Float64Array): Float64Array {
    return values.map((value) => value * this.unit ** 2);
  }

  private raised(
    { mean, covariance, cross, backward }: Posterior,
    points: Float64Array,
    m: number,
  ): Posterior {
    return {
      mean: this.means(mean, points),
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
