import { logH, logHSlope, logNormalCdf, logNormalCdfSlope } from '../numeric/index.js';
import type { FittedSurrogate } from '../surrogates/surrogate.js';
import type { AcquisitionFunction } from './acquisition.js';
import type { Goals } from './goals.js';

/** Deviations are not taken for less, in the scale of the model. */
const LEAST_DEVIATION = 1e-9;

/**
 * Logarithm of the expected improvement of one point in closed form, plus the logarithms of the probabilities that other
 * outputs keep their thresholds (Jones et al. 1998; Gardner et al. 2014; Ament et al. 2023, eq. 9). For one objective that is
 * minimised or maximised, and nothing pending. Batches go to `batch`.
 */
export class AnalyticLogImprovement implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit: number;

  /** @param best utility to be improved on, in the scale of the model */
  constructor(
    private readonly goals: Goals,
    private readonly models: readonly FittedSurrogate[],
    private readonly best: number,
    private readonly batch: AcquisitionFunction,
  ) {
    this.d = batch.d;
    this.jointLimit = batch.jointLimit;
  }

  value(points: Float64Array, q: number): number {
    return q === 1 ? this.evaluate(points).value : this.batch.value(points, q);
  }

  gradient(points: Float64Array, q: number) {
    if (q > 1) return this.batch.gradient(points, q);
    const { value, backward } = this.evaluate(points);
    return { value, gradient: backward() };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return this.batch.withPending(points, count);
  }

  private evaluate(point: Float64Array) {
    const { goals, models } = this;
    const goal = goals.objectives[0]!;
    const used = new Set([goal.output, ...goals.thresholds.map(({ output }) => output)]);
    const posteriors = models.map((model, k) =>
      used.has(k) ? model.posterior(point.subarray(0, this.d), 1) : null,
    );
    const deviations = posteriors.map((posterior) =>
      Math.max(Math.sqrt(Math.max(posterior?.covariance[0] ?? 0, 0)), LEAST_DEVIATION),
    );
    const dMean = new Float64Array(models.length);
    const dDeviation = new Float64Array(models.length);

    const k = goal.output;
    const mean = posteriors[k]!.mean[0]!;
    const deviation = deviations[k]!;
    const z = (goal.value(mean) - this.best) / deviation;
    const slope = logHSlope(z);
    let value = logH(z) + Math.log(deviation);
    dMean[k] = (slope * goal.slope(mean)) / deviation;
    dDeviation[k] = (1 - slope * z) / deviation;
    for (const { output, sign, bound } of goals.thresholds) {
      const margin = (sign * (posteriors[output]!.mean[0]! - bound)) / deviations[output]!;
      const pull = logNormalCdfSlope(margin) / deviations[output]!;
      value += logNormalCdf(margin);
      dMean[output]! += pull * sign;
      dDeviation[output]! -= pull * margin;
    }

    const backward = (): Float64Array => {
      const gradient = new Float64Array(this.d);
      posteriors.forEach((posterior, output) => {
        if (posterior === null) return;
        const deviation = deviations[output]!;
        const dVariance = deviation > LEAST_DEVIATION ? dDeviation[output]! / (2 * deviation) : 0;
        const part = posterior.backward(dMean.slice(output, output + 1), Float64Array.of(dVariance));
        for (let c = 0; c < gradient.length; c++) gradient[c]! += part[c]!;
      });
      return gradient;
    };
    return { value, backward };
  }
}
