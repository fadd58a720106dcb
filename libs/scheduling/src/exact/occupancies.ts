import type { Problem } from '../problem/problem.js';
import { possibleDurations, type Timing } from './timing.js';

export interface Member {
  activity: number;
  slot: number;
  /** Activities that must end before another family gets the unit. */
  keeps: readonly number[];
}

/** Slots that get the same unit, because they refer to each other. */
export interface Family {
  /** The first member refers to no other; each further one refers to an earlier one, as {@link guestOf} says. */
  members: readonly Member[];
  /** Its candidate units; only one if a part of it has begun. */
  units: readonly number[];
  fixed: boolean;
  occupancies: readonly Occupancy[];
  /** Whether the first may use the unit while the second keeps it. */
  guestOf: (guest: Member, keeper: Member) => boolean;
}

/** A time in which no other family has the unit: from the start of its first member on. */
export interface Occupancy {
  first: Member;
  /** Activities that must end before it ends. None of them waits for another of them. */
  until: readonly number[];
  members: readonly Member[];
  keeps: boolean;
}

/**
 * Computes who has a unit when. An activity that certainly comes while its unit is kept for it belongs to the
 * occupancy of the keeper. So a chain of tasks that pass a unit on is a single time.
 */
export function familiesOf(problem: Problem, timing: Timing): Family[] {
  const roots = new Map<string, Member[]>();
  const parents = new Map<Member, Member | null>();
  const members = new Map<string, Member>();
  problem.activities.forEach(({ slots }, activity) =>
    slots.forEach(({ keptUntil }, slot) =>
      members.set(key({ activity, slot }), { activity, slot, keeps: keptUntil }),
    ),
  );
  for (const member of members.values()) {
    const { sameAs } = problem.activities[member.activity]!.slots[member.slot]!;
    parents.set(member, sameAs === null ? null : members.get(key(sameAs))!);
  }
  for (const member of members.values()) {
    let root = member;
    for (let up = parents.get(root); up != null; up = parents.get(root)) root = up;
    const family = roots.get(key(root)) ?? [];
    roots.set(key(root), root === member ? [root, ...family] : [...family, member]);
  }
  const guestOf = (guest: Member, keeper: Member): boolean => {
    for (let up = parents.get(guest); up != null; up = parents.get(up)) if (up === keeper) return true;
    return false;
  };
  return [...roots.values()].map((own) => {
    const decided = own.find(({ activity }) => problem.activities[activity]!.fixed !== null);
    const [root] = own;
    return {
      members: own,
      units:
        decided === undefined
          ? [...new Set(problem.activities[root!.activity]!.slots[root!.slot]!.units)]
          : [problem.activities[decided.activity]!.fixed!.units[decided.slot]!],
      fixed: decided !== undefined,
      occupancies: occupanciesOf(problem, timing, own, guestOf),
      guestOf,
    };
  });
}

function occupanciesOf(
  { activities }: Problem,
  { order, ancestors }: Timing,
  members: readonly Member[],
  guestOf: Family['guestOf'],
): Occupancy[] {
  const [only] = members;
  if (members.length === 1 && only!.keeps.length === 0)
    return [{ first: only!, members, until: [only!.activity], keeps: false }];
  const rank = new Map(
    members.length === 1 ? [] : order.map((activity, position) => [activity, position] as const),
  );
  const isFixed = ({ activity }: Member): boolean => activities[activity]!.fixed !== null;
  const comesAfter = (later: Member, first: Member): boolean =>
    isFixed(first)
      ? !isFixed(later) ||
        activities[later.activity]!.fixed!.start >= activities[first.activity]!.fixed!.start
      : ancestors(later.activity).has(first.activity);
  let open =
    members.length === 1
      ? [only!]
      : [...members].sort(
          (a, b) => Number(isFixed(b)) - Number(isFixed(a)) || rank.get(a.activity)! - rank.get(b.activity)!,
        );
  const occupancies: Occupancy[] = [];
  for (let first = open[0]; first !== undefined; first = open[0]) {
    const keeper = first;
    const own = [keeper];
    const until = new Set(keeper.keeps);
    open = open.slice(1);
    for (let joins = own; joins.length > 0;) {
      joins = open.filter(
        (member) =>
          guestOf(member, keeper) &&
          comesAfter(member, keeper) &&
          (until.has(member.activity) ||
            [...until].some((activity) => ancestors(activity).has(member.activity))),
      );
      own.push(...joins);
      joins.forEach(({ keeps }) => keeps.forEach((activity) => until.add(activity)));
      open = open.filter((member) => !joins.includes(member));
    }
    const ends = new Set([...own.map(({ activity }) => activity), ...until]);
    occupancies.push({
      first: keeper,
      members: own,
      until: [...ends].filter((activity) => ![...ends].some((other) => ancestors(other).has(activity))),
      keeps: until.size > 0,
    });
  }
  return occupancies;
}

/**
 * Divides the units into classes of interchangeable units, provided that each occupancy stays on one unit. Then
 * counting the units of a class in use is enough; they are dealt out afterwards from left to right. Decided ones all
 * begin at 0, which makes this exact.
 */
export function unitClasses(problem: Problem, families: readonly Family[]): number[] {
  const marks = Array.from({ length: problem.units }, () => [] as string[]);
  families.forEach((family, index) => {
    const apart = mustBeApart(problem, family);
    if (family.fixed && !apart) return;
    const timed = family.members.filter(
      ({ activity, slot }) => problem.activities[activity]!.slots[slot]!.durations !== undefined,
    );
    for (const unit of family.units) {
      const durations = timed.map(({ activity, slot }) => {
        const { units, durations = [] } = problem.activities[activity]!.slots[slot]!;
        return durations[units.indexOf(unit)];
      });
      marks[unit]?.push(`${index}:${apart ? unit : ''}:${durations.join()}`);
    }
  });
  const classes = new Map<string, number>();
  return marks.map((mark, unit) => {
    // A unit that nobody needs shares no class.
    const signature = mark.length === 0 ? `${unit}` : mark.join(' ');
    const known = classes.get(signature) ?? classes.size;
    classes.set(signature, known);
    return known;
  });
}

/** Its units cannot be dealt out later: it returns to a unit, reaches a decided one, or takes no time. */
function mustBeApart({ activities }: Problem, { occupancies, fixed }: Family): boolean {
  if (occupancies.length > 1) return true;
  const [only] = occupancies;
  const activity = activities[only!.first.activity]!;
  if (fixed) return activity.fixed === null || activity.fixed.start > 0;
  return possibleDurations(activity).includes(0);
}

function key({ activity, slot }: { activity: number; slot: number }): string {
  return `${activity}.${slot}`;
}
