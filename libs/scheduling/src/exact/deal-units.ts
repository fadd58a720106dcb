import type { Problem } from '../problem/problem.js';
import type { Family } from './occupancies.js';

export interface Deal {
  problem: Problem;
  families: readonly Family[];
  /** The class of each unit. */
  classOf: readonly number[];
  /** The class from which each family gets a unit. */
  chosen: readonly number[];
  starts: readonly number[];
  ends: readonly number[];
  /** The preferred unit for each slot of each activity. */
  wished: readonly (readonly number[])[];
}

/**
 * Gives each family one unit of its class, from left to right: the preferred unit, otherwise the one that was used
 * last. Units suffice, because a class has as many as are in use at a time (colouring of interval graphs).
 *
 * @returns a unit for each slot of each activity
 */
export function dealUnits({ problem, families, classOf, chosen, starts, ends, wished }: Deal): number[][] {
  const units = problem.activities.map(({ slots }) => slots.map(() => -1));
  const freeAt = new Float64Array(problem.units);
  const members: number[][] = [];
  classOf.forEach((unitClass, unit) => (members[unitClass] ??= []).push(unit));
  const stretches = families.map((family, index) => {
    const activities = family.occupancies.flatMap(({ members: own }) => own.map(({ activity }) => activity));
    const until = family.occupancies.flatMap((occupancy) => occupancy.until);
    return {
      family,
      from: Math.max(0, Math.min(...activities.map((activity) => starts[activity]!))),
      to: Math.max(...until.map((activity) => ends[activity]!)),
      candidates: family.fixed ? family.units : members[chosen[index]!]!,
    };
  });
  stretches.sort((a, b) => a.from - b.from || Number(b.family.fixed) - Number(a.family.fixed));
  for (const { family, from, to, candidates } of stretches) {
    const [first] = family.members;
    const wish = wished[first!.activity]?.[first!.slot] ?? -1;
    const free = candidates.filter((unit) => freeAt[unit]! <= from);
    // A class of one unit has no choice, and a family may return to it while it is kept.
    const unit =
      candidates.length === 1 || free.length === 0
        ? candidates[0]!
        : free.includes(wish)
          ? wish
          : free.reduce((best, candidate) => (freeAt[candidate]! > freeAt[best]! ? candidate : best));
    freeAt[unit] = Math.max(freeAt[unit]!, to);
    for (const { activity, slot } of family.members) units[activity]![slot] = unit;
  }
  return units;
}
