import type { Problem } from '../src/problem/problem.js';
import { repairInSteps, type Construction, type Previous } from '../src/search/list-heuristics.js';
import { allOf } from '../src/steps.js';

/** All steps of a repair at once. */
export const repair = (problem: Problem, previous: Previous): Construction =>
  allOf(repairInSteps(problem, previous));
