import type { Problem } from '../problem/problem.js';
import { workBehind } from './dispatch.js';
import { shopOf, type Shop } from './shop.js';

/** Beyond this number, pools are not united with each other for bounds. */
const unitedPools = 40;

/**
 * A lower bound in ticks of the makespan of a shop: the longest chain of precedences; and for every pool of machines
 * the work that only they can do, divided among them and interrupted freely, between the earliest start of each
 * operation and the minimum time after it (Jackson's preemptive schedule, as in Carlier 1982).
 */
export function shopLowerBound(problem: Problem): number {
  const shop = shopOf(problem);
  const tails = workBehind(shop);
  const least = leastDurations(shop);
  const heads = earliest(shop, least);
  let bound = 0;
  for (let each = 0; each < shop.operations; each++) bound = Math.max(bound, heads[each]! + tails[each]!);
  const choices = choicesOf(shop);
  for (const pool of pools(choices)) {
    const work = [];
    for (let each = 0; each < shop.operations; each++)
      if (choices[each]!.every((machine) => pool.has(machine)))
        work.push({
          head: heads[each]!,
          left: least[each]! / pool.size,
          // At best, the whole pool does its last part.
          tail: tails[each]! - least[each]!,
        });
    // Division may give slightly more than the integer that is meant.
    bound = Math.max(bound, Math.ceil(preemptive(work) - 1e-6));
  }
  return bound;
}

interface Work {
  head: number;
  left: number;
  tail: number;
}

/** The minimum of `max(end + tail)` on one preemptive machine, which always serves the longest tail. */
function preemptive(work: Work[]): number {
  const coming = work.sort((a, b) => b.head - a.head);
  const open: Work[] = [];
  let now = 0;
  let most = 0;
  while (coming.length > 0 || open.length > 0) {
    if (open.length === 0) now = Math.max(now, coming.at(-1)!.head);
    while (coming.length > 0 && coming.at(-1)!.head <= now) insert(open, coming.pop()!);
    const urgent = open.at(-1)!;
    const next = coming.at(-1)?.head ?? Infinity;
    const spent = Math.min(urgent.left, next - now);
    now += spent;
    urgent.left -= spent;
    if (now < next || urgent.left <= 0) {
      most = Math.max(most, now + urgent.tail);
      open.pop();
    }
  }
  return most;
}

/** Keeps the longest tail last. */
function insert(open: Work[], one: Work): void {
  let low = 0;
  let high = open.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (open[middle]!.tail <= one.tail) low = middle + 1;
    else high = middle;
  }
  open.splice(low, 0, one);
}

/** Every set of machines that can do an operation, unions of two overlapping sets, and the set of all machines. */
function pools(choices: readonly (readonly number[])[]): ReadonlySet<number>[] {
  const distinct = new Map<string, ReadonlySet<number>>();
  const add = (machines: Iterable<number>) => {
    const sorted = [...new Set(machines)].sort((a, b) => a - b);
    distinct.set(sorted.join(), new Set(sorted));
  };
  for (const machines of choices) add(machines);
  const own = [...distinct.values()];
  if (own.length <= unitedPools)
    for (const one of own)
      for (const other of own) if ([...one].some((machine) => other.has(machine))) add([...one, ...other]);
  add(choices.flat());
  return [...distinct.values()];
}

function choicesOf({ operations, choiceStart, choiceMachine }: Shop): number[][] {
  return Array.from({ length: operations }, (_, each) => [
    ...choiceMachine.subarray(choiceStart[each], choiceStart[each + 1]),
  ]);
}

function leastDurations({ operations, choiceStart, choiceDuration }: Shop): Float64Array {
  return Float64Array.from({ length: operations }, (_, each) =>
    Math.min(...choiceDuration.subarray(choiceStart[each], choiceStart[each + 1])),
  );
}

/** Starts that precedences and releases allow with the shortest durations. */
function earliest({ order, before, releases }: Shop, least: Float64Array): Float64Array {
  const heads = Float64Array.from(releases);
  for (const each of order)
    for (let link = before.start[each]!; link < before.start[each + 1]!; link++) {
      const other = before.operation[link]!;
      heads[each] = Math.max(heads[each]!, heads[other]! + least[other]! + before.lag[link]!);
    }
  return heads;
}
