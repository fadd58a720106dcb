import { ServiceError } from '@lab/contracts/vocabulary';
import type { AcquisitionChoice, AcquisitionFunction, AcquisitionProblem } from './acquisition.js';
import { Situation } from './situation.js';

/**
 * Creates the chosen acquisition function.
 *
 * Functions of one utility (qUCB, qLogEI, qLogNEI) add objectives by their weights. While no measured point keeps
 * every threshold, all but qUCB search for such a point. qLogNEHVI accepts 2 to 4 objectives. For other numbers,
 * qLogNParEGO replaces it.
 *
 * @throws ServiceError `invalid` when there is no objective, nothing was measured, or beta is below 0
 */
export function acquisitionFunction(
  choice: AcquisitionChoice,
  problem: AcquisitionProblem,
): AcquisitionFunction {
  if (!problem.outputs.some(({ objective }) => objective !== null)) {
    throw new ServiceError('invalid', 'No output has an objective: give at least one');
  }
  if (problem.n < 1)
    throw new ServiceError('invalid', 'Nothing was measured: measure an initial point first');
  if (choice.kind === 'qUCB' && !(choice.beta >= 0 && Number.isFinite(choice.beta))) {
    throw new ServiceError('invalid', `beta is ${choice.beta}: give a number of at least 0`);
  }
  return new Situation(choice, problem).acquisition(problem.pending, problem.pendingCount, 0);
}

/**
 * Measured points with at least the chance `share` to be on the Pareto front of the true values, by joint samples.
 *
 * @param problem with several objectives; `pending` does not matter
 * @returns positions of rows, in no order
 */
export function likelyOnFront(problem: AcquisitionProblem, share: number): number[] {
  return new Situation({ kind: 'qLogNEHVI' }, problem).oftenOnFront(share);
}
