import { ServiceError } from '@lab/contracts/vocabulary';
import { arena, padded } from '../numeric/index.js';
import { GaussianBeside } from './beside.js';
import { centre, factorCovariance, type Centred } from './factor.js';
import { columnsOf, inverseLengthscales, scaleColumns, type Groups } from './matern.js';
import { leaveOneOutOf } from './leave-one-out.js';
import type { Observations } from './observations.js';
import type { Beside, FittedSurrogate, LeaveOneOut, OutputMap, Posterior } from './surrogate.js';

/**
 * Exact Gaussian process with a constant mean by generalised least squares, Matern-5/2 covariance and given
 * hyperparameters. Rasmussen & Williams 2006, eq. 2.23 to 2.26 and 5.12.
 */
export class GaussianProcess implements FittedSurrogate {
  readonly d: number;
  readonly noise: number;
  readonly relevance: Float64Array;
  private readonly n: number;
  private readonly scale: number;
  /** The observed points, as `columnsOf`, in units of the lengthscales. */
  private readonly columns: Float64Array;
  /** Factor of the covariance of the measurements, `padded(n) x padded(n)`. */
  private readonly factor: Float64Array;
  private readonly centred: Centred;
  private readonly z: Float64Array;
  private readonly alone: Beside;

  /**
   * @param theta `[log lengthscale of each group, log output scale, log noise variance]`, in the scale of the model
   * @throws ServiceError `internal` when the covariance cannot be factorised
   */
  constructor(
    private readonly data: Observations,
    groups: Groups,
    readonly theta: Float64Array,
    readonly output: OutputMap,
    readonly timedOut: boolean,
  ) {
    const { n } = data;
    this.n = n;
    this.d = groups.of.length;
    this.relevance = inverseLengthscales(groups, theta);
    this.scale = Math.exp(theta[groups.count]!);
    const noiseVariance = Math.exp(theta[groups.count + 1]!);
    this.noise = Math.sqrt(noiseVariance);
    this.z = data.y.map((value) => output.toModel(value));
    const { d } = this;
    const stride = padded(n);
    const square = stride * stride;
    const columns = columnsOf(data.rows, n, d);
    const x = arena.room((d + 2) * stride + 2 * square);
    const [solutions, l] = [x + d * stride, x + (d + 2) * stride];
    scaleColumns(columns, this.relevance, arena.numbers, x);
    if (factorCovariance(x, n, d, this.scale, noiseVariance, l, l + square) === null) {
      throw new ServiceError('internal', `The covariance of ${n} observations is not positive definite`);
    }
    this.centred = centre(l, this.z, solutions);
    this.columns = arena.numbers.slice(x, solutions);
    this.factor = arena.numbers.slice(l, l + square);
    this.alone = this.beside(new Float64Array(0), 0);
  }

  posterior(points: Float64Array, m: number): Posterior {
    return this.alone.posterior(points, m);
  }

  beside(stay: Float64Array, count: number): Beside {
    const { n, relevance, scale, columns, factor, centred } = this;
    return new GaussianBeside({ n, relevance, scale, columns, factor, centred }, stay, count);
  }

  leaveOneOut(): LeaveOneOut {
    const { mean, variance } = this.leaveOneOutOfModel();
    return leaveOneOutOf(this.data.y, mean, variance.map(Math.sqrt), this.output);
  }

  /** The sum of the log densities of the left-out observations, in the scale of the model. */
  logPredictiveDensity(): number {
    const { mean, variance } = this.leaveOneOutOfModel();
    let sum = 0;
    for (let i = 0; i < this.n; i++) {
      const error = this.z[i]! - mean[i]!;
      sum -= 0.5 * (Math.log(2 * Math.PI * variance[i]!) + (error * error) / variance[i]!);
    }
    return sum;
  }

  /**
   * Predictions of each measurement from all others, with the same hyperparameters and the mean of the others (O.
   * Dubrule: Cross validation of kriging in a unique neighborhood, 1983). Variances include the noise.
   */
  private leaveOneOutOfModel(): { mean: Float64Array; variance: Float64Array } {
    const { n, factor } = this;
    const stride = padded(n);
    const { alpha, ones, precision, mean: level } = this.centred;
    const mean = new Float64Array(n);
    const variance = new Float64Array(n);
    if (n === 1) {
      mean[0] = level;
      variance[0] = this.scale + this.noise ** 2;
      return { mean, variance };
    }
    const l = arena.room(2 * stride * stride);
    const { kernel, numbers } = arena;
    numbers.set(factor, l);
    kernel.inverse(l, stride, l + stride * stride);
    for (let i = 0; i < n; i++) {
      const own = numbers[l + i * (stride + 1)]!;
      mean[i] = this.z[i]! - alpha[i]! / (own - (ones[i]! * ones[i]!) / precision);
      variance[i] = 1 / own;
    }
    return { mean, variance };
  }
}
