import { logH, logHSlope, logNormalCdf, logNormalCdfSlope } from '../numeric/index.js';
import type { Beside, FittedSurrogate, Marginals } from '../surrogates/surrogate.js';
import type { AcquisitionFunction } from './acquisition.js';
import type { Goals } from './goals.js';

/** Lower limit of deviations, in the scale of the model. */
const LEAST_DEVIATION = 1e-9;

/**
 * Logarithm of the expected improvement of one point in closed form, plus the logarithms of the probabilities that
 * other outputs keep their thresholds (Jones et al. 1998; Gardner et al. 2014; Ament et al. 2023, eq. 9). For one
 * minimised or maximised objective without pending points. `batch` handles batches.
 */
export class AnalyticLogImprovement implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit: number;
  private readonly alone: readonly Beside[];

  /** @param best the utility to improve, in the scale of the model */
  constructor(
    private readonly goals: Goals,
    models: readonly FittedSurrogate[],
    private readonly best: number,
    private readonly batch: AcquisitionFunction,
  ) {
    this.alone = models.map((model) => model.beside(new Float64Array(0), 0));
    this.d = batch.d;
    this.jointLimit = batch.jointLimit;
  }

  value(points: Float64Array, q: number): number {
    return q === 1 ? this.values(points, 1)[0]! : this.batch.value(points, q);
  }

  values(points: Float64Array, m: number): Float64Array {
    const marginals = this.used((k) => this.alone[k]!.marginals(points, m));
    return Float64Array.from({ length: m }, (_, i) => {
      const at = (found: Marginals | null) => found && { mean: found.mean[i]!, variance: found.variance[i]! };
      return this.worth(marginals.map(at)).value;
    });
  }

  gradient(points: Float64Array, q: number) {
    if (q > 1) return this.batch.gradient(points, q);
    const posteriors = this.used((k) => this.alone[k]!.posterior(points.subarray(0, this.d), 1));
    const { value, dMean, dVariance } = this.worth(
      posteriors.map((found) => found && { mean: found.mean[0]!, variance: found.covariance[0]! }),
    );
    const gradient = new Float64Array(this.d);
    posteriors.forEach((posterior, k) => {
      const part = posterior?.backward(dMean.subarray(k, k + 1), dVariance.subarray(k, k + 1));
      part?.forEach((slope, c) => (gradient[c]! += slope));
    });
    return { value, gradient };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return this.batch.withPending(points, count);
  }

  /** Per output the requested quantity, if the value depends on the output; null otherwise. */
  private used<T>(of: (output: number) => T): (T | null)[] {
    const { objectives, thresholds } = this.goals;
    return this.alone.map((_, k) =>
      k === objectives[0]!.output || thresholds.some(({ output }) => output === k) ? of(k) : null,
    );
  }

  private worth(outputs: readonly ({ mean: number; variance: number } | null)[]) {
    const { goals } = this;
    const goal = goals.objectives[0]!;
    const deviations = outputs.map((found) => Math.max(Math.sqrt(found?.variance ?? 0), LEAST_DEVIATION));
    const dMean = new Float64Array(outputs.length);
    const dDeviation = new Float64Array(outputs.length);

    const k = goal.output;
    const { mean } = outputs[k]!;
    const deviation = deviations[k]!;
    const z = (goal.value(mean) - this.best) / deviation;
    const slope = logHSlope(z);
    let value = logH(z) + Math.log(deviation);
    dMean[k] = (slope * goal.slope(mean)) / deviation;
    dDeviation[k] = (1 - slope * z) / deviation;
    for (const { output, sign, bound } of goals.thresholds) {
      const margin = (sign * (outputs[output]!.mean - bound)) / deviations[output]!;
      const pull = logNormalCdfSlope(margin) / deviations[output]!;
      value += logNormalCdf(margin);
      dMean[output]! += pull * sign;
      dDeviation[output]! -= pull * margin;
    }
    const dVariance = dDeviation.map((pull, output) => {
      const own = deviations[output]!;
      return own > LEAST_DEVIATION ? pull / (2 * own) : 0;
    });
    return { value, dMean, dVariance };
  }
}
