import { centre, Factor } from './factor.js';
import { inverseLengthscales, scaleRows, selfCovariance, type Groups } from './matern.js';

/** Which prior the noise has: measured by people and instruments, or none at all because the data look deterministic. */
export type NoisePrior = 'lognormal' | 'flat';

/**
 * What is maximised to fit a Gaussian process: the logarithm of the marginal likelihood with the constant mean profiled
 * out by generalised least squares, plus the log densities of the priors, as a function of
 * `theta = [log lengthscale of each group, log output scale, log noise variance]`.
 *
 * Priors are densities of the hyperparameters themselves: lengthscales LogNormal(sqrt 2 + ln(groups) / 2, sqrt 3)
 * (Hvarfner et al. 2024), noise variance LogNormal(-4, 1), output scale Gamma(2, 0.15).
 * Likelihood and gradient: Rasmussen & Williams 2006, eq. 5.8 and 5.9.
 */
export class Evidence {
  private readonly covariance: Float64Array;
  private readonly slope: Float64Array;
  private readonly gradientOfScale: Float64Array;

  /**
   * @param rows `n x d`
   * @param z standardised observations, length `n`
   */
  constructor(
    private readonly rows: Float64Array,
    private readonly z: Float64Array,
    readonly n: number,
    private readonly groups: Groups,
    private readonly noisePrior: NoisePrior,
  ) {
    this.covariance = new Float64Array(n * n);
    this.slope = new Float64Array(n * n);
    this.gradientOfScale = new Float64Array(groups.count);
  }

  /**
   * The negative logarithm of the posterior density of `theta`; infinite where the covariance has no factor.
   *
   * @param gradient is overwritten with the derivatives with respect to `theta`
   */
  negative(theta: Float64Array, gradient: Float64Array): number {
    const { n, groups } = this;
    const g = groups.count;
    const d = groups.of.length;
    const scale = Math.exp(theta[g]!);
    const noise = Math.exp(theta[g + 1]!);
    const scaled = scaleRows(this.rows, n, inverseLengthscales(groups, theta));
    selfCovariance(scaled, n, d, scale, this.covariance, this.slope);
    const factor = Factor.of(this.covariance, n, scale, noise);
    if (factor === null) return Infinity;
    const { alpha } = centre(factor, this.z);
    const inverse = factor.inverse();

    let fit = 0;
    for (let i = 0; i < n; i++) fit += alpha[i]! * this.z[i]!;
    let value = 0.5 * (fit + factor.logDeterminant + n * Math.log(2 * Math.PI));

    // d value / d K = (K^-1 - alpha alpha^T) / 2, and the mean needs no term of its own where it is optimal.
    const perGroup = this.gradientOfScale.fill(0);
    let overScale = 0;
    let overNoise = 0;
    for (let i = 0; i < n; i++) {
      const weight = inverse[i * n + i]! - alpha[i]! * alpha[i]!;
      overScale += 0.5 * weight * scale;
      overNoise += 0.5 * weight * noise;
      for (let j = 0; j < i; j++) {
        const both = inverse[i * n + j]! - alpha[i]! * alpha[j]!;
        overScale += both * this.covariance[i * n + j]!;
        const pull = both * this.slope[i * n + j]!;
        for (let c = 0, x = i * d, y = j * d; c < d; c++, x++, y++) {
          const difference = scaled[x]! - scaled[y]!;
          perGroup[groups.of[c]!]! += pull * difference * difference;
        }
      }
    }

    const typical = Math.SQRT2 + Math.log(g) / 2;
    for (let k = 0; k < g; k++) {
      const t = theta[k]!;
      value += t + (t - typical) ** 2 / 6;
      gradient[k] = perGroup[k]! + 1 + (t - typical) / 3;
    }
    value += 0.15 * scale - theta[g]!;
    gradient[g] = overScale + 0.15 * scale - 1;
    gradient[g + 1] = overNoise;
    if (this.noisePrior === 'lognormal') {
      const t = theta[g + 1]!;
      value += t + (t + 4) ** 2 / 2;
      gradient[g + 1]! += 1 + (t + 4);
    }
    return value;
  }
}
