import type { Trial } from '@lab/api-client';
import { fieldOf } from './graph.js';

/** A result that an optimizer shall make better. */
export interface Goal {
  /** `TASK.PARAMETER`. */
  output: string;
  /** Sign with which a lower value is better: 1 to minimize, -1 to maximize. */
  sign: 1 | -1;
}

/**
 * The results that an optimizer minimizes or maximizes.
 *
 * @param settings the `arguments` of an optimizer. An optimizer of a lab may have others; then nothing is known of its goals
 * @param outputs the `output_names` of the optimizer
 */
export function goalsOf(settings: unknown, outputs: readonly string[]): Goal[] {
  const declared = fieldOf(settings, 'outputs');
  if (!Array.isArray(declared)) return [];
  return declared.flatMap((each: unknown): Goal[] => {
    const output = fieldOf(each, 'key');
    const kind = fieldOf(fieldOf(each, 'objective'), 'kind');
    if (typeof output !== 'string' || !outputs.includes(output)) return [];
    if (kind === 'minimize') return [{ output, sign: 1 }];
    return kind === 'maximize' ? [{ output, sign: -1 }] : [];
  });
}

/** A trial whose results are known. */
export type Measured = Trial & { outputs: Record<string, number> };

export const isMeasured = (trial: Trial): trial is Measured =>
  trial.state === 'measured' && trial.outputs !== null;

/** The best value of a result after each trial, in the order of the trials; undefined where it is not measured. */
export function bestSoFar(trials: readonly Measured[], { output, sign }: Goal): (number | undefined)[] {
  let best: number | undefined;
  return trials.map(({ outputs }) => {
    const value = outputs[output];
    if (value !== undefined && (best === undefined || value * sign < best * sign)) best = value;
    return best;
  });
}

/** The trials that no other trial beats in every goal (the Pareto front); of one goal: the best trials. */
export function frontOf(trials: readonly Measured[], goals: readonly Goal[]): Measured[] {
  if (goals.length === 0) return [];
  const points = trials
    .map((trial) => ({
      trial,
      costs: goals.map(({ output, sign }) => (trial.outputs[output] ?? Number.NaN) * sign),
    }))
    .filter(({ costs }) => costs.every((cost) => !Number.isNaN(cost)));
  return points
    .filter(({ costs }) => !points.some((other) => isBeaten(costs, other.costs)))
    .map(({ trial }) => trial);
}

const isBeaten = (costs: readonly number[], by: readonly number[]): boolean =>
  by.every((cost, at) => cost <= (costs[at] ?? 0)) && by.some((cost, at) => cost < (costs[at] ?? 0));
