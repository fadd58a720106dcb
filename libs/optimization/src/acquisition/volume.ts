import type { AcquisitionFunction } from './acquisition.js';
import type { Boxes } from './boxes.js';
import type { Goals } from './goals.js';
import { logHypervolumeImprovement } from './hypervolume-improvement.js';
import type { JointSamples } from './samples.js';
import { addFeasibilitySlope, feasibilityOf, readSample } from './scalar.js';

/** Noisy expected hypervolume improvement by joint samples, in logarithms: qLogNEHVI. */
export class HypervolumeAcquisition implements AcquisitionFunction {
  /**
   * @param boxes per sample the region that fixed points do not dominate
   * @param further with more points pending
   */
  constructor(
    readonly d: number,
    readonly jointLimit: number,
    private readonly goals: Goals,
    private readonly samples: JointSamples,
    private readonly boxes: readonly Boxes[],
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
    const { value, dObjectives, dLogFeasibility } = this.evaluate(draw.samples, q, true);
    const { goals } = this;
    const m = goals.objectives.length;
    const dSamples = draw.samples.map(({ length }) => new Float64Array(length));
    const derivatives = new Float64Array(draw.samples.length);
    const sample = new Float64Array(draw.samples.length);
    for (let at = 0; at < dLogFeasibility.length; at++) {
      readSample(draw.samples, at, sample);
      derivatives.fill(0);
      goals.objectives.forEach((goal, j) => {
        const pull = dObjectives[at * m + j]!;
        if (pull !== 0) derivatives[goal.output]! += pull * goal.slope(sample[goal.output]!);
      });
      addFeasibilitySlope(goals, sample, dLogFeasibility[at]!, derivatives);
      derivatives.forEach((derivative, k) => (dSamples[k]![at] = derivative));
    }
    return { value, gradient: draw.backward(dSamples) };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return this.further(points, count);
  }

  private evaluate(samples: readonly Float64Array[], q: number, sloped: boolean) {
    const { goals } = this;
    const m = goals.objectives.length;
    const length = samples[0]!.length;
    const objectives = new Float64Array(length * m);
    const feasibility = new Float64Array(length);
    const sample = new Float64Array(samples.length);
    for (let at = 0; at < length; at++) {
      readSample(samples, at, sample);
      goals.write(sample, objectives, at * m);
      feasibility[at] = feasibilityOf(goals, sample);
    }
    return logHypervolumeImprovement(this.boxes, objectives, feasibility, q, sloped);
  }
}
