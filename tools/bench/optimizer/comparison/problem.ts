import type { Constraint, InputValue, Measurement, Output, Point } from '@lab/optimization';
import { valuesOf } from '../campaign.js';
import { hypervolume } from '../hypervolume.js';
import type { ParetoProblem, Problem } from '../problems.js';
import type { Noise } from './noise.js';

/** The best possible value of the first output, and a point that has it. */
export interface Known {
  optimum: number;
  /** Values in the order of the inputs. */
  optimizer: readonly InputValue[];
}

/** What a campaign of one objective reaches or misses. */
export interface Goal {
  /** The words after "campaigns". */
  what: string;
  /** The largest regret of a campaign that reaches it. */
  regret: number;
}

/** One problem of the comparison, with its budget. */
export interface ComparedProblem {
  name: string;
  group: string;
  problem: (Problem & Known) | ParetoProblem;
  constraints?: readonly Constraint[];
  /** Number of runs, with those of the initial design. */
  evals: number;
  /** Runs of the initial design. They are the same for every method. */
  initial: number;
  /** Runs that are proposed at once. Default 1. */
  batch?: number;
  /** Runs that are always in progress. Each free place gets one run. Undefined: runs end in order. */
  flight?: number;
  /** Duration of a run, without a unit; default: from 0.5 to 1.5, by the number of the run. */
  duration?: (values: readonly InputValue[]) => number;
  /** The campaign ends at this time, in the unit of the durations. */
  time?: number;
  noise?: Noise;
  /** The campaigns that reach it are counted. It changes none of them. */
  goal?: Goal;
}

export type Budget = Partial<Omit<ComparedProblem, 'name' | 'group' | 'problem'>> & {
  evals: number;
  initial: number;
};

/** Problems of one group. */
export const inGroup =
  (group: string) =>
  (name: string, problem: ComparedProblem['problem'], budget: Budget): ComparedProblem => ({
    name,
    group,
    problem,
    ...budget,
  });

export const known = (problem: Problem, optimum: number, optimizer: Known['optimizer']): Problem & Known => ({
  ...problem,
  optimum,
  optimizer,
});

export const hasFront = (problem: ComparedProblem['problem']): problem is ParetoProblem => 'most' in problem;

/** Whether measured or predicted values keep all thresholds. */
export const keeps = (outputs: readonly Output[], values: readonly number[]): boolean =>
  outputs.every(({ constraint: { at_least = -Infinity, at_most = Infinity } = {} }, k) => {
    const value = values[k] ?? NaN;
    return value >= at_least && value <= at_most;
  });

/** 1 if larger values of an output are worse, else -1. */
export const signOf = ({ objective }: Output): number => (objective?.kind === 'maximize' ? -1 : 1);

/**
 * How good runs are by their true values.
 *
 * @returns the regret: the distance from the best possible value, `Infinity` when no run keeps the thresholds; with several
 *   objectives the share of the largest known hypervolume
 */
export function quality(problem: ComparedProblem['problem'], truths: readonly (readonly number[])[]): number {
  const { outputs } = problem;
  const useful = truths.filter((values) => keeps(outputs, values));
  if (hasFront(problem)) {
    const signs = problem.reference.map((_, k) => (problem.maximized.includes(k) ? -1 : 1));
    const minimized = (values: readonly number[]): number[] =>
      signs.map((sign, k) => sign * (values[k] ?? NaN));
    return hypervolume(useful.map(minimized), minimized(problem.reference)) / problem.most;
  }
  const [output] = outputs;
  const sign = output === undefined ? 1 : signOf(output);
  return useful.reduce((best, [value = NaN]) => Math.min(best, sign * (value - problem.optimum)), Infinity);
}

/** Whether one quality is better than another one: regrets are minimised, and shares of a hypervolume maximised. */
export const isShare = ({ problem }: ComparedProblem): boolean => hasFront(problem);

/** The results of a run as the optimizers get them. */
export const asMeasurement = (outputs: readonly Output[], values: readonly number[]): Measurement =>
  Object.fromEntries(outputs.map(({ key }, k) => [key, values[k] ?? NaN]));

export const truthAt = ({ problem }: ComparedProblem, point: Point): number[] =>
  problem.evaluate(valuesOf(problem.inputs, point));
