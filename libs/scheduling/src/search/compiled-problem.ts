import type { Problem } from '../problem/problem.js';
import { partition } from './blocks.js';
import { possibleChoices } from './possible-choices.js';

/** Times or durations in ticks. 32-bit integers where no schedule of the problem can exceed their range. */
export type Ticks = Int32Array | Float64Array;

/** Concatenated lists: list `i` goes from `start[i]` to before `start[i + 1]`. */
export interface Lists {
  start: Int32Array;
  item: Int32Array;
}

/**
 * A problem in flat arrays, made once for a search and never changed. The slots of all activities are concatenated, as
 * are the candidate units of all slots (its _choices_). `fixed` activities are included.
 */
export interface CompiledProblem {
  readonly problem: Problem;
  readonly activities: number;
  readonly units: number;
  readonly runs: number;
  readonly weights: Float64Array;
  readonly makespanWeight: number;
  /** Later than any time in any schedule. */
  readonly never: number;
  readonly ticks: (length: number) => Ticks;

  readonly run: Int32Array;
  readonly release: Ticks;
  readonly duration: Ticks;
  /** The shortest duration of an activity on any units. */
  readonly shortest: Ticks;
  readonly fixed: Uint8Array;
  /** Predecessors of each activity, including `follows` with lags 0 and 0. A `maxLag` that does not bind is `never`. */
  readonly before: Lists;
  readonly minLag: Ticks;
  readonly maxLag: Ticks;

  /** From activity to its slots. */
  readonly slotStart: Int32Array;
  readonly slotActivity: Int32Array;
  /** From slot to its choices. */
  readonly choiceStart: Int32Array;
  readonly choiceUnit: Int32Array;
  /** Ticks of the activity with that choice; the duration of the activity where the slot does not decide it. */
  readonly choiceDuration: Ticks;
  /** 1 for choices that leave a complete filling of all slots of all activities. */
  readonly possible: Uint8Array;
  /** The slot of each activity whose choice decides the duration, or -1. */
  readonly decidingSlot: Int32Array;
  /** Slots that must get the same unit share a class; -1: an independent slot. */
  readonly slotClass: Int32Array;
  readonly classes: number;
  /** The slot that a slot refers to, or -1. */
  readonly sameSlot: Int32Array;
  /** Undecided activities for which a slot keeps its unit. */
  readonly kept: Lists;
  /** The time until which a slot keeps its unit for decided activities; 0: none. */
  readonly keptUntil: Ticks;
  /** Minimum ticks from the start of a keeping activity to the end of all activities for which it keeps a unit. */
  readonly leastHold: Ticks;

  /** Blocks, each with its activities in the order of their placement. */
  readonly blocks: number;
  readonly members: Lists;
  readonly blockOf: Int32Array;
  readonly blocksBefore: Lists;
  readonly blocksAfter: Lists;
  /** 1 for blocks that are placed before others, because they have a wish relative to a fixed activity. */
  readonly urgent: Uint8Array;
  /** Typical ticks from the start of the first to the end of the last activity of a block. */
  readonly span: Ticks;
}

export function listsOf(lists: readonly (readonly number[])[]): Lists {
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, index) => (start[index + 1] = start[index]! + list.length));
  return { start, item: Int32Array.from(lists.flat()) };
}

const known = new WeakMap<Problem, CompiledProblem>();

/** As {@link compile}, but each problem is compiled once: a plan decodes the same problem several times. */
export function compiledOf(problem: Problem): CompiledProblem {
  let compiled = known.get(problem);
  if (compiled === undefined) {
    compiled = compile(problem);
    known.set(problem, compiled);
  }
  return compiled;
}

