import { BlockOrders } from './block-orders.js';
import type { CompiledProblem } from './compiled-problem.js';
import type { Decoder } from './decoder.js';

/** The earliest of the starts in each block. Blocks without numbers come last. */
export function startKeys(compiled: CompiledProblem, starts: ArrayLike<number>): Float64Array {
  const keys = new Float64Array(compiled.blocks).fill(Number.MAX_VALUE);
  for (let block = 0; block < compiled.blocks; block++)
    for (let at = compiled.members.start[block]!; at < compiled.members.start[block + 1]!; at++) {
      const start = starts[compiled.members.item[at]!]!;
      if (start < keys[block]!) keys[block] = start;
    }
  return keys;
}

/**
 * Finds an order whose decoding resembles an earlier schedule, and leaves it decoded and kept. It begins with the
 * order of starts, in which blocks of several activities may obstruct each other. Late blocks get an earlier place,
 * and others a later one, a few times. The best result wins among those that do not differ from the earlier schedule
 * sooner than the first one.
 *
 * @param rounds number of decodings after the first
 * @param shouldStop called after every decoding
 */
export function imitate(
  decoder: Decoder,
  starts: ArrayLike<number>,
  rounds: number,
  shouldStop = (): boolean => false,
): Int32Array {
  const { compiled, placement } = decoder;
  const { members } = compiled;
  const orders = new BlockOrders(compiled);
  const keys = startKeys(compiled, starts);
  const order = new Int32Array(compiled.blocks);
  const best = new Int32Array(compiled.blocks);
  let least = Number.POSITIVE_INFINITY;
  let placed = 0;
  let departure = 0;
  for (let round = 0; round <= rounds; round++) {
    orders.byKeys(keys, order);
    decoder.decode(order, 0);
    let sooner = Number.POSITIVE_INFINITY;
    for (let block = 0; block < compiled.blocks; block++) {
      let late = 0;
      const first = members.start[block]!;
      const end = members.start[block + 1]!;
      for (let at = first; at < end; at++) {
        const activity = members.item[at]!;
        const delay = placement.starts[activity]! - starts[activity]!;
        if (!Number.isFinite(delay)) continue;
        late += delay;
        if (delay !== 0 && starts[activity]! < sooner) sooner = starts[activity]!;
      }
      keys[block]! -= late / (end - first);
    }
    if (round === 0 || (sooner >= departure && decoder.placedCount >= placed && decoder.objective < least)) {
      if (round === 0) departure = sooner;
      least = decoder.objective;
      placed = decoder.placedCount;
      best.set(order);
    }
    if (sooner === Number.POSITIVE_INFINITY || shouldStop()) break;
  }
  decoder.decode(best, 0);
  decoder.keep();
  return best;
}
