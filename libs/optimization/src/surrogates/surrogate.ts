import type { Shape } from '../numeric/index.js';
import type { Warp } from './warping.js';

/**
 * A model of one output, fitted to measurements. Points are rows of length `d` in the encoding of the domain
 * (`Domain.encode`): numbers scaled to [0, 1], categories one-hot.
 */
export interface Surrogate {
  /** Length of a row. */
  readonly d: number;
  /** The joint distribution of the (noise-free) output at `m` points, `m x d`. */
  posterior(points: Float64Array, m: number): Posterior;
  /** The means alone, which take much less time. @returns length `m`, in the scale of the model */
  means(points: Float64Array, m: number): Float64Array;
  /** Prepares many posteriors beside the same fixed points: their part is computed once. @param stay `count x d` */
  beside(stay: Float64Array, count: number): Beside;
}

/** Distributions of the output at points, and their covariances with the output at `f` fixed points. */
export interface Beside {
  /** The joint distribution at `m` points, as {@link Surrogate.posterior}. */
  posterior(points: Float64Array, m: number): Posterior;
  /** The distribution at each of `m` points on its own. */
  marginals(points: Float64Array, m: number): Marginals;
}

export interface Marginals {
  /** Length `m`, in the scale of the model. */
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  /** Covariances with the fixed points, `m x f`. */
  readonly cross: Float64Array;
}

/** A joint normal distribution, and its derivatives with respect to its points. */
export interface Posterior {
  /** Length `m`, in the scale of the model (see {@link OutputMap}). */
  readonly mean: Float64Array;
  /** `m x m`, symmetric, row by row. */
  readonly covariance: Float64Array;
  /** Covariances with the fixed points, `m x f`, row by row; empty for {@link Surrogate.posterior}. */
  readonly cross: Float64Array;
  /**
   * Reverse mode: the gradient, `m x d`, with respect to the points of a function of mean and covariance.
   *
   * @param dMean derivatives with respect to the mean, length `m`
   * @param dCovariance derivatives with respect to the entries of the covariance, `m x m`, each entry as if it were
   *   free
   * @param dCross derivatives with respect to {@link cross}, `m x f`; absent: 0
   */
  backward(dMean: Float64Array, dCovariance: Float64Array, dCross?: Float64Array): Float64Array;
}

/** The monotone, increasing map that standardises, and perhaps warps, observations before a model is fitted. */
export interface OutputMap {
  /** A measured value in the scale of the model. */
  toModel(y: number): number;
  /** And back. */
  fromModel(z: number): number;
  /** Derivative of {@link fromModel}, above 0. */
  slope(z: number): number;
}

/** Predictions of each point from all others. */
export interface LeaveOneOut {
  /** Lengths: number of observations; in the unit of the output. */
  mean: Float64Array;
  deviation: Float64Array;
  /** `1 - sum of squared errors / sum of squared deviations from the mean`. */
  r2: number;
}

/** What a fit decided, for people. */
export interface Choices {
  readonly kernel: Shape;
  /** The reason for this kernel, as a sentence. */
  readonly kernelReason: string;
  readonly warping: Warp['name'];
  /** The model is a trend of such functions, one of each number, and a process of the rest; absent: it has no trend. */
  readonly trend?: 'parabolas' | 'curves';
  /**
   * What the results say about noise. `none`: they are clearly likelier without it. `unclear`: they do not tell. `likely`: they are a
   * little likelier with it. `some`: they are clearly likelier with it.
   */
  readonly noise: 'none' | 'unclear' | 'likely' | 'some';
  /** Positions of the observations that contradict all others so much that the model ignores them. */
  readonly doubted: readonly number[];
}

export interface FittedSurrogate extends Surrogate {
  readonly output: OutputMap;
  /** Standard deviation of the noise of a measurement, in the scale of the model. */
  readonly noise: number;
  leaveOneOut(): LeaveOneOut;
  /** Relevance of each encoded column, 0 or more (inverse lengthscales of a Gaussian process); null: the model has none. */
  readonly relevance: Float64Array | null;
  /** Absent: the model decides nothing by evidence. */
  readonly choices?: Choices;
  /** The time limit ended the fit; this is the best one found. */
  readonly timedOut: boolean;
}

export interface FitOptions {
  seed: number;
  /** Milliseconds by the given clock, after which the best result so far is used. */
  timeLimitMs: number;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
}
