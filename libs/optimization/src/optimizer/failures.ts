import type { AcquisitionFunction } from '../acquisition/acquisition.js';
import type { Column } from '../domain/encoding.js';
import { joined, logNormalCdf, logNormalCdfSlope } from '../numeric/index.js';
import { fitGaussianProcess } from '../surrogates/fit.js';
import type { Beside, FittedSurrogate, FitOptions } from '../surrogates/surrogate.js';
import type { PlacedRun } from './runs.js';

/**
 * The same function, plus the logarithm of the probability that a run gives a result of every output. Without failures
 * the probability is 1.
 *
 * @param succeeded runs with a result of every output
 * @param failed runs that ended without one
 */
export function withSuccess(
  inner: AcquisitionFunction,
  columns: readonly Column[],
  succeeded: readonly PlacedRun[],
  failed: readonly PlacedRun[],
  options: FitOptions,
): AcquisitionFunction {
  if (failed.length === 0) return inner;
  const runs = [...succeeded, ...failed];
  const d = columns.length;
  const rows = joined(
    runs.map(({ row }) => row),
    d,
  );
  const labels = Float64Array.from(runs, (_, i) => (i < succeeded.length ? 1 : -1));
  const inputOf = columns.map(({ input }) => input);
  const model = fitGaussianProcess(rows, labels, runs.length, d, { ...options, inputOf, warping: 'none' });
  return new LikelySuccess(inner, model);
}

/**
 * An acquisition function in logarithmic or standardised units plus the logarithm of a probability of success. Its
 * model is a regression of labels: 1 for success, -1 for failure (least-squares classification, Rasmussen & Williams
 * 2006, section 6.5). The lengthscales tell which inputs make runs fail and how far a failure reaches; the noise tells
 * how much was bad luck.
 */
class LikelySuccess implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit: number;
  private readonly alone: Beside;
  /** The value between the labels, in the scale of the model. */
  private readonly middle: number;

  constructor(
    private readonly inner: AcquisitionFunction,
    private readonly model: FittedSurrogate,
  ) {
    this.d = inner.d;
    this.jointLimit = inner.jointLimit;
    this.alone = model.beside(new Float64Array(0), 0);
    this.middle = model.output.toModel(0);
  }

  value(points: Float64Array, q: number): number {
    return this.logSuccess(points, q).reduce((sum, value) => sum + value, this.inner.value(points, q));
  }

  values(points: Float64Array, m: number): Float64Array {
    const success = this.logSuccess(points, m);
    return this.inner.values(points, m).map((value, i) => value + success[i]!);
  }

  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array } {
    const { d } = this;
    const inner = this.inner.gradient(points, q);
    const gradient = Float64Array.from(inner.gradient);
    let { value } = inner;
    for (let i = 0; i < q; i++) {
      const at = this.alone.posterior(points.subarray(i * d, (i + 1) * d), 1);
      const variance = at.covariance[0]! + this.model.noise ** 2;
      const z = (at.mean[0]! - this.middle) / Math.sqrt(variance);
      const slope = logNormalCdfSlope(z);
      value += logNormalCdf(z);
      const dMean = Float64Array.of(slope / Math.sqrt(variance));
      const dVariance = Float64Array.of((-slope * z) / (2 * variance));
      at.backward(dMean, dVariance).forEach((pull, j) => (gradient[i * d + j]! += pull));
    }
    return { value, gradient };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return new LikelySuccess(this.inner.withPending(points, count), this.model);
  }

  /** Per point the logarithm of the probability. */
  private logSuccess(points: Float64Array, m: number): Float64Array {
    const { mean, variance } = this.alone.marginals(points, m);
    return mean.map((value, i) =>
      logNormalCdf((value - this.middle) / Math.sqrt(variance[i]! + this.model.noise ** 2)),
    );
  }
}
