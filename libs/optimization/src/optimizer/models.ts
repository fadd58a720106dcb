import type { Output } from '../domain/space.js';
import { joined, Rng } from '../numeric/index.js';
import type { FittedSurrogate, OutputMap, Surrogate } from '../surrogates/surrogate.js';
import type { PlacedRun } from './runs.js';
import type { Settings } from './settings.js';

export type Fit = (
  rows: Float64Array,
  y: Float64Array,
  n: number,
  d: number,
  options: { seed: number; timeLimitMs: number; now: () => number; inputOf: ArrayLike<number> },
) => FittedSurrogate;

/** One model for each output, in their order, and the data behind them. */
export interface Models {
  readonly outputs: readonly FittedSurrogate[];
  /** `n x d`, encoded. */
  readonly rows: Float64Array;
  /** Measured values in their units, `n x outputs`. */
  readonly observed: Float64Array;
  readonly n: number;
  /** The time limit ended a fit. */
  readonly timedOut: boolean;
}

/**
 * Fits a model to every output. No fit uses an earlier one: the result depends on the runs and the seed alone.
 *
 * @param runs measured, at least one, in canonical order
 * @param inputOf input of each encoded column
 * @param now milliseconds of a monotonic clock
 */
export function fitModels(
  fit: Fit,
  outputs: readonly Output[],
  runs: readonly PlacedRun[],
  inputOf: ArrayLike<number>,
  settings: Settings,
  now: () => number,
): Models {
  const d = inputOf.length;
  const n = runs.length;
  const rows = new Float64Array(n * d);
  const observed = new Float64Array(n * outputs.length);
  runs.forEach((run, i) => {
    rows.set(run.row, i * d);
    outputs.forEach(({ key }, k) => (observed[i * outputs.length + k] = run.measured![key]!));
  });
  const end = now() + settings.fit_time_limit * 1000;
  const models = outputs.map((output, k) => {
    const y = Float64Array.from({ length: n }, (_, i) => observed[i * outputs.length + k]!);
    const seed = Rng.seeded(`${typeof settings.seed}:${settings.seed}:fit:${output.key}`).word();
    const timeLimitMs = Math.max(0, end - now()) / (outputs.length - k);
    return fit(rows, y, n, d, { seed, timeLimitMs, now, inputOf });
  });
  return { outputs: models, rows, observed, n, timedOut: models.some((model) => model.timedOut) };
}

/** An uncertain value, in the unit of its output. */
export interface Prediction {
  mean: number;
  /** Standard deviation of the value itself, without the noise of a measurement. */
  deviation: number;
}

/** The predictions of a model at encoded rows. */
export function predict(
  model: Surrogate & { output: OutputMap },
  rows: readonly Float64Array[],
): Prediction[] {
  const points = joined(rows, model.d);
  const { mean, variance } = model.beside(new Float64Array(0), 0).marginals(points, rows.length);
  return rows.map((_, i) => inUnits(model.output, mean[i]!, Math.sqrt(Math.max(0, variance[i]!))));
}

/** Mean and deviation of a normal variable after the map, by the trapezoidal rule over six deviations. */
export function inUnits(map: OutputMap, mean: number, deviation: number): Prediction {
  const centre = map.fromModel(mean);
  const values = Float64Array.from({ length: 49 }, (_, k) =>
    map.fromModel(mean + (deviation * (k - 24)) / 4),
  );
  // In units of the largest, whose square is still a number.
  const unit = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-290);
  let weights = 0;
  let first = 0;
  let second = 0;
  values.forEach((value, k) => {
    const weight = Math.exp(-0.5 * ((k - 24) / 4) ** 2);
    const difference = value / unit - centre / unit;
    weights += weight;
    first += weight * difference;
    second += weight * difference * difference;
  });
  const shift = first / weights;
  const within = (value: number) => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  return {
    mean: within((centre / unit + shift) * unit),
    deviation: within(Math.sqrt(Math.max(0, second / weights - shift * shift)) * unit),
  };
}
