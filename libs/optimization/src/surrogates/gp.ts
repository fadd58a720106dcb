import { ServiceError } from '@lab/contracts/vocabulary';
import { arena, padded, type Shape } from '../numeric/index.js';
import { GaussianBeside } from './beside.js';
import { columnsOf, inverseLengthscales, scaleColumns, type Groups } from './covariance.js';
import { centre, factorCovariance } from './factor.js';
import { leaveOneOutOf } from './leave-one-out.js';
import { positionsWithout, take, type Observations } from './observations.js';
import type { Conditions } from './solved.js';
import type { Beside, Choices, FittedSurrogate, LeaveOneOut, OutputMap, Posterior } from './surrogate.js';

export interface Hyperparameters {
  readonly shape: Shape;
  readonly groups: Groups;
  /** `[log lengthscale of each group, log output scale, log noise variance]`, in the scale of the model */
  readonly theta: Float64Array;
}

/**
 * Exact Gaussian process with a constant mean by generalised least squares and given hyperparameters. Rasmussen &
 * Williams 2006, eq. 2.23 to 2.26 and 5.12.
 */
export class GaussianProcess implements FittedSurrogate {
  readonly d: number;
  readonly noise: number;
  readonly relevance: Float64Array;
  /** Positions of the observations that the process knows; the others are in doubt. */
  private readonly kept: Int32Array;
  private readonly known: Conditions;
  private readonly z: Float64Array;
  private readonly alone: GaussianBeside;

  /**
   * @param doubted positions of observations that the process must not learn from
   * @throws ServiceError `internal` when the covariance cannot be factorised
   */
  constructor(
    private readonly data: Observations,
    readonly hyperparameters: Hyperparameters,
    readonly output: OutputMap,
    public timedOut: boolean,
    private readonly doubted: readonly number[] = [],
    readonly choices?: Choices,
  ) {
    const { shape, groups, theta } = hyperparameters;
    this.d = groups.of.length;
    this.kept = positionsWithout(doubted, data.n);
    const observed = doubted.length === 0 ? data : take(data, this.d, this.kept);
    const { n } = observed;
    this.relevance = inverseLengthscales(groups, theta);
    const scale = Math.exp(theta[groups.count]!);
    const noiseVariance = Math.exp(theta[groups.count + 1]!);
    this.noise = Math.sqrt(noiseVariance);
    this.z = observed.y.map((value) => output.toModel(value));
    const { d } = this;
    const stride = padded(n);
    const square = stride * stride;
    const columns = columnsOf(observed.rows, n, d);
    const x = arena.room((d + 2) * stride + 2 * square);
    const [solutions, l] = [x + d * stride, x + (d + 2) * stride];
    scaleColumns(columns, this.relevance, arena.numbers, x);
    if (factorCovariance(shape, x, n, d, scale, noiseVariance, l, l + square) === null) {
      throw new ServiceError('internal', `The covariance of ${n} observations is not positive definite`);
    }
    this.known = {
      ...{ shape, n, relevance: this.relevance, scale },
      centred: centre(l, this.z, solutions),
      columns: arena.numbers.slice(x, solutions),
      factor: arena.numbers.slice(l, l + square),
      recent: null,
    };
    this.alone = new GaussianBeside(this.known, new Float64Array(0), 0);
  }

  posterior(points: Float64Array, m: number): Posterior {
    return this.alone.posterior(points, m);
  }

  means(points: Float64Array, m: number): Float64Array {
    return this.alone.means(points, m);
  }

  beside(stay: Float64Array, count: number): Beside {
    return new GaussianBeside(this.known, stay, count);
  }

  leaveOneOut(): LeaveOneOut {
    const { mean, variance } = this.leftOut();
    return leaveOneOutOf(this.data.y, mean, variance.map(Math.sqrt), this.output);
  }

  /**
   * The sum of the log densities of the left-out observations that are not in doubt, in the scale of the model.
   *
   * @param blur variances that are added to those of the predictions; absent: 0
   */
  logPredictiveDensity(blur?: Float64Array): number {
    const { variance, squares } = this.leftOut();
    let sum = 0;
    for (const i of this.kept) {
      const all = variance[i]! + (blur?.[i] ?? 0);
      sum -= 0.5 * (Math.log(2 * Math.PI * all) + squares[i]! / (all / variance[i]!));
    }
    return sum;
  }

  /**
   * Predictions of each measurement from all others that are not in doubt, with the same hyperparameters and the mean
   * of the others (O. Dubrule: Cross validation of kriging in a unique neighborhood, 1983), in the scale of the model.
   *
   * @returns variances with the noise, and squared errors in units of them
   */
  leftOut(): { mean: Float64Array; variance: Float64Array; squares: Float64Array } {
    const { known, kept, doubted, data, d } = this;
    const n = kept.length;
    const stride = padded(n);
    const { alpha, ones, precision, mean: level } = known.centred;
    const mean = new Float64Array(data.n);
    const variance = new Float64Array(data.n);
    if (n === 1) {
      mean[kept[0]!] = level;
      variance[kept[0]!] = known.scale + this.noise ** 2;
    } else {
      const l = arena.room(2 * stride * stride);
      const { kernel, numbers } = arena;
      numbers.set(known.factor, l);
      kernel.inverseDiagonal(l, stride, l + stride * stride);
      kept.forEach((i, k) => {
        const own = numbers[l + k * (stride + 1)]!;
        mean[i] = this.z[k]! - alpha[k]! / (own - (ones[k]! * ones[k]!) / precision);
        variance[i] = 1 / own;
      });
    }
    const apart = take(data, d, Int32Array.from(doubted));
    const beyond = this.alone.marginals(apart.rows, apart.n);
    doubted.forEach((i, k) => {
      mean[i] = beyond.mean[k]!;
      variance[i] = beyond.variance[k]! + this.noise ** 2;
    });
    const squares = mean.map((value, i) => (this.output.toModel(data.y[i]!) - value) ** 2 / variance[i]!);
    return { mean, variance, squares };
  }
}
