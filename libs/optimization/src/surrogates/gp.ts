import { ServiceError } from '@lab/contracts';
import { dot } from '../numeric/index.js';
import { centre, Factor, type Centred } from './factor.js';
import { crossCovariance, inverseLengthscales, scaleRows, selfCovariance, type Groups } from './matern.js';
import { leaveOneOutOf } from './leave-one-out.js';
import type { Observations } from './observations.js';
import type { FittedSurrogate, LeaveOneOut, OutputMap, Posterior } from './surrogate.js';

/**
 * Gaussian process with a constant mean and Matern-5/2 covariance, exact, with given hyperparameters. The mean is the one of
 * generalised least squares, taken as known.
 * Rasmussen & Williams 2006, eq. 2.23 to 2.26 and 5.12.
 */
export class GaussianProcess implements FittedSurrogate {
  readonly d: number;
  readonly noise: number;
  readonly relevance: Float64Array;
  private readonly n: number;
  private readonly scale: number;
  private readonly scaled: Float64Array;
  private readonly factor: Factor;
  private readonly centred: Centred;
  private readonly z: Float64Array;

  /**
   * @param theta `[log lengthscale of each group, log output scale, log noise variance]`, in the scale of the model
   * @throws ServiceError `internal` when the covariance cannot be factorised
   */
  constructor(
    private readonly data: Observations,
    groups: Groups,
    readonly theta: Float64Array,
    readonly output: OutputMap,
    readonly hyperparameters: FittedSurrogate['hyperparameters'],
    readonly timedOut: boolean,
  ) {
    const { n } = data;
    this.n = n;
    this.d = groups.of.length;
    this.relevance = inverseLengthscales(groups, theta);
    this.scale = Math.exp(theta[groups.count]!);
    const noiseVariance = Math.exp(theta[groups.count + 1]!);
    this.noise = Math.sqrt(noiseVariance);
    this.scaled = scaleRows(data.rows, n, this.relevance);
    const covariance = new Float64Array(n * n);
    selfCovariance(this.scaled, n, this.d, this.scale, covariance, new Float64Array(n * n));
    const factor = Factor.of(covariance, n, this.scale, noiseVariance);
    if (factor === null) {
      throw new ServiceError('internal', `The covariance of ${n} observations is not positive definite`);
    }
    this.factor = factor;
    this.z = data.y.map((value) => output.toModel(value));
    this.centred = centre(factor, this.z);
  }

  posterior(points: Float64Array, m: number): Posterior {
    const { n, d, scale } = this;
    const at = scaleRows(points, m, this.relevance);
    const cross = crossCovariance(at, m, this.scaled, n, d, scale);
    const own = crossCovariance(at, m, at, m, d, scale);
    const { mean: level, alpha } = this.centred;

    const mean = new Float64Array(m);
    for (let a = 0; a < m; a++) mean[a] = level + dot(cross.covariance, alpha, n, a * n);

    const roots = this.factor.solveRoot(cross.covariance, m);
    const covariance = new Float64Array(m * m);
    for (let a = 0; a < m; a++) {
      for (let b = 0; b <= a; b++) {
        const left = own.covariance[a * m + b]! - dot(roots, roots, n, a * n, b * n);
        covariance[a * m + b] = covariance[b * m + a] = a === b ? Math.max(left, scale * 1e-12) : left;
      }
    }

    const backward = (dMean: Float64Array, dCovariance: Float64Array): Float64Array => {
      const gradient = new Float64Array(m * d);
      const weights = this.factor.solveRootTransposed(roots, m);
      for (let a = 0; a < m; a++) {
        // Derivative with respect to the covariances of point a with the observations.
        const dCross = new Float64Array(n);
        for (let i = 0; i < n; i++) dCross[i] = dMean[a]! * alpha[i]!;
        for (let b = 0; b < m; b++) {
          const both = dCovariance[a * m + b]! + dCovariance[b * m + a]!;
          if (both === 0) continue;
          for (let i = 0; i < n; i++) dCross[i]! -= both * weights[b * n + i]!;
          const pull = both * own.slope[a * m + b]!;
          for (let c = 0; c < d; c++) gradient[a * d + c]! -= pull * (at[a * d + c]! - at[b * d + c]!);
        }
        for (let i = 0; i < n; i++) {
          const pull = dCross[i]! * cross.slope[a * n + i]!;
          for (let c = 0; c < d; c++) {
            gradient[a * d + c]! -= pull * (at[a * d + c]! - this.scaled[i * d + c]!);
          }
        }
        for (let c = 0; c < d; c++) gradient[a * d + c]! *= this.relevance[c]!;
      }
      return gradient;
    };
    return { mean, covariance, backward };
  }

  leaveOneOut(): LeaveOneOut {
    const { mean, variance } = this.leaveOneOutOfModel();
    return leaveOneOutOf(this.data.y, mean, variance.map(Math.sqrt), this.output);
  }

  /** The logarithm of the density that each observation has when it is left out, summed, in the scale of the model. */
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
   * Predictions of each measurement from all others: hyperparameters are kept, the mean is taken from the others
   * (O. Dubrule: Cross validation of kriging in a unique neighborhood, 1983). Variances include the noise.
   */
  private leaveOneOutOfModel(): { mean: Float64Array; variance: Float64Array } {
    const { n, factor } = this;
    const { alpha, ones, precision, mean: level } = this.centred;
    const mean = new Float64Array(n);
    const variance = new Float64Array(n);
    if (n === 1) {
      mean[0] = level;
      variance[0] = this.scale + this.noise ** 2;
      return { mean, variance };
    }
    const inverse = factor.inverse();
    for (let i = 0; i < n; i++) {
      const own = inverse[i * n + i]!;
      mean[i] = this.z[i]! - alpha[i]! / (own - (ones[i]! * ones[i]!) / precision);
      variance[i] = 1 / own;
    }
    return { mean, variance };
  }
}
