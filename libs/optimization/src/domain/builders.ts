import type {
  CategoricalInput,
  Constraint,
  ContinuousInput,
  DiscreteInput,
  Objective,
  Output,
} from './space.js';

/**
 * Builders of the declarations of space.ts (specification, "Built-in Bayesian optimizer constructor arguments"). Their
 * results are plain JSON and can also be written by hand. They check nothing: the receiver of a declaration reports
 * all its faults at once.
 */

/**
 * A number between two bounds.
 *
 * @param key `TASK.PARAMETER`
 * @param bounds lower and upper bound, both included, in the unit of the parameter
 * @param options `step`: values are whole multiples of it above the lower bound, in the same unit
 */
export function continuousInput(
  key: string,
  bounds: readonly [number, number],
  options: { step?: number } = {},
): ContinuousInput {
  return { kind: 'continuous', key, bounds, ...options };
}

/**
 * One of several numbers whose order and distances have a meaning.
 *
 * @param key `TASK.PARAMETER`
 * @param values distinct numbers, in the unit of the parameter
 */
export function discreteInput(key: string, values: readonly number[]): DiscreteInput {
  return { kind: 'discrete', key, values };
}

/**
 * One of several names without an order.
 *
 * @param key `TASK.PARAMETER`
 * @param categories distinct names
 * @param options `descriptors`: by category its measurable properties, as many numbers for each, in any units.
 *   Categories with similar numbers may then have similar results
 */
export function categoricalInput(
  key: string,
  categories: readonly string[],
  options: { descriptors?: Readonly<Record<string, readonly number[]>> } = {},
): CategoricalInput {
  return { kind: 'categorical', key, categories, ...options };
}

/** Minimises an output. @param weight above 0; importance beside other objectives */
export function minimize(weight = 1): Objective {
  return { kind: 'minimize', weight };
}

/** Maximises an output. @param weight above 0; importance beside other objectives */
export function maximize(weight = 1): Objective {
  return { kind: 'maximize', weight };
}

/** Brings an output near to `target`, in the unit of the output. @param weight above 0 */
export function closeToTarget(target: number, weight = 1): Objective {
  return { kind: 'close_to_target', target, weight };
}

/**
 * A measured number.
 *
 * @param key `TASK.PARAMETER`
 * @param objective null: it has only thresholds
 * @param constraint thresholds in the unit of the output
 */
export function continuousOutput(
  key: string,
  objective: Objective | null,
  constraint?: { at_least?: number; at_most?: number },
): Output {
  return { key, objective, ...(constraint === undefined ? {} : { constraint }) };
}

/**
 * `sum coefficients[i] * features[i] = rhs`.
 *
 * @param features keys of continuous or discrete inputs
 * @param coefficients as many, in the unit of `rhs` by that of the input; none is 0
 */
export function linearEquality(
  features: readonly string[],
  coefficients: readonly number[],
  rhs: number,
): Constraint {
  return { kind: 'linear_equality', features, coefficients, rhs };
}

/**
 * `sum coefficients[i] * features[i] <= rhs`.
 *
 * @param features keys of continuous or discrete inputs
 * @param coefficients as many, in the unit of `rhs` by that of the input; none is 0
 */
export function linearInequality(
  features: readonly string[],
  coefficients: readonly number[],
  rhs: number,
): Constraint {
  return { kind: 'linear_inequality', features, coefficients, rhs };
}

/**
 * Limits the number of features that are not zero.
 *
 * @param features keys of continuous or discrete inputs
 * @param counts `min_count` (default 0) and `max_count`; `none_also_valid`: all of them may be zero whatever
 *   `min_count` is
 */
export function nChooseK(
  features: readonly string[],
  counts: { min_count?: number; max_count: number; none_also_valid?: boolean },
): Constraint {
  const { min_count = 0, max_count, none_also_valid = false } = counts;
  return { kind: 'n_choose_k', features, min_count, max_count, none_also_valid };
}