/**
 * @param joined activities that must be placed in one piece
 * @param holdsApart activities that share a kept unit are not placed in one piece
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function compile(
  problem: Problem,
  joined: readonly number[] = [],
  holdsApart = false,
): CompiledProblem {
  const { activities } = problem;
  const count = activities.length;
  const durations = activities.map((activity) => {
    const own = activity.slots.find((slot) => slot.durations !== undefined)?.durations;
    return own === undefined || own.length === 0
      ? { least: activity.duration, most: activity.duration }
      : { least: Math.min(...own), most: Math.max(...own) };
  });
  let reach = 0;
  activities.forEach((activity, index) => {
    const lags = activity.predecessors.reduce(
      (sum, { minLag, maxLag }) => sum + Math.max(minLag, maxLag ?? 0),
      0,
    );
    const start = Math.max(activity.release, activity.fixed?.start ?? 0);
    reach += durations[index]!.most + lags;
    if (start > 0) reach += start;
  });
  const small = reach * 4 < 2 ** 30;
  const never = small ? 2 ** 30 : 2 ** 52;
  const ticks = small
    ? (length: number): Ticks => new Int32Array(length)
    : (length: number): Ticks => new Float64Array(length);
  const ticksFrom = (values: readonly number[]): Ticks => {
    const filled = ticks(values.length);
    filled.set(values);
    return filled;
  };

  const fixed = Uint8Array.from(activities, ({ fixed }) => (fixed === null ? 0 : 1));
  const links = activities.map((activity) => [
    ...activity.predecessors.map(({ activity: other, minLag, maxLag }) => ({
      other,
      minLag,
      maxLag: maxLag === null || fixed[other] === 1 ? never : maxLag,
    })),
    ...(activity.follows === null
      ? []
      : [{ other: activity.follows, minLag: 0, maxLag: fixed[activity.follows] === 1 ? never : 0 }]),
  ]);

  const slots = activities.flatMap(({ slots }, activity) => slots.map((slot) => ({ slot, activity })));
  const slotStart = listsOf(activities.map(({ slots }) => slots.map(() => 0))).start;
  const choices = slots.map(({ slot }) => slot.units);
  const { slotClass, classes } = classesOf(problem, slotStart);
  const choiceStart = listsOf(choices).start;
  const choiceUnit = Int32Array.from(choices.flat());
  const endOf = (activity: number): number =>
    (activities[activity]!.fixed?.start ?? 0) + endOffset(problem, activity);
  const wishes = (activity: number): boolean =>
    (activities[activity]!.follows !== null && fixed[activities[activity]!.follows!] === 1) ||
    activities[activity]!.predecessors.some((each) => each.maxLag !== null && fixed[each.activity] === 1);

  const parts = partition(problem, joined, holdsApart);
  const members = listsOf(parts.blocks);
  const blockOf = new Int32Array(count).fill(-1);
  parts.blocks.forEach((block, index) => block.forEach((member) => (blockOf[member] = index)));
  const blocksBefore = parts.waits;
  const blocksAfter = parts.blocks.map((): number[] => []);
  blocksBefore.forEach((list, block) => list.forEach((other) => blocksAfter[other]!.push(block)));
  const urgent = Uint8Array.from(parts.blocks, (block) => (block.some(wishes) ? 1 : 0));
  // Predecessors of an urgent block are urgent too; blocks stand behind those for which they wait.
  for (let block = urgent.length - 1; block >= 0; block--)
    if (urgent[block] === 1) for (const other of blocksBefore[block]!) urgent[other] = 1;

  return {
    problem,
    activities: count,
    units: problem.units,
    runs: problem.runs.length,
    weights: Float64Array.from(problem.runs, ({ weight }) => weight),
    makespanWeight: problem.makespanWeight,
    never,
    ticks,
    run: Int32Array.from(activities, ({ run }) => run),
    release: ticksFrom(activities.map(({ release }) => Math.max(0, release))),
    duration: ticksFrom(activities.map(({ duration }) => duration)),
    shortest: ticksFrom(durations.map(({ least }) => least)),
    fixed,
    before: listsOf(links.map((list) => list.map(({ other }) => other))),
    minLag: ticksFrom(links.flatMap((list) => list.map(({ minLag }) => minLag))),
    maxLag: ticksFrom(links.flatMap((list) => list.map(({ maxLag }) => maxLag))),
    slotStart,
    slotActivity: Int32Array.from(slots, ({ activity }) => activity),
    choiceStart,
    choiceUnit,
    possible: possibleChoices({ slotStart, choiceStart, choiceUnit, slotClass, classes, fixed }),
    choiceDuration: ticksFrom(
      slots.flatMap(({ slot, activity }) =>
        slot.units.map((_, choice) => slot.durations?.[choice] ?? activities[activity]!.duration),
      ),
    ),
    decidingSlot: Int32Array.from(activities, ({ slots: own }, activity) => {
      const at = own.findIndex((slot) => slot.durations !== undefined);
      return at < 0 ? -1 : slotStart[activity]! + at;
    }),
    slotClass,
    classes,
    sameSlot: Int32Array.from(slots, ({ slot: { sameAs } }) =>
      sameAs === null ? -1 : slotStart[sameAs.activity]! + sameAs.slot,
    ),
    kept: listsOf(slots.map(({ slot }) => slot.keptUntil.filter((other) => fixed[other] === 0))),
    keptUntil: ticksFrom(
      slots.map(({ slot }) =>
        Math.max(0, ...slot.keptUntil.filter((other) => fixed[other] === 1).map(endOf)),
      ),
    ),
    leastHold: ticksFrom(leastHolds(problem, parts.blocks, durations, slotStart)),
    blocks: parts.blocks.length,
    members,
    blockOf,
    blocksBefore: listsOf(blocksBefore),
    blocksAfter: listsOf(blocksAfter),
    urgent,
    span: ticksFrom(
      parts.blocks.map((block) =>
        block.reduce(
          (sum, member) =>
            sum +
            durations[member]!.most +
            activities[member]!.predecessors.reduce(
              (lags, { minLag, maxLag }) => lags + Math.max(minLag, maxLag ?? 0),
              0,
            ),
          0,
        ),
      ),
    ),
  };
}

/** Says whether a slot refers to another, directly or through others, and may have the unit that it keeps. */
export function refers(compiled: CompiledProblem, slot: number, other: number): boolean {
  const { sameSlot } = compiled;
  for (let at = slot < 0 ? -1 : sameSlot[slot]!; at >= 0; at = sameSlot[at]!) if (at === other) return true;
  return false;
}

