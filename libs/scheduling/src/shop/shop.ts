import { inOrder } from '../problem/groups.js';
import type { Problem } from '../problem/problem.js';

/**
 * A job shop or a flexible job shop in flat arrays. Operations have the indexes of the activities. Times are 32-bit
 * integers, because doubles passed between functions would be allocated on the heap. Lists of operations are
 * concatenated: those of operation `i` go from `…Start[i]` to before `…Start[i + 1]`.
 */
export interface Shop {
  operations: number;
  machines: number;
  /** Earliest start of each operation, in ticks. */
  releases: Int32Array;
  /** The predecessors of each operation, with the minimum ticks from their end to its start. */
  before: Links;
  /** The successors of each operation. */
  after: Links;
  /** The candidate machines of each operation, with its ticks on each. */
  choiceStart: Int32Array;
  choiceMachine: Int32Array;
  choiceDuration: Int32Array;
  /** Every operation stands behind all of its predecessors. */
  order: Int32Array;
}

/** Precedences of all operations, in the layout of {@link Shop}. */
export interface Links {
  start: Int32Array;
  operation: Int32Array;
  lag: Int32Array;
}

/** Limit of a sum of two path lengths, in ticks. */
const longest = 2 ** 30;

/**
 * Says whether {@link improveShop} can search a problem: every activity needs exactly one unit, only releases,
 * precedences and minimum lags bind, only the makespan counts, and no time exceeds 2^30 ticks.
 */
export function isShop(problem: Problem): boolean {
  return (
    problem.activities.length > 0 &&
    problem.makespanWeight > 0 &&
    problem.runs.every((run) => run.weight === 0) &&
    problem.activities.every(
      ({ slots, predecessors, follows, fixed, release }) =>
        slots.length === 1 &&
        slots.every((slot) => slot.sameAs === null && slot.keptUntil.length === 0 && slot.units.length > 0) &&
        predecessors.every((each) => each.maxLag === null && each.minLag >= 0) &&
        follows === null &&
        fixed === null &&
        release >= 0,
    ) &&
    latestEnd(problem) <= longest
  );
}

/** Ticks after which everything has ended if no two activities overlap. */
function latestEnd({ activities }: Problem): number {
  let end = 0;
  for (const { release, duration, predecessors, slots } of activities) {
    end += Math.max(duration, ...slots.flatMap((slot) => slot.durations ?? []));
    end += Math.max(0, ...predecessors.map(({ minLag }) => minLag));
    end += release;
  }
  return end;
}

/** @throws RangeError when the precedences run in a circle */
export function shopOf(problem: Problem): Shop {
  const { activities } = problem;
  const choices = activities.map((activity) => {
    const slot = activity.slots[0]!;
    return slot.units.map((machine, at) => ({
      machine,
      duration: slot.durations?.[at] ?? activity.duration,
    }));
  });
  const before = activities.map(({ predecessors }) =>
    predecessors.map(({ activity, minLag }) => ({ operation: activity, lag: minLag })),
  );
  const after = activities.map((): { operation: number; lag: number }[] => []);
  before.forEach((links, operation) =>
    links.forEach((link) => after[link.operation]!.push({ operation, lag: link.lag })),
  );
  const flat = choices.flat();
  const order = inOrder(before.map((links) => links.map(({ operation }) => operation)));
  if (order.length < activities.length)
    throw new RangeError('the precedences of the problem run in a circle');
  return {
    operations: activities.length,
    machines: problem.units,
    releases: Int32Array.from(activities, ({ release }) => release),
    before: linksOf(before),
    after: linksOf(after),
    choiceStart: startsOf(choices),
    choiceMachine: Int32Array.from(flat, ({ machine }) => machine),
    choiceDuration: Int32Array.from(flat, ({ duration }) => duration),
    order: Int32Array.from(order),
  };
}

function linksOf(lists: readonly (readonly { operation: number; lag: number }[])[]): Links {
  const flat = lists.flat();
  return {
    start: startsOf(lists),
    operation: Int32Array.from(flat, ({ operation }) => operation),
    lag: Int32Array.from(flat, ({ lag }) => lag),
  };
}

function startsOf(lists: readonly (readonly unknown[])[]): Int32Array {
  const starts = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => (starts[index + 1] = starts[index]! + list.length));
  return starts;
}
