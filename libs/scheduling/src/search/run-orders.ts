import { BlockOrders } from './block-orders.js';
import type { CompiledProblem } from './compiled-problem.js';
import type { Decoder } from './decoder.js';
import { startKeys } from './imitation.js';

/**
 * Decodes several orders of runs, and leaves the best schedule decoded and kept; returns its order.
 *
 * @param shouldStop called after every decoding: true ends with the best so far
 */
export function constructInto(decoder: Decoder, shouldStop = (): boolean => false): Int32Array {
  const { compiled } = decoder;
  const orders = new BlockOrders(compiled);
  const best = new Int32Array(compiled.blocks);
  const order = new Int32Array(compiled.blocks);
  let least = Number.POSITIVE_INFINITY;
  let most = -1;
  const attempt = (keys: ArrayLike<number>): void => {
    if (most >= 0 && shouldStop()) return;
    orders.byKeys(keys, order);
    decoder.decode(order, 0);
    if (decoder.placedCount < most || (decoder.placedCount === most && decoder.objective >= least)) return;
    most = decoder.placedCount;
    least = decoder.objective;
    best.set(order);
  };
  const heads = blockHeads(compiled);
  for (const exponent of [0, 1, 2, 4]) {
    const { run, start } = runOrder(compiled, exponent);
    attempt(Float64Array.from({ length: compiled.blocks }, (_, block) => run[runOfBlock(compiled, block)]!));
    attempt(startKeys(compiled, decoder.placement.starts));
    attempt(
      Float64Array.from(
        { length: compiled.blocks },
        (_, block) => start[runOfBlock(compiled, block)]! + heads[block]!,
      ),
    );
  }
  decoder.decode(best, 0);
  decoder.keep();
  return best;
}

export function runOfBlock(compiled: CompiledProblem, block: number): number {
  return compiled.run[compiled.members.item[compiled.members.start[block]!]!]!;
}

/**
 * Orders runs by weight over their use of units, each unit weighted by its load to the power of `exponent`.
 *
 * @returns the position of each run, and its start if the most loaded units never idle
 */
export function runOrder(
  compiled: CompiledProblem,
  exponent: number,
): { run: Float64Array; start: Float64Array } {
  const { activities, slotStart, choiceStart, choiceUnit, choiceDuration, fixed, run } = compiled;
  const load = new Float64Array(compiled.units);
  const eachSlot = (use: (activity: number, unit: number, ticks: number) => void): void => {
    for (let activity = 0; activity < activities; activity++) {
      if (fixed[activity] === 1) continue;
      for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++) {
        const choices = choiceStart[slot + 1]! - choiceStart[slot]!;
        for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++)
          use(
            activity,
            choiceUnit[choice]!,
            Math.max(choiceDuration[choice]!, compiled.leastHold[slot]!) / choices,
          );
      }
    }
  };
  eachSlot((_, unit, ticks) => (load[unit]! += ticks));
  const most = load.reduce((a, b) => Math.max(a, b), 1);
  const price = load.map((each) => (each / most) ** exponent);
  const work = new Float64Array(compiled.runs);
  const bottleneck = load.indexOf(most);
  const share = new Float64Array(compiled.runs);
  eachSlot((activity, unit, ticks) => {
    work[run[activity]!]! += ticks * price[unit]!;
    if (unit === bottleneck) share[run[activity]!]! += ticks;
  });
  const sorted = Int32Array.from({ length: compiled.runs }, (_, each) => each).sort(
    (a, b) =>
      work[a]! / Math.max(compiled.weights[a]!, 1e-9) - work[b]! / Math.max(compiled.weights[b]!, 1e-9) ||
      a - b,
  );
  const place = new Float64Array(compiled.runs);
  const start = new Float64Array(compiled.runs);
  let moment = 0;
  sorted.forEach((each, at) => {
    place[each] = at;
    start[each] = moment;
    moment += share[each]!;
  });
  return { run: place, start };
}

/** The earliest start of each block with enough units. */
function blockHeads(compiled: CompiledProblem): Float64Array {
  const heads = new Float64Array(compiled.blocks);
  const ready = new Float64Array(compiled.activities);
  for (let block = 0; block < compiled.blocks; block++) {
    let head = Number.POSITIVE_INFINITY;
    for (let at = compiled.members.start[block]!; at < compiled.members.start[block + 1]!; at++) {
      const activity = compiled.members.item[at]!;
      let start = compiled.release[activity]!;
      for (let link = compiled.before.start[activity]!; link < compiled.before.start[activity + 1]!; link++)
        start = Math.max(start, ready[compiled.before.item[link]!]! + compiled.minLag[link]!);
      ready[activity] = start + compiled.shortest[activity]!;
      head = Math.min(head, start);
    }
    heads[block] = head;
  }
  return heads;
}
