import type { Problem, Schedule } from '../problem/problem.js';
import { imitate } from './imitation.js';
import { decoderOf } from './rescue.js';
import { constructInto } from './run-orders.js';

/** Decodings that may be spent on coming near to an earlier schedule. */
const imitations = 4;

/** A schedule, and what has no place in it. */
export interface Construction extends Schedule {
  /**
   * Activities that no schedule has room for, given what is decided: their own times contradict each other, nothing can
   * fill a slot, or units are kept that each other's keepers need. They have no units, and 0 for a start and an end.
   */
  unplaced: readonly number[];
}

/**
 * A schedule at once: the best of several list heuristics.
 *
 * The lists are made of runs by weighted shortest processing time (Smith 1956), where the processing time of a run is
 * what it needs of the units, those in demand counted more; each list once run by run and once in the order of time.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function construct(problem: Problem): Construction {
  const decoder = decoderOf(problem);
  constructInto(decoder);
  return decoder.schedule();
}

/**
 * A schedule at once that keeps the order of an earlier one.
 *
 * @param previous start of each activity, NaN where it had none: it comes last
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function repair(problem: Problem, previous: Pick<Schedule, 'starts'>): Construction {
  const decoder = decoderOf(problem);
  imitate(decoder, previous.starts, imitations);
  return decoder.schedule();
}
