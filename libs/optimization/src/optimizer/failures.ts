import type { AcquisitionFunction } from '../acquisition/acquisition.js';
import type { Column } from '../domain/encoding.js';
import { joined, logNormalCdf, logNormalCdfSlope, minimizeBounded, Rng } from '../numeric/index.js';
import { Evidence, hyperparametersOf } from '../surrogates/evidence.js';
import { GaussianProcess } from '../surrogates/gp.js';
import { take, type Observations } from '../surrogates/observations.js';
import { StandardisedOutput } from '../surrogates/output-map.js';
import type { Beside, FitOptions, FittedSurrogate } from '../surrogates/surrogate.js';
import type { PlacedRun } from './runs.js';

/**
 * Adds the logarithm of the probability that a run gives a result of every output to an acquisition function. Without failures the
 * probability is 1, and the function stays the same.
 *
 * @param succeeded runs with a result of every output
 * @param failed runs that ended without one
 */
export function successOf(
  columns: readonly Column[],
  succeeded: readonly PlacedRun[],
  failed: readonly PlacedRun[],
  options: FitOptions,
): (inner: AcquisitionFunction) => AcquisitionFunction {
  if (failed.length === 0) return (inner) => inner;
  const runs = [...succeeded, ...failed];
  const rows = joined(runs.map(({ row }) => row));
  const y = Float64Array.from(runs, (_, i) => (i < succeeded.length ? 1 : -1));
  const model = fitLabels({ rows, y, n: runs.length }, columns, options);
  return (inner) => new LikelySuccess(inner, model);
}

/**
 * Limits of the hyperparameters for labels: lengthscales in encoded units, output scale and noise as variances of
 * standardised labels. Shorter lengthscales and less noise would explain each failure by itself.
 */
const LENGTHSCALES = [0.1, 1000] as const;
const SCALES = [0.05, 100] as const;
const NOISES = [0.05, 2] as const;
/** At most this many labels take part in the search for hyperparameters. */
const SEARCHED = 200;

/** A Gaussian process of labels, with one lengthscale for each input, by maximum a posteriori from two starts. */
function fitLabels(data: Observations, columns: readonly Column[], options: FitOptions): GaussianProcess {
  const groups = { of: Int32Array.from(columns, ({ input }) => input), count: columns.at(-1)!.input + 1 };
  const shape = 'matern52';
  const output = new StandardisedOutput(data.y);
  const order = Rng.seeded(options.seed).shuffle(Int32Array.from({ length: data.n }, (_, i) => i));
  const part = data.n <= SEARCHED ? data : take(data, columns.length, order.subarray(0, SEARCHED));
  const z = part.y.map((label) => output.toModel(label));
  const evidence = new Evidence({ rows: part.rows, z, n: part.n, shape, groups }, 'flat');
  const theta = (lengthscale: number, scale: number, noise: number) =>
    hyperparametersOf(groups, lengthscale, scale, noise);
  const end = options.now() + options.timeLimitMs;
  const found = [Math.sqrt(groups.count) / 2, 0.2].map((lengthscale) =>
    minimizeBounded((at, gradient) => evidence.negative(at, gradient), theta(lengthscale, 1, 0.1), {
      lower: theta(LENGTHSCALES[0], SCALES[0], NOISES[0]),
      upper: theta(LENGTHSCALES[1], SCALES[1], NOISES[1]),
      maxIterations: 50,
      gradientTolerance: 1e-4,
      valueTolerance: 1e-7,
      stop: () => options.now() >= end,
    }),
  );
  const best = found[1]!.value < found[0]!.value ? found[1]! : found[0]!;
  return new GaussianProcess(data, { shape, groups, theta: best.x }, output, false);
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
