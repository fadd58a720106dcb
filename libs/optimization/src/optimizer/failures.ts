import type { AcquisitionFunction } from '../acquisition/acquisition.js';

/** The remaining part of the worth of a point that failed before. */
const REMAINDER = 0.01;
/** Root mean square of the differences of encoded columns at which a failure has lost most of its effect. */
const REACH = 0.1;

/**
 * An acquisition function that avoids the neighbourhood of failed runs: each takes up to 99 % of the worth, less with
 * distance. For functions in logarithmic or standardised units; smooth.
 */
export class AvoidingFailures implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit: number;

  /** @param failed encoded rows */
  constructor(
    private readonly inner: AcquisitionFunction,
    private readonly failed: readonly Float64Array[],
  ) {
    this.d = inner.d;
    this.jointLimit = inner.jointLimit;
  }

  value(points: Float64Array, q: number): number {
    return this.inner.value(points, q) + this.penalty(points, q, null);
  }

  values(points: Float64Array, m: number): Float64Array {
    const { d } = this;
    return this.inner
      .values(points, m)
      .map((value, i) => value + this.penalty(points.subarray(i * d, i * d + d), 1, null));
  }

  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array } {
    const { value, gradient } = this.inner.gradient(points, q);
    const total = Float64Array.from(gradient);
    return { value: value + this.penalty(points, q, total), gradient: total };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return new AvoidingFailures(this.inner.withPending(points, count), this.failed);
  }

  /** Adds its derivatives to `gradient`, if given. */
  private penalty(points: Float64Array, q: number, gradient: Float64Array | null): number {
    const { d } = this;
    const width = REACH * REACH * d;
    let sum = 0;
    for (let i = 0; i < q; i += 1) {
      for (const row of this.failed) {
        let squares = 0;
        for (let j = 0; j < d; j += 1) squares += (points[i * d + j]! - row[j]!) ** 2;
        const loss = (1 - REMAINDER) * Math.exp(-squares / (2 * width));
        sum += Math.log1p(-loss);
        if (gradient === null) continue;
        const slope = loss / (width * (1 - loss));
        for (let j = 0; j < d; j += 1) gradient[i * d + j]! += slope * (points[i * d + j]! - row[j]!);
      }
    }
    return sum;
  }
}
