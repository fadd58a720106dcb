/** All problems of the comparison. */
import { createHash } from 'node:crypto';
import { constrained } from './constrained.js';
import { fronts } from './fronts.js';
import { mixtures } from './mixed.js';
import { startsOf } from './method.js';
import { truthAt, type ComparedProblem } from './problem.js';
import { smooth } from './smooth.js';
import { tables } from './tables.js';

export const comparedProblems: readonly ComparedProblem[] = [
  ...smooth,
  ...constrained,
  ...fronts,
  ...mixtures,
  ...tables,
];

/**
 * A problem by its name, with its runs after the initial ones multiplied by `scale`.
 *
 * @throws Error when there is no such problem
 */
export function comparedProblem(name: string, scale: number): ComparedProblem {
  const found = comparedProblems.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no problem ${name}`);
  const more = Math.max(1, Math.round(scale * (found.evals - found.initial)));
  return {
    ...found,
    evals: found.initial + more,
    ...(found.time !== undefined && { time: scale * found.time }),
  };
}

/**
 * Changes when a campaign of the problem would be another one: with the declaration, the budget, and the initial points of the
 * first seed with their true values. A function that changes only elsewhere must get another name.
 */
export function digestOf(compared: ComparedProblem): string {
  const { problem, noise, duration, goal: _, ...budget } = compared;
  const functions = [noise?.growth, duration].map(String);
  const starts = startsOf(compared, 0).map((point) => [point, truthAt(compared, point)]);
  // Computers may differ in the last digits.
  const shortened = (_: string, value: unknown): unknown =>
    typeof value !== 'number' ? value : Math.abs(value) < 1e-9 ? 0 : Number(value.toPrecision(6));
  return createHash('sha256')
    .update(JSON.stringify([problem, noise, budget, functions]))
    .update(JSON.stringify(starts, shortened))
    .digest('hex')
    .slice(0, 12);
}
