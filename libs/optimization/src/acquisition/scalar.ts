import type { AcquisitionFunction } from './acquisition.js';
import type { Goals } from './goals.js';
import type { Reduction } from './reductions.js';
import type { JointSamples } from './samples.js';
import { fatStep, fatStepSlope, STEP_WIDTH } from './smooth.js';

/** From several objectives to one utility; writes the derivatives. */
export type Scalarisation = (objectives: Float64Array, derivatives: Float64Array) => number;

/** The weighted sum, with weights that sum to 1. */
export function weightedSum(weights: readonly number[]): Scalarisation {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares = Float64Array.from(weights, (weight) => weight / sum);
  return (objectives, derivatives) => {
    let total = 0;
    for (let j = 0; j < shares.length; j++) {
      derivatives[j] = shares[j]!;
      total += shares[j]! * objectives[j]!;
    }
    return total;
  };
}

/**
 * The augmented Chebyshev scalarisation of ParEGO: the largest weighted distance from the best known values, plus a
 * twentieth of the sum of all distances (Knowles 2006).
 *
 * @param best per objective the value at distance 0
 * @param range per objective the distance that counts as 1, above 0
 */
export function augmentedChebyshev(
  weights: Float64Array,
  best: Float64Array,
  range: Float64Array,
): Scalarisation {
  return (objectives, derivatives) => {
    let furthest = 0;
    let most = -Infinity;
    let sum = 0;
    for (let j = 0; j < weights.length; j++) {
      const distance = (weights[j]! * (best[j]! - objectives[j]!)) / range[j]!;
      derivatives[j] = (0.05 * weights[j]!) / range[j]!;
      sum += distance;
      if (distance > most) {
        most = distance;
        furthest = j;
      }
    }
    derivatives[furthest]! += weights[furthest]! / range[furthest]!;
    return -most - 0.05 * sum;
  };
}

/** The probability that a sample keeps all thresholds, above 0 and at most 1. */
export function feasibilityOf({ thresholds }: Goals, sample: Float64Array): number {
  let product = 1;
  for (const { output, sign, bound } of thresholds) {
    product *= fatStep(sign * (sample[output]! - bound), STEP_WIDTH);
  }
  return product;
}

/** Adds `weight` times the derivatives of the logarithm of {@link feasibilityOf} to those of a sample. */
export function addFeasibilitySlope(
  { thresholds }: Goals,
  sample: Float64Array,
  weight: number,
  derivatives: Float64Array,
): void {
  for (const { output, sign, bound } of thresholds) {
    const margin = sign * (sample[output]! - bound);
    derivatives[output]! += (weight * sign * fatStepSlope(margin, STEP_WIDTH)) / fatStep(margin, STEP_WIDTH);
  }
}

/** Utilities of fixed samples, whether each keeps the thresholds, and with which probability: `count x points`. */
export function utilitiesOf(
  goals: Goals,
  scalarisation: Scalarisation,
  samples: readonly Float64Array[],
): { utility: Float64Array; kept: Uint8Array; feasibility: Float64Array } {
  const length = samples[0]!.length;
  const utility = new Float64Array(length);
  writeUtilities(goals, scalarisation, samples, utility, new Float64Array(0));
  const kept = new Uint8Array(length).fill(1);
  if (goals.thresholds.length > 0) {
    const sample = new Float64Array(samples.length);
    for (let at = 0; at < length; at++) {
      readSample(samples, at, sample);
      kept[at] = goals.keptBy(sample) ? 1 : 0;
    }
  }
  return { utility, kept, feasibility: feasibilitiesOf(goals, samples) };
}

/** @param slopes receives the derivatives with respect to the objectives, `length x objectives`; empty: not requested */
function writeUtilities(
  { objectives }: Goals,
  scalarisation: Scalarisation,
  samples: readonly Float64Array[],
  utility: Float64Array,
  slopes: Float64Array,
): void {
  const m = objectives.length;
  const found = new Float64Array(m);
  const slope = new Float64Array(m);
  for (let at = 0; at < utility.length; at++) {
    for (let j = 0; j < m; j++) found[j] = objectives[j]!.value(samples[objectives[j]!.output]![at]!);
    utility[at] = scalarisation(found, slope);
    if (slopes.length > 0) for (let j = 0; j < m; j++) slopes[at * m + j] = slope[j]!;
  }
}

