import type { Invariant } from '../../invariants/index.js';
import type { Schedule } from '../plan/schedule.js';
import { simulate } from './simulate.js';

/** Most schedules that are tried. */
const mostTries = 400;

/**
 * The smallest part of a schedule that was found to break one of the same invariants. Faults are removed first, in
 * halves and then one by one; then the actions of people.
 */
export async function shrink(
  schedule: Schedule,
  broken: ReadonlySet<Invariant>,
  play: typeof simulate = simulate,
): Promise<Schedule> {
  let tries = 0;
  const fails = async (candidate: Schedule): Promise<boolean> => {
    if ((tries += 1) > mostTries) return false;
    const { violations } = await play(candidate);
    return violations.some(({ invariant }) => broken.has(invariant));
  };
  const faults = await smallest(schedule.faults, (kept) => fails({ ...schedule, faults: kept }));
  const fewer = { ...schedule, faults };
  const acts = await smallest(schedule.acts, (kept) => fails({ ...fewer, acts: kept }));
  return { ...fewer, acts };
}

/** Removes as many items as possible while the rest still fails, from large pieces to single items. */
async function smallest<Item>(
  items: readonly Item[],
  fails: (kept: Item[]) => Promise<boolean>,
): Promise<Item[]> {
  let kept = [...items];
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await fails(rest)) kept = rest;
      else at += size;
    }
  }
  return kept;
}
