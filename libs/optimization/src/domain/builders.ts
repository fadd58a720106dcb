import type {
  CategoricalInput,
  Constraint,
  ContinuousInput,
  DiscreteInput,
  Objective,
  Output,
} from './space.js';

/**
 * Builders of the declarations of space.ts (specification, "Built-in Bayesian optimizer constructor arguments"). What they
 * give is plain JSON and may be written by hand as well. They check nothing and throw nothing: whoever takes a declaration
 * tells everything that is wrong with it at once.
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
 * One of some numbers, whose order and distances mean something.
 *
 * @param key `TASK.PARAMETER`
 * @param values distinct numbers, in the unit of the parameter
 */
export function discreteInput(key: string, values: readonly number[]): DiscreteInput {
  return { kind: 'discrete', key, values };
}

/**
 * One of some names that have no order.
 *
 * @param key `TASK.PARAMETER`
 * @param categories distinct names
 */
export function categoricalInput(key: string, categories: readonly string[]): CategoricalInput {
  return { kind: 'categorical', key, categories };
}

/** As little as possible. @param weight more than 0; how much it counts beside other objectives */
export function minimize(weight = 1): Objective {
  return { kind: 'minimize', weight };
}

/** As much as possible. @param weight more than 0; how much it counts beside other objectives */
export function maximize(weight = 1): Objective {
  return { kind: 'maximize', weight };
}

/** As near to `target` as possible, in the unit of the output. @param weight more than 0 */
export function closeToTarget(target: number, weight = 1): Objective {
  return { kind: 'close_to_target', target, weight };
}

/**
 * A number that is measured.
 *
 * @param key `TASK.PARAMETER`
 * @param objective null: it is only held to its thresholds
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
 * Only so many of the features are not zero.
 *
 * @param features keys of continuous or discrete inputs
 * @param counts `min_count` (default 0) and `max_count`; `none_also_valid`: all of them may be zero whatever `min_count` is
 */
export function nChooseK(
  features: readonly string[],
  counts: { min_count?: number; max_count: number; none_also_valid?: boolean },
): Constraint {
  const { min_count = 0, max_count, none_also_valid = false } = counts;
  return { kind: 'n_choose_k', features, min_count, max_count, none_also_valid };
}
