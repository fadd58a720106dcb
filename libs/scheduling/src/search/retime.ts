import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';
import { endOffset } from './compiled-problem.js';

/** Passes over all activities after which the sequences count as impossible, because a circle would never end. */
const mostPasses = 200;

/**
 * The schedule with the units and sequences of an earlier one, in which everything happens as early as the current
 * durations, releases and decisions allow: longest paths in the graph of the sequences. A keeper stays before the
 * activities that waited for its unit, and its guests stay within. Without changes, nothing is later than before.
 *
 * @param previous starts in current ticks, of which only the order matters
 * @returns null: the sequences cannot be kept, or an activity had no place
 */
export function retime(problem: Problem, previous: Pick<Schedule, 'starts' | 'units'>): Schedule | null {
  const { activities } = problem;
  const count = activities.length;
  const units = activities.map(({ fixed }, index) => fixed?.units ?? previous.units[index] ?? []);
  if (!areUnitsPossible(problem, previous.starts, units)) return null;
  const durations = activities.map(({ fixed, slots, duration }, index) => {
    if (fixed !== null) return endOffset(problem, index);
    for (const [at, slot] of slots.entries())
      if (slot.durations !== undefined)
        return slot.durations[slot.units.indexOf(units[index]![at]!)] ?? duration;
    return duration;
  });
  // Decided activities that have begun come before all that are still to begin, however late those are.
  const wanted = activities.map(({ fixed }, index) => {
    if (fixed === null) return previous.starts[index]!;
    return fixed.start > 0 ? fixed.start : Number.NEGATIVE_INFINITY;
  });
  const graph = new SequenceGraph(problem, durations);
  addPrecedences(problem, graph);
  addSequences(problem, units, wanted, graph);
  const starts = activities.map(({ fixed, release }) => fixed?.start ?? Math.max(0, release));
  const order = Int32Array.from({ length: count }, (_, index) => index).sort(
    (a, b) => (wanted[a] === wanted[b] ? 0 : wanted[a]! - wanted[b]!) || a - b,
  );
  if (!graph.relax(starts, order)) return null;
  const ends = starts.map((start, index) => start + durations[index]!);
  return { starts, ends, units, objective: objectiveOf(problem, ends).total };
}

function areUnitsPossible(
  { activities }: Problem,
  starts: readonly number[],
  units: readonly (readonly number[])[],
): boolean {
  return activities.every(({ slots, fixed }, index) => {
    if (fixed !== null) return true;
    const own = units[index]!;
    return (
      Number.isFinite(starts[index]) &&
      own.length === slots.length &&
      new Set(own).size === own.length &&
      slots.every(
        ({ units: choices, sameAs }, at) =>
          choices.includes(own[at]!) && (sameAs === null || units[sameAs.activity]![sameAs.slot] === own[at]),
      )
    );
  });
}

/** Minimum distances between starts. */
class SequenceGraph {
  private readonly first: Int32Array;
  private readonly target: number[] = [];
  private readonly distance: number[] = [];
  private readonly next: number[] = [];

  constructor(
    private readonly problem: Problem,
    private readonly durations: readonly number[],
  ) {
    this.first = new Int32Array(durations.length).fill(-1);
  }

  /** `later` starts at least this many ticks after the end of `earlier`. */
  afterEnd(earlier: number, later: number, lag: number): void {
    this.apart(earlier, later, this.durations[earlier]! + lag);
  }

  /** `later` starts at most this many ticks after the end of `earlier`. */
  withinEnd(earlier: number, later: number, lag: number): void {
    this.apart(later, earlier, -this.durations[earlier]! - lag);
  }

  /** Moves starts to the earliest that keep all distances; false when there are none. */
  relax(starts: number[], order: Int32Array): boolean {
    const { activities } = this.problem;
    for (let pass = 0; pass < mostPasses; pass++) {
      let changed = false;
      for (const from of order)
        for (let arc = this.first[from]!; arc >= 0; arc = this.next[arc]!) {
          const to = this.target[arc]!;
          const least = starts[from]! + this.distance[arc]!;
          if (least <= starts[to]!) continue;
          if (activities[to]!.fixed !== null) return false;
          starts[to] = least;
          changed = true;
        }
      if (!changed) return true;
    }
    return false;
  }

  private apart(from: number, to: number, distance: number): void {
    const { activities } = this.problem;
    if (activities[from]!.fixed !== null && activities[to]!.fixed !== null) return;
    this.target.push(to);
    this.distance.push(distance);
    this.next.push(this.first[from]!);
    this.first[from] = this.target.length - 1;
  }
}

function addPrecedences({ activities }: Problem, graph: SequenceGraph): void {
  activities.forEach(({ predecessors, follows, fixed }, index) => {
    if (fixed !== null) return;
    for (const { activity, minLag, maxLag } of predecessors) {
      graph.afterEnd(activity, index, minLag);
      if (maxLag !== null && activities[activity]!.fixed === null) graph.withinEnd(activity, index, maxLag);
    }
    if (follows === null) return;
    graph.afterEnd(follows, index, 0);
    if (activities[follows]!.fixed === null) graph.withinEnd(follows, index, 0);
  });
}

/** The user of a unit waits for the previous user, and for all activities for which others kept the unit. */
function addSequences(
  { activities, units: unitCount }: Problem,
  units: readonly (readonly number[])[],
  wanted: readonly number[],
  graph: SequenceGraph,
): void {
  const stays: { activity: number; slot: number; depth: number }[][] = Array.from(
    { length: unitCount },
    () => [],
  );
  const referredBy = (activity: number, slot: number): { activity: number; slot: number }[] => {
    const chain: { activity: number; slot: number }[] = [];
    let at = activities[activity]!.slots[slot]!.sameAs;
    for (
      ;
      at !== null && chain.length < activities.length;
      at = activities[at.activity]!.slots[at.slot]!.sameAs
    )
      chain.push(at);
    return chain;
  };
  activities.forEach((_, activity) =>
    units[activity]!.forEach((unit, slot) =>
      stays[unit]!.push({ activity, slot, depth: referredBy(activity, slot).length }),
    ),
  );
  for (const own of stays) {
    own.sort(
      (a, b) =>
        (wanted[a.activity] === wanted[b.activity] ? 0 : wanted[a.activity]! - wanted[b.activity]!) ||
        activities[a.activity]!.duration - activities[b.activity]!.duration ||
        a.depth - b.depth ||
        a.activity - b.activity,
    );
    let before: number[] = [];
    let keepers: { activity: number; slot: number }[] = [];
    for (const { activity, slot } of own) {
      for (const other of before) graph.afterEnd(other, activity, 0);
      const isFixed = activities[activity]!.fixed !== null;
      if (isFixed) before.push(activity);
      else before = [activity];
      const hosts = keepers.length > 0 ? referredBy(activity, slot) : [];
      keepers = keepers.filter((keeper) => {
        const isDecided = isFixed && activities[keeper.activity]!.fixed !== null;
        if (isDecided || hosts.some((host) => host.activity === keeper.activity && host.slot === keeper.slot))
          return true;
        for (const last of activities[keeper.activity]!.slots[keeper.slot]!.keptUntil)
          graph.afterEnd(last, activity, 0);
        return false;
      });
      if (activities[activity]!.slots[slot]!.keptUntil.length > 0) keepers.push({ activity, slot });
    }
  }
}
