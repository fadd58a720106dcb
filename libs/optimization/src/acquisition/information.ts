import type { AcquisitionFunction } from './acquisition.js';
import type { Beside, Choices, FittedSurrogate } from '../surrogates/surrogate.js';

/** From this number of results on, noise that is likelier than none counts. Fewer results must show it clearly. */
const MANY = 20;

/** Whether the noise of a model of `n` results counts, so that {@link withInformation} belongs to it. */
export function isNoisy(choices: Choices | undefined, n: number): boolean {
  return choices?.noise === 'some' || (n >= MANY && choices?.noise === 'likely');
}

/**
 * An acquisition function in logarithmic units plus the logarithm of `1 - noise / sqrt(variance + noise^2)` of the objective: a
 * noisy measurement of a well-known point tells little, although the point may be good (D. Huang, T. T. Allen, W. I. Notz,
 * N. Zeng: Global optimization of stochastic black-box systems via sequential kriging meta-models, 2006, eq. 12). Without the
 * term, the runs near the best point never end, because noise always leaves some expected improvement there.
 *
 * @param inner of one point; its function with further points pending has the term already
 * @param model of the objective, with noise above 0
 */
export function withInformation(inner: AcquisitionFunction, model: FittedSurrogate): AcquisitionFunction {
  return new Informative(inner, model);
}

class Informative implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit = 1;
  private readonly alone: Beside;
  /** Variance of the noise. */
  private readonly noise: number;

  constructor(
    private readonly inner: AcquisitionFunction,
    model: FittedSurrogate,
  ) {
    this.d = inner.d;
    this.alone = model.beside(new Float64Array(0), 0);
    this.noise = model.noise ** 2;
  }

  value(points: Float64Array, q: number): number {
    return this.inner.value(points, q) + this.share(this.alone.marginals(points, 1).variance[0]!);
  }

  values(points: Float64Array, m: number): Float64Array {
    const { variance } = this.alone.marginals(points, m);
    return this.inner.values(points, m).map((value, i) => value + this.share(variance[i]!));
  }

  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array } {
    const inner = this.inner.gradient(points, q);
    const at = this.alone.posterior(points.subarray(0, this.d), 1);
    const variance = at.covariance[0]!;
    const gradient = at.backward(Float64Array.of(0), Float64Array.of(this.slope(variance)));
    inner.gradient.forEach((pull, j) => (gradient[j]! += pull));
    return { value: inner.value + this.share(variance), gradient };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return this.inner.withPending(points, count);
  }

  /** As `(1 - a^2) / (1 + a)`, so that a small share keeps its digits. */
  private share(variance: number): number {
    const whole = variance + this.noise;
    return Math.log(variance / whole / (1 + Math.sqrt(this.noise / whole)));
  }

  /** Derivative of {@link share}. */
  private slope(variance: number): number {
    const whole = variance + this.noise;
    const part = Math.sqrt(this.noise / whole);
    return 1 / variance - 1 / whole + part / (2 * whole * (1 + part));
  }
}
