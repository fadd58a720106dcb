/** All problems of the comparison. */
import { createHash } from 'node:crypto';
import { constrained } from './constrained.js';
import { fronts } from './fronts.js';
import { mixtures } from './mixed.js';
import type { ComparedProblem } from './problem.js';
import { smooth } from './smooth.js';

export const comparedProblems: readonly ComparedProblem[] = [
  ...smooth,
  ...constrained,
  ...fronts,
  ...mixtures,
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

/** Changes when a campaign of the problem would be another one. A changed function must get another name. */
export function digestOf({ problem, noise, duration, ...budget }: ComparedProblem): string {
  const functions = [noise?.growth, duration].map(String);
  return createHash('sha256')
    .update(JSON.stringify([problem, noise, budget, functions]))
    .digest('hex')
    .slice(0, 12);
}
