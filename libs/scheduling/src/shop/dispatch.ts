import type { SeededRandom } from '../problem/random.js';
import { Selection } from './selection.js';
import type { Shop } from './shop.js';

/**
 * A first selection: it repeatedly takes, at random, the available operation that would end first or has the longest
 * path behind it, on the machine on which it would end first. The time grows with operations x available operations.
 */
export function dispatch(shop: Shop, random: SeededRandom): Selection {
  const { operations, before, after, releases, choiceStart, choiceMachine, choiceDuration } = shop;
  const behind = workBehind(shop);
  const open = Int32Array.from(
    { length: operations },
    (_, each) => before.start[each + 1]! - before.start[each]!,
  );
  const ready = Float64Array.from(releases);
  const free = new Float64Array(shop.machines);
  const order = new Int32Array(operations);
  const machines = new Int32Array(operations);
  const waiting = [...shop.order].filter((each) => open[each] === 0);
  const taste = random.next();
  for (let filled = 0; filled < operations; filled++) {
    let picked = 0;
    let machine = -1;
    let end = 0;
    let least = Infinity;
    waiting.forEach((each, index) => {
      for (let at = choiceStart[each]!; at < choiceStart[each + 1]!; at++) {
        const on = choiceMachine[at]!;
        const done = Math.max(ready[each]!, free[on]!) + choiceDuration[at]!;
        const cost = done - taste * (0.5 + random.next()) * behind[each]!;
        if (cost >= least) continue;
        least = cost;
        [picked, machine, end] = [index, on, done];
      }
    });
    const operation = waiting[picked]!;
    waiting[picked] = waiting.at(-1)!;
    waiting.pop();
    order[filled] = operation;
    machines[operation] = machine;
    free[machine] = end;
    for (let link = after.start[operation]!; link < after.start[operation + 1]!; link++) {
      const next = after.operation[link]!;
      ready[next] = Math.max(ready[next]!, end + after.lag[link]!);
      if (--open[next]! === 0) waiting.push(next);
    }
  }
  const selection = new Selection(shop);
  selection.assign(order, machines);
  return selection;
}

/** Longest path from the start of each operation to the end, with the shortest durations. */
export function workBehind({ operations, order, after, choiceStart, choiceDuration }: Shop): Float64Array {
  const work = new Float64Array(operations);
  for (let at = operations - 1; at >= 0; at--) {
    const each = order[at]!;
    let most = 0;
    for (let link = after.start[each]!; link < after.start[each + 1]!; link++)
      most = Math.max(most, work[after.operation[link]!]! + after.lag[link]!);
    let least = Infinity;
    for (let choice = choiceStart[each]!; choice < choiceStart[each + 1]!; choice++)
      least = Math.min(least, choiceDuration[choice]!);
    work[each] = most + least;
  }
  return work;
}
