import type { Column } from '../domain/encoding.js';
import type { Output } from '../domain/space.js';
import { joined, Rng, type Shape } from '../numeric/index.js';
import type { Descriptors } from '../surrogates/categories.js';
import { limitExtremes, type Tail } from '../surrogates/extremes.js';
import type { FitOptions, FittedSurrogate, OutputMap, Surrogate } from '../surrogates/surrogate.js';
import type { TrendChoice } from '../surrogates/trend.js';
import { completeOf, type PlacedRun } from './runs.js';
import type { Settings } from './settings.js';

export type Fit = (
  rows: Float64Array,
  y: Float64Array,
  n: number,
  d: number,
  options: FitOptions & {
    inputOf: ArrayLike<number>;
    descriptors: Descriptors;
    kernel: 'automatic' | Shape;
    outliers: 'automatic' | 'keep';
    resolution: number;
    trend: TrendChoice;
  },
) => FittedSurrogate;

/** Errors below this share of the standard deviation of an objective hardly change a hypervolume. */
const RESOLUTION = 0.1;

/** One model for each output, in their order, and the runs with a result of every output. */
export interface Models {
  /** Each is fitted to all runs with a result of its output. */
  readonly outputs: readonly FittedSurrogate[];
  /** `n x d`, encoded. */
  readonly rows: Float64Array;
  /**
   * Measured values in their units, `n x outputs`, as the models see them: results out of reach of all others are
   * limited (`limitExtremes`), but keep and break the same thresholds.
   */
  readonly observed: Float64Array;
  /** Likewise of each output, of all runs with a result of it. */
  readonly seen: readonly Float64Array[];
  readonly n: number;
  /** The time limit ended a fit. */
  readonly timedOut: boolean;
}

/**
 * Fits a model to every output. No fit uses an earlier one: the result depends on the runs and the seed alone.
 *
 * A warp of one of several objectives must predict well in steps of a tenth of its standard deviation. On the ends of a
 * front, an objective is often nearly 0. A logarithm predicts these results so sharply that it would be chosen, and is
 * wrong about all others. One of several objectives has a trend only without clear noise.
 *
 * @param runs measured, in canonical order; at least one has a result of every output
 * @param columns of encoded rows
 * @param now milliseconds of a monotonic clock
 */
export function fitModels(
  fit: Fit,
  outputs: readonly Output[],
  runs: readonly PlacedRun[],
  columns: readonly Column[],
  settings: Settings,
  now: () => number,
): Models {
  const d = columns.length;
  const inputOf = columns.map(({ input }) => input);
  const descriptors = columns.map((column) => column.descriptors ?? null);
  const { kernel, outliers } = settings;
  const known = outputs.map(({ key }) => runs.filter(({ measured }) => measured![key] !== undefined));
  const seen = outputs.map((output, k) => {
    const values = Float64Array.from(known[k]!, ({ measured }) => measured![output.key]!);
    return outliers === 'keep'
      ? values
      : limitExtremes(values, tailOf(output, 'low'), tailOf(output, 'high'));
  });
  const several = outputs.filter(({ objective }) => objective !== null).length > 1;
  const end = now() + settings.fit_time_limit * 1000;
  const models = outputs.map((output, k) => {
    const seed = Rng.seeded(`${typeof settings.seed}:${settings.seed}:fit:${output.key}`).word();
    const timeLimitMs = Math.max(0, end - now()) / (outputs.length - k);
    const resolution = several && output.objective !== null ? RESOLUTION : 0;
    const trend: TrendChoice = output.objective === null ? 'none' : several ? 'unless_noisy' : 'automatic';
    const options = { seed, timeLimitMs, now, inputOf, descriptors, kernel, outliers, resolution, trend };
    return fit(rowsOf(known[k]!, d), seen[k]!, known[k]!.length, d, options);
  });
  const complete = completeOf(runs, outputs);
  return {
    outputs: models,
    rows: rowsOf(complete, d),
    observed: Float64Array.from(complete.flatMap((run) => seen.map((of, k) => of[known[k]!.indexOf(run)]!))),
    seen,
    n: complete.length,
    timedOut: models.some((model) => model.timedOut),
  };
}

const rowsOf = (runs: readonly PlacedRun[], d: number): Float64Array =>
  joined(
    runs.map(({ row }) => row),
    d,
  );

/** The campaign looks for results at an end for the sake of the objective, or of a threshold without one. */
function tailOf({ objective, constraint }: Output, end: 'low' | 'high'): Tail {
  const { at_least, at_most } = constraint ?? {};
  const target = objective?.kind === 'close_to_target' ? objective.target : undefined;
  const threshold = end === 'low' ? at_most : at_least;
  return {
    wanted:
      objective === null
        ? threshold !== undefined
        : objective.kind === (end === 'low' ? 'minimize' : 'maximize'),
    bounds: [at_least, at_most, target].filter((bound) => bound !== undefined),
  };
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
