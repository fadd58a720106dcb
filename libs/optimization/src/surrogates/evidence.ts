import { arena, padded, type Shape } from '../numeric/index.js';
import { columnsOf, inverseLengthscales, scaleColumns, type Groups } from './covariance.js';
import { centre, factorCovariance, logDeterminant } from './factor.js';

/** The prior of the noise: for measurements, or none because the data look deterministic. */
export type NoisePrior = 'lognormal' | 'flat';

/** Everything that the evidence depends on but its hyperparameters. */
export interface Problem {
  /** `n x d` */
  readonly rows: Float64Array;
  /** Standardised observations, length `n`. */
  readonly z: Float64Array;
  readonly n: number;
  readonly shape: Shape;
  readonly groups: Groups;
}

/** Least variances of the noise of standardised observations: of measurements, and of outputs that look exact. */
export const NOISE_FLOOR = 1e-4;
export const EXACT_NOISE_FLOOR = 1e-6;

/** Hyperparameters with one lengthscale for all groups, in the order of {@link Evidence.negative}. */
export const hyperparametersOf = (
  { count: g }: Groups,
  lengthscale: number,
  scale: number,
  noise: number,
): Float64Array =>
  Float64Array.from({ length: g + 2 }, (_, k) => Math.log(k < g ? lengthscale : k === g ? scale : noise));

/** Limits of hyperparameters, in the order of {@link Evidence.negative}. */
export function limitsOf(
  groups: Groups,
  noisePrior: NoisePrior,
): { lower: Float64Array; upper: Float64Array } {
  const exact = noisePrior === 'flat';
  return {
    lower: hyperparametersOf(groups, 0.025, 0.01, exact ? EXACT_NOISE_FLOOR : NOISE_FLOOR),
    upper: hyperparametersOf(groups, 1000, 1000, exact ? NOISE_FLOOR : 4),
  };
}

/**
 * The objective of a fit: the logarithm of the marginal likelihood with the constant mean profiled out by generalised
 * least squares, plus the log densities of the priors, as a function of `theta = [log lengthscale of each group, log
 * output scale, log noise variance]`.
 *
 * Priors are densities of the hyperparameters themselves: lengthscales LogNormal(sqrt 2 + ln(groups) / 2, sqrt 3)
 * (Hvarfner et al. 2024), noise variance LogNormal(-4, 1), output scale Gamma(2, 0.15). Likelihood and gradient:
 * Rasmussen & Williams 2006, eq. 5.8 and 5.9.
 */
export class Evidence {
  private readonly columns: Float64Array;

  constructor(
    private readonly problem: Problem,
    private readonly noisePrior: NoisePrior,
  ) {
    this.columns = columnsOf(problem.rows, problem.n, problem.groups.of.length);
  }

  /**
   * The negative logarithm of the posterior density of `theta`; infinite where the covariance has no factor.
   * Overwrites `gradient` with the derivatives; without it, the value takes half of the time.
   */
  negative(theta: Float64Array, gradient?: Float64Array): number {
    const { columns } = this;
    const { z, n, shape, groups } = this.problem;
    const g = groups.count;
    const d = groups.of.length;
    const stride = padded(n);
    const scale = Math.exp(theta[g]!);
    const noise = Math.exp(theta[g + 1]!);

    const square = stride * stride;
    const x = arena.room((d + 2) * stride + 3 * square + d);
    const solutions = x + d * stride;
    const l = solutions + 2 * stride;
    const [slope, room, pulls] = [l + square, l + 2 * square, l + 3 * square];
    const { kernel, numbers } = arena;
    scaleColumns(columns, inverseLengthscales(groups, theta), numbers, x);
    const added = factorCovariance(shape, x, n, d, scale, noise, l, slope);
    if (added === null) return Infinity;
    let value = 0.5 * (logDeterminant(l, n) + n * Math.log(2 * Math.PI));
    const { alpha } = centre(l, z, solutions);
    let fit = 0;
    let squares = 0;
    for (let i = 0; i < n; i++) {
      fit += alpha[i]! * z[i]!;
      squares += alpha[i]! * alpha[i]!;
    }
    value += 0.5 * fit;

    const typical = Math.SQRT2 + Math.log(g) / 2;
    for (let k = 0; k < g; k++) value += theta[k]! + (theta[k]! - typical) ** 2 / 6;
    value += 0.15 * scale - theta[g]!;
    const t = theta[g + 1]!;
    if (this.noisePrior === 'lognormal') value += t + (t + 4) ** 2 / 2;
    if (gradient === undefined) return value;

    // d value / d K = (K^-1 - alpha alpha^T) / 2. The mean needs no term, because it is optimal.
    kernel.inverse(l, stride, room);
    let trace = 0;
    for (let i = 0; i < n; i++) trace += numbers[l + i * (stride + 1)]!;
    const overDiagonal = 0.5 * (trace - squares);
    // K without the additions to its diagonal is proportional to the scale, and K^-1 K is the identity.
    const overScale = 0.5 * (n - fit) - added * overDiagonal;
    numbers.set(alpha, solutions);
    kernel.covariancePull(l, solutions, slope, x, stride, n, d, pulls);
    gradient.fill(0);
    for (let c = 0; c < d; c++) gradient[groups.of[c]!]! += numbers[pulls + c]!;
    for (let k = 0; k < g; k++) gradient[k]! += 1 + (theta[k]! - typical) / 3;
    gradient[g] = overScale + 0.15 * scale - 1;
    gradient[g + 1] = noise * overDiagonal + (this.noisePrior === 'lognormal' ? 1 + (t + 4) : 0);
    return value;
  }
}
