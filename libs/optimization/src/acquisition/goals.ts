import type { Output } from '../domain/space.js';
import type { FittedSurrogate, OutputMap } from '../surrogates/surrogate.js';
import { moments } from '../surrogates/warping.js';

/** An objective as a function of one output in the scale of its model, to be maximised. */
interface Goal {
  readonly output: number;
  readonly weight: number;
  value(z: number): number;
  slope(z: number): number;
}

/** `sign * (z - bound) >= 0`, in the scale of the model. */
interface Threshold {
  readonly output: number;
  readonly sign: 1 | -1;
  readonly bound: number;
}

/** Objectives to be maximised, of about unit size, and thresholds. A sample is one value of every model. */
export class Goals {
  readonly objectives: readonly Goal[];
  readonly thresholds: readonly Threshold[];

  /**
   * @param observed measured values in their units, `n x outputs.length`
   * @param scale `model`: minimised or maximised objectives are in the scale of the model, perhaps warped, which
   *   changes no order; `unit`: in the unit of the output divided by the standard deviation of the measurements, as a
   *   hypervolume needs. A distance to a target is always in the unit of the output.
   */
  constructor(
    private readonly outputs: readonly Output[],
    private readonly models: readonly FittedSurrogate[],
    observed: Float64Array,
    n: number,
    scale: 'model' | 'unit',
  ) {
    this.objectives = outputs.flatMap((output, k) => {
      if (output.objective === null) return [];
      const values = Float64Array.from({ length: n }, (_, i) => observed[i * outputs.length + k]!);
      return [goalOf(output.objective, k, models[k]!.output, values, scale)];
    });
    this.thresholds = outputs.flatMap(({ constraint }, k) => {
      const { at_least, at_most } = constraint ?? {};
      const threshold = (sign: 1 | -1, value: number | undefined): Threshold[] =>
        value === undefined ? [] : [{ output: k, sign, bound: models[k]!.output.toModel(value) }];
      return [...threshold(1, at_least), ...threshold(-1, at_most)];
    });
  }

  /** Says whether measured values, in their units, keep every threshold. */
  kept(values: Float64Array): boolean {
    return this.outputs.every(({ constraint }, k) => {
      const { at_least = -Infinity, at_most = Infinity } = constraint ?? {};
      return values[k]! >= at_least && values[k]! <= at_most;
    });
  }

  sampleOf(values: Float64Array): Float64Array {
    return values.map((value, k) => this.models[k]!.output.toModel(value));
  }

  /** The objectives of a sample, written to `target` from `offset` on. */
  write(sample: Float64Array, target: Float64Array, offset = 0): void {
    for (let j = 0; j < this.objectives.length; j++) {
      const goal = this.objectives[j]!;
      target[offset + j] = goal.value(sample[goal.output]!);
    }
  }

  of(sample: Float64Array): Float64Array {
    const objectives = new Float64Array(this.objectives.length);
    this.write(sample, objectives);
    return objectives;
  }

  keptBy(sample: Float64Array): boolean {
    return this.thresholds.every(({ output, sign, bound }) => sign * (sample[output]! - bound) >= 0);
  }
}

function goalOf(
  objective: NonNullable<Output['objective']>,
  output: number,
  map: OutputMap,
  values: Float64Array,
  scale: 'model' | 'unit',
): Goal {
  const { weight } = objective;
  const unit = moments(values).deviation || 1;
  if (objective.kind === 'close_to_target') {
    const { target } = objective;
    return {
      output,
      weight,
      value: (z) => -Math.abs(map.fromModel(z) - target) / unit,
      slope: (z) => (-Math.sign(map.fromModel(z) - target) * map.slope(z)) / unit,
    };
  }
  const sign = objective.kind === 'minimize' ? -1 : 1;
  if (scale === 'model') return { output, weight, value: (z) => sign * z, slope: () => sign };
  return {
    output,
    weight,
    value: (z) => (sign * map.fromModel(z)) / unit,
    slope: (z) => (sign * map.slope(z)) / unit,
  };
}
