import { identity, moments, type Warp } from './warping.js';
import type { OutputMap } from './surrogate.js';

/** Observations with a spread below this part of the largest differ only by rounding. */
const CONSTANT = 1e-13;

/** Unit in which observations are at most 1, so that sums of their squares stay finite. */
export function unitOf(y: Float64Array): number {
  const most = y.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return most > 1e-290 ? most : 1;
}

export function isConstant(u: Float64Array): boolean {
  return !(moments(u).deviation > CONSTANT);
}

/** A standardised {@link Warp} of observations in their own unit. */
export class StandardisedOutput implements OutputMap {
  private readonly unit: number;
  private readonly mean: number;
  private readonly deviation: number;

  /** @param y measured values; constant ones are divided by their size alone */
  constructor(
    y: Float64Array,
    readonly warp: Warp = identity,
  ) {
    this.unit = unitOf(y);
    const { mean, deviation } = moments(y.map((value) => warp.forward(value / this.unit)));
    this.mean = mean;
    this.deviation = deviation > CONSTANT ? deviation : 1;
  }

  toModel(y: number): number {
    return (this.warp.forward(y / this.unit) - this.mean) / this.deviation;
  }

  fromModel(z: number): number {
    const y = this.warp.inverse(this.mean + this.deviation * z) * this.unit;
    return Math.min(Math.max(y, -Number.MAX_VALUE), Number.MAX_VALUE);
  }

  slope(z: number): number {
    const u = this.warp.inverse(this.mean + this.deviation * z);
    return this.deviation * this.unit * Math.exp(-this.warp.logSlope(u));
  }

  /** Logarithm of the derivative of {@link toModel}. */
  logSlope(y: number): number {
    return this.warp.logSlope(y / this.unit) - Math.log(this.deviation) - Math.log(this.unit);
  }
}
