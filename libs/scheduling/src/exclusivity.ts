import { grouped } from './problem/groups.js';

/** A use of a unit. All times are on the same scale. */
export interface Stay {
  unit: string | number;
  start: number;
  /** End of the use. */
  end: number;
  /** Until then only those who may share the unit get it; {@link end} when it is not kept. */
  keptUntil: number;
  /** True if it is decided already: two such stays are not compared. */
  fixed: boolean;
  /** Among stays that begin and end together, lower ranks come first. */
  rank: number;
}

/** Two stays that exclude each other; `second` begins no earlier. */
export interface Collision<S extends Stay> {
  first: S;
  second: S;
  /** `overlap`: both use the unit at the same time; `kept`: the first keeps it for others. */
  kind: 'overlap' | 'kept';
}

/**
 * Finds stays that use a unit while another stay uses it or keeps it for others. A stay of length zero collides with
 * stays around it, but not with stays that begin or end at that time. Of several collisions of a unit at a time, at
 * least one is named.
 *
 * @param mayShare whether `guest` may use the unit while `keeper` keeps it
 */
export function collisions<S extends Stay>(
  stays: readonly S[],
  mayShare: (keeper: S, guest: S) => boolean,
): Collision<S>[] {
  const found: Collision<S>[] = [];
  for (const own of grouped(stays, ({ unit }) => unit).values()) {
    let latest: S | undefined;
    let latestFree: S | undefined;
    let keepers: S[] = [];
    for (const stay of own.sort((a, b) => a.start - b.start || a.end - b.end || a.rank - b.rank)) {
      const before = stay.fixed ? latestFree : latest;
      if (before !== undefined && stay.start < before.end)
        found.push({ first: before, second: stay, kind: 'overlap' });
      keepers = keepers.filter((keeper) => keeper.keptUntil > stay.start);
      for (const keeper of keepers)
        if (
          !(keeper.fixed && stay.fixed) &&
          stay.start >= keeper.end &&
          Math.max(stay.end, stay.keptUntil) > keeper.start &&
          !mayShare(keeper, stay)
        )
          found.push({ first: keeper, second: stay, kind: 'kept' });
      if (latest === undefined || stay.end > latest.end) latest = stay;
      if (!stay.fixed && (latestFree === undefined || stay.end > latestFree.end)) latestFree = stay;
      if (stay.keptUntil > stay.end) keepers.push(stay);
    }
  }
  return found;
}
