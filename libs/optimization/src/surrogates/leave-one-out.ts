import type { LeaveOneOut, OutputMap } from './surrogate.js';

/**
 * Predictions in the scale of a model, in the unit of the output: medians, and half the distance between the values
 * one deviation below and above.
 *
 * @param y measured values
 * @param mean predictions in the scale of the model, with their standard deviation
 */
export function leaveOneOutOf(
  y: Float64Array,
  mean: Float64Array,
  deviation: Float64Array,
  output: OutputMap,
): LeaveOneOut {
  const predicted = mean.map((value) => output.fromModel(value));
  const spread = mean.map(
    (value, i) => (output.fromModel(value + deviation[i]!) - output.fromModel(value - deviation[i]!)) / 2,
  );
  // In units of the largest value, so that squares neither overflow nor vanish.
  const unit = y.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const average = y.reduce((sum, value) => sum + value / unit, 0) / y.length;
  let errors = 0;
  let deviations = 0;
  for (let i = 0; i < y.length; i++) {
    errors += ((y[i]! - predicted[i]!) / unit) ** 2;
    deviations += (y[i]! / unit - average) ** 2;
  }
  return { mean: predicted, deviation: spread, r2: deviations > 0 ? 1 - errors / deviations : 0 };
}
