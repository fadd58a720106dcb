import type { AcquisitionFunction } from './acquisition.js';
import type { Frontier } from './frontier.js';
import type { Goals } from './goals.js';
import type { JointSamples } from './samples.js';
import { addFeasibilitySlope, feasibilityOf, readSample } from './scalar.js';
import { fatTail, fatTailSlope, PLUS_WIDTH } from './smooth.js';

/** The noise of a measurement of an output, in the scale of its model. */
export interface Noise {
  readonly output: number;
  readonly variance: number;
}

/**
 * Logarithm of the hypervolume that a point is expected to add to the front, by joint samples: qLogNEHVI (Daulton et
 * al. 2020 and 2021). Batches are chosen one by one, each point with the earlier ones pending.
 *
 * A dominated sample counts a little, less the deeper it lies, so that the value also rises towards the front where no
 * sample gains anything (the idea of Ament et al. 2023, on the distance to the front).
 *
 * With clear noise, the logarithm of the share of the uncertainty is added that one measurement of the point removes: `1 -
 * product of noise^2 / (variance + noise^2)` over the outputs. Without it, the runs near the known points of the front
 * never end, because noise always leaves some expected gain there.
 */
export class HypervolumeAcquisition implements AcquisitionFunction {
  readonly jointLimit = 1;

  /**
   * @param frontiers one for each sample
   * @param noises of all objectives and thresholds, if the measurements are clearly noisy; else empty
   * @param further with more points pending
   */
  constructor(
    readonly d: number,
    private readonly goals: Goals,
    private readonly samples: JointSamples,
    private readonly frontiers: readonly Frontier[],
    private readonly noises: readonly Noise[],
    private readonly further: (points: Float64Array, count: number) => AcquisitionFunction,
  ) {}

  value(points: Float64Array): number {
    const { samples, variances } = this.samples.at(points, 1);
    return this.evaluate(samples, null) + logRemoved(this.noises, variances, null);
  }

  values(points: Float64Array, m: number): Float64Array {
    const values = new Float64Array(m);
    this.samples.each(points, m, (i, samples, variances) => {
      values[i] = this.evaluate(samples, null) + logRemoved(this.noises, variances, null);
    });
    return values;
  }

  gradient(points: Float64Array) {
    const draw = this.samples.at(points, 1);
    const dSamples = draw.samples.map(({ length }) => new Float64Array(length));
    const dVariances = draw.variances.map(() => 0);
    const value = this.evaluate(draw.samples, dSamples) + logRemoved(this.noises, draw.variances, dVariances);
    return { value, gradient: draw.backward(dSamples, dVariances) };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return this.further(points, count);
  }

  /** @param dSamples receives derivatives with respect to the samples; null: not requested */
  private evaluate(samples: readonly Float64Array[], dSamples: readonly Float64Array[] | null): number {
    const { goals, frontiers } = this;
    const m = goals.objectives.length;
    const count = frontiers.length;
    const sample = new Float64Array(samples.length);
    const objectives = new Float64Array(m);
    const slopes = dSamples && new Float64Array(m);
    const derivatives = new Float64Array(samples.length);
    let total = 0;
    for (let s = 0; s < count; s++) {
      readSample(samples, s, sample);
      goals.write(sample, objectives);
      const sure = feasibilityOf(goals, sample);
      const part = sure * worthOf(frontiers[s]!, objectives, slopes);
      total += part;
      if (dSamples === null || slopes === null) continue;
      derivatives.fill(0);
      pullObjectives(goals, sample, sure, slopes, derivatives);
      addFeasibilitySlope(goals, sample, part, derivatives);
      for (let k = 0; k < derivatives.length; k++) dSamples[k]![s] = derivatives[k]!;
    }
    dSamples?.forEach((column) => divide(column, total));
    return Math.log(total / count);
  }
}

/**
 * Logarithm of the share of the uncertainty that a measurement removes; 0 without noise.
 *
 * @param variances per output
 * @param slopes receives the derivatives with respect to the variances; null: not requested
 */
function logRemoved(noises: readonly Noise[], variances: readonly number[], slopes: number[] | null): number {
  if (noises.length === 0) return 0;
  const gain = noises.reduce(
    (sum, { output, variance }) => sum + Math.log1p(variances[output]! / variance),
    0,
  );
  for (const { output, variance } of slopes === null ? [] : noises) {
    slopes![output] = 1 / ((variances[output]! + variance) * Math.expm1(gain));
  }
  return Math.log(-Math.expm1(-gain));
}

/** Adds `weight` times the derivatives of the objectives to those of a sample. */
function pullObjectives(
  { objectives }: Goals,
  sample: Float64Array,
  weight: number,
  slopes: Float64Array,
  derivatives: Float64Array,
): void {
  for (let j = 0; j < objectives.length; j++) {
    const goal = objectives[j]!;
    if (slopes[j] !== 0) derivatives[goal.output]! += weight * slopes[j]! * goal.slope(sample[goal.output]!);
  }
}

function divide(values: Float64Array, divisor: number): void {
  for (let s = 0; s < values.length; s++) values[s]! /= divisor;
}

/** The gain of a sample and a little for its distance to the front, above 0; writes the derivatives. */
function worthOf(frontier: Frontier, objectives: Float64Array, slopes: Float64Array | null): number {
  const gain = frontier.gain(objectives, slopes);
  if (gain > PLUS_WIDTH) return gain + fatTail(0, PLUS_WIDTH);
  const { depth, objective } = frontier.depth(objectives);
  if (depth > 0 && slopes !== null) {
    slopes.fill(0);
    slopes[objective] = fatTailSlope(-depth, PLUS_WIDTH);
  }
  return gain + fatTail(-depth, PLUS_WIDTH);
}
