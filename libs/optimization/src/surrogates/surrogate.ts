/**
 * A model of one output, fitted to what was measured. Points are rows of length `d` of a Float64Array, in the encoding of
 * the domain (`Domain.encode`): numbers scaled to [0, 1], categories one-hot.
 */
export interface Surrogate {
  /** Length of a row. */
  readonly d: number;
  /**
   * The joint distribution of the (noise-free) output at `m` points.
   *
   * @param points `m x d`, row by row
   */
  posterior(points: Float64Array, m: number): Posterior;
  /**
   * Prepares for many posteriors together with points that stay the same: their part is computed once.
   *
   * @param stay `count x d`; none: count is 0
   */
  beside(stay: Float64Array, count: number): Beside;
}

/** Distributions of the output at points, and their covariances with the output at `f` points that stay. */
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
  /** Covariances with the points that stay, `m x f`. */
  readonly cross: Float64Array;
}

/** A joint normal distribution, and the way back to the points it was taken at. */
export interface Posterior {
  /** Length `m`, in the scale of the model (see {@link OutputMap}). */
  readonly mean: Float64Array;
  /** `m x m`, symmetric, row by row. */
  readonly covariance: Float64Array;
  /** Covariances with the points that stay, `m x f`, row by row; of {@link Surrogate.posterior} none. */
  readonly cross: Float64Array;
  /**
   * Reverse mode: the gradient with respect to the points of a function of mean and covariance.
   *
   * @param dMean derivatives with respect to the mean, length `m`
   * @param dCovariance derivatives with respect to the entries of the covariance, `m x m`, each entry as if it were free
   * @param dCross derivatives with respect to {@link cross}, `m x f`; absent: 0
   * @returns `m x d`
   */
  backward(dMean: Float64Array, dCovariance: Float64Array, dCross?: Float64Array): Float64Array;
}

/** Observations are standardised, and perhaps warped, before a model is fitted: this is the map, monotone and increasing. */
export interface OutputMap {
  /** A measured value in the scale of the model. */
  toModel(y: number): number;
  /** And back. */
  fromModel(z: number): number;
  /** Derivative of {@link fromModel}, above 0. */
  slope(z: number): number;
}

/** How well a model predicts each of its points without having seen it. */
export interface LeaveOneOut {
  /** Lengths: number of observations; in the unit of the output. */
  mean: Float64Array;
  deviation: Float64Array;
  /** `1 - sum of squared errors / sum of squared deviations from the mean`. */
  r2: number;
}

export interface FittedSurrogate extends Surrogate {
  readonly output: OutputMap;
  /** Standard deviation of the noise of a measurement, in the scale of the model. */
  readonly noise: number;
  leaveOneOut(): LeaveOneOut;
  /** Relevance of each encoded column, 0 or more (inverse lengthscales of a Gaussian process); null: the model has none. */
  readonly relevance: Float64Array | null;
  /** The time limit ended the fit: this is the best that was found until then. */
  readonly timedOut: boolean;
}

export interface FitOptions {
  seed: number;
  /** Milliseconds by the clock that is given; the best found by then is taken. */
  timeLimitMs: number;
  /** Milliseconds of a clock that only rises. */
  now: () => number;
}