/** {@link feasibilityOf} each sample. */
function feasibilitiesOf(goals: Goals, samples: readonly Float64Array[]): Float64Array {
  const feasibility = new Float64Array(samples[0]!.length).fill(1);
  if (goals.thresholds.length > 0) {
    const sample = new Float64Array(samples.length);
    for (let at = 0; at < feasibility.length; at++) {
      readSample(samples, at, sample);
      feasibility[at] = feasibilityOf(goals, sample);
    }
  }
  return feasibility;
}

/** Adds the derivatives of the utilities to those of the samples. */
function pullObjectives(
  { objectives }: Goals,
  samples: readonly Float64Array[],
  slopes: Float64Array,
  dUtility: Float64Array,
  dSamples: readonly Float64Array[],
): void {
  const m = objectives.length;
  for (let j = 0; j < m; j++) {
    const goal = objectives[j]!;
    const [from, to] = [samples[goal.output]!, dSamples[goal.output]!];
    for (let at = 0; at < dUtility.length; at++) {
      const pull = dUtility[at]! * slopes[at * m + j]!;
      if (pull !== 0) to[at]! += pull * goal.slope(from[at]!);
    }
  }
}

function pullThresholds(
  goals: Goals,
  samples: readonly Float64Array[],
  dLogFeasibility: Float64Array,
  dSamples: readonly Float64Array[],
): void {
  const sample = new Float64Array(samples.length);
  const derivatives = new Float64Array(samples.length);
  for (let at = 0; at < dLogFeasibility.length; at++) {
    readSample(samples, at, sample);
    derivatives.fill(0);
    addFeasibilitySlope(goals, sample, dLogFeasibility[at]!, derivatives);
    for (let k = 0; k < dSamples.length; k++) dSamples[k]![at]! += derivatives[k]!;
  }
}

export function readSample(samples: readonly Float64Array[], at: number, target: Float64Array): void {
  for (let k = 0; k < target.length; k++) target[k] = samples[k]![at]!;
}

/** An acquisition function by joint samples of one utility. */
export class ScalarAcquisition implements AcquisitionFunction {
  /** @param further the same function with further points pending */
  constructor(
    readonly d: number,
    readonly jointLimit: number,
    private readonly goals: Goals,
    private readonly scalarisation: Scalarisation,
    private readonly samples: JointSamples,
    private readonly reduction: Reduction,
    private readonly further: (points: Float64Array, count: number) => AcquisitionFunction,
  ) {}

  value(points: Float64Array, q: number): number {
    return this.evaluate(this.samples.at(points, q).samples, q, false).value;
  }

  values(points: Float64Array, m: number): Float64Array {
    const values = new Float64Array(m);
    this.samples.each(points, m, (i, samples) => (values[i] = this.evaluate(samples, 1, false).value));
    return values;
  }

  gradient(points: Float64Array, q: number) {
    const draw = this.samples.at(points, q);
    const { value, slopes, dUtility, dLogFeasibility } = this.evaluate(draw.samples, q, true);
    const { goals } = this;
    const dSamples = draw.samples.map(({ length }) => new Float64Array(length));
    pullObjectives(goals, draw.samples, slopes, dUtility, dSamples);
    if (goals.thresholds.length > 0) pullThresholds(goals, draw.samples, dLogFeasibility, dSamples);
    return { value, gradient: draw.backward(dSamples) };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return this.further(points, count);
  }

  private evaluate(samples: readonly Float64Array[], q: number, sloped: boolean) {
    const { goals, scalarisation } = this;
    const length = samples[0]!.length;
    const count = length / q;
    const utility = new Float64Array(length);
    const slopes = new Float64Array(sloped ? length * goals.objectives.length : 0);
    writeUtilities(goals, scalarisation, samples, utility, slopes);
    const feasibility = feasibilitiesOf(goals, samples);
    const { value, dUtility, dLogFeasibility } = this.reduction({ count, q, utility, feasibility }, sloped);
    return { value, dUtility, dLogFeasibility, slopes };
  }
}