/** Ticks of a decided activity on its units. */
export function endOffset(problem: Problem, index: number): number {
  const activity = problem.activities[index]!;
  const deciding = activity.slots.findIndex((slot) => slot.durations !== undefined);
  if (deciding < 0) return activity.duration;
  const slot = activity.slots[deciding]!;
  const choice = slot.units.indexOf(activity.fixed?.units[deciding] ?? -1);
  return slot.durations?.[choice] ?? activity.duration;
}

function classesOf(problem: Problem, slotStart: Int32Array): { slotClass: Int32Array; classes: number } {
  const slots = problem.activities.flatMap(({ slots }) => slots);
  const referred = new Set<number>();
  const rootOf = (slot: number): number => {
    let root = slot;
    for (let steps = 0; ; steps++) {
      const { sameAs } = slots[root]!;
      if (sameAs === null) return root;
      if (steps > slots.length) throw new RangeError('references to units run in a circle');
      root = slotStart[sameAs.activity]! + sameAs.slot;
    }
  };
  const roots = slots.map((_, slot) => rootOf(slot));
  roots.forEach((root, slot) => {
    if (root !== slot) referred.add(root);
  });
  const numbers = new Map([...referred].map((root, index) => [root, index]));
  return { slotClass: Int32Array.from(roots, (root) => numbers.get(root) ?? -1), classes: numbers.size };
}

/** For each slot that keeps its unit, the longest path from its activity's start to the end of the kept activities. */
function leastHolds(
  problem: Problem,
  blocks: readonly (readonly number[])[],
  durations: readonly { least: number }[],
  slotStart: Int32Array,
): number[] {
  const { activities } = problem;
  const holds: number[] = new Array<number>(slotStart[activities.length] ?? 0).fill(0);
  for (const block of blocks)
    for (const holder of block)
      activities[holder]!.slots.forEach((slot, at) => {
        if (slot.keptUntil.length === 0) return;
        const starts = new Map<number, number>([[holder, 0]]);
        for (const member of block) {
          const { predecessors, follows } = activities[member]!;
          const waits = follows === null ? predecessors : [...predecessors, { activity: follows, minLag: 0 }];
          for (const { activity: other, minLag } of waits) {
            const start = starts.get(other);
            if (start === undefined) continue;
            const ready = start + durations[other]!.least + minLag;
            starts.set(member, Math.max(ready, starts.get(member) ?? ready));
          }
        }
        holds[slotStart[holder]! + at] = Math.max(
          durations[holder]!.least,
          ...slot.keptUntil.map((other) =>
            starts.has(other) ? starts.get(other)! + durations[other]!.least : 0,
          ),
        );
      });
  return holds;
}
