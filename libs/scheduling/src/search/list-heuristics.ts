import type { Activity, Problem, Schedule } from '../problem/problem.js';
import { allOf, type Steps } from '../steps.js';
import { chronologicalOf, dispatchInto } from './dispatch.js';
import { imitate } from './imitation.js';
import { decoderInSteps, decoderOf } from './rescue.js';
import { retime } from './retime.js';
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
 * what it needs of the units, those in demand counted more; each list once run by run and once in the order of time. Where
 * units are kept for long, priority rules also start as events go by what can start.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function construct(problem: Problem): Construction {
  const decoder = decoderOf(problem);
  constructInto(decoder);
  const placed = decoder.schedule();
  const chronological = chronologicalOf(problem, decoder);
  if (chronological === null) return placed;
  dispatchInto(chronological);
  const { compiled, placedCount, objective } = chronological;
  if (placedCount < compiled.blocks) return placed;
  return placed.unplaced.length > 0 || objective < placed.objective ? chronological.schedule() : placed;
}

/** An earlier schedule in ticks of now. */
export interface Previous {
  /** NaN where an activity had none: it comes last. */
  starts: readonly number[];
  /** Of each activity, a unit for each slot; none where it had no place. Absent: only the order is known. */
  units?: readonly (readonly number[])[];
}

/**
 * A schedule at once that keeps the order of an earlier one: with its units and the sequences on them, what is new in the
 * gaps; or with whatever units, if that is better or the sequences cannot be kept.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function repair(problem: Problem, previous: Previous): Construction {
  return allOf(repairInSteps(problem, previous));
}

/** As {@link repair}, in steps of a few milliseconds for a thousand activities. */
export function* repairInSteps(problem: Problem, previous: Previous): Steps<Construction> {
  const decoder = yield* decoderInSteps(problem);
  yield;
  imitate(decoder, previous.starts, imitations);
  const decoded = decoder.schedule();
  yield;
  const { starts, units } = previous;
  const kept = units === undefined ? null : yield* keepSequences(problem, { starts, units });
  if (kept === null || (decoded.unplaced.length === 0 && decoded.objective < kept.objective)) return decoded;
  return kept;
}

/** The earlier schedule retimed, and what had no place in it put into the gaps; null when that cannot be. */
function* keepSequences(problem: Problem, previous: Required<Previous>): Steps<Construction | null> {
  const { activities } = problem;
  const isNew = activities.map(
    ({ fixed, slots }, index) =>
      fixed === null && slots.length > 0 && (previous.units[index] ?? []).length === 0,
  );
  if (!isNew.includes(true)) {
    const schedule = retime(problem, previous);
    return schedule === null ? null : { ...schedule, unplaced: [] };
  }
  const tied = activities.some(({ predecessors, follows, slots, fixed }, index) => {
    const parts = (other: number): boolean => isNew[other] !== isNew[index];
    return (
      (fixed === null && follows !== null && activities[follows]!.fixed === null && parts(follows)) ||
      predecessors.some(
        ({ activity, maxLag }) =>
          activities[activity]!.fixed === null && parts(activity) && (maxLag !== null || isNew[activity]!),
      ) ||
      slots.some(
        ({ sameAs, keptUntil }) => (sameAs !== null && parts(sameAs.activity)) || keptUntil.some(parts),
      )
    );
  });
  if (tied || !isNew.includes(false)) return null;
  const known = retime(
    { ...problem, activities: activities.map((each, index) => (isNew[index]! ? absent(each) : each)) },
    previous,
  );
  if (known === null) return null;
  const decided = activities.map((activity, index) =>
    isNew[index]! || activity.fixed !== null
      ? activity
      : { ...activity, fixed: { start: known.starts[index]!, units: known.units[index]! } },
  );
  yield;
  const decoder = yield* decoderInSteps({ ...problem, activities: decided });
  yield;
  imitate(decoder, previous.starts, 0);
  const schedule = decoder.schedule();
  return schedule.unplaced.length === 0 ? schedule : null;
}

/** An activity that takes nothing and binds nothing. */
function absent({ run }: Activity): Activity {
  return {
    run,
    duration: 0,
    release: 0,
    predecessors: [],
    follows: null,
    slots: [],
    fixed: { start: 0, units: [] },
  };
}
