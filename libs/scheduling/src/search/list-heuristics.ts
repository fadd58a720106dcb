import type { Activity, Problem, Schedule } from '../problem/problem.js';
import type { Steps } from '../steps.js';
import { chronologicalOf, dispatchInto } from './dispatch.js';
import { imitate } from './imitation.js';
import { decoderInSteps, decoderOf } from './rescue.js';
import { retime } from './retime.js';
import { constructInto } from './run-orders.js';

/** Most decodings for the imitation of an earlier schedule. */
const imitations = 4;

export interface Construction extends Schedule {
  /**
   * Activities that no schedule can place, given the decisions: their own times contradict each other, nothing can
   * fill a slot, or keepers of units need each other's units. They have no units, and 0 as start and end.
   */
  unplaced: readonly number[];
}

/**
 * Constructs a schedule at once: the best of several list heuristics. The lists order runs by weighted shortest
 * processing time (Smith 1956): their use of units, with a higher weight for units in demand. Each list is used run by
 * run and in order of time. If units are kept for long, priority rules also decode in the order of events.
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

/** An earlier schedule, in current ticks. */
export interface Previous {
  /** NaN for an activity that had no place: it comes last. */
  starts: readonly number[];
  /** A unit for each slot of each activity; empty: the activity had no place. Absent: only the order is known. */
  units?: readonly (readonly number[])[];
}

/**
 * Constructs a schedule that keeps the order of an earlier one: with its units and sequences, and new
 * activities in the gaps; or with any units, if that is better or the sequences cannot be kept.
 *
 * Works in steps of a few milliseconds for a thousand activities.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
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

/** The earlier schedule with new times, and its unplaced activities in the gaps; null when that is impossible. */
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

/** An activity of length zero without conditions. */
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
