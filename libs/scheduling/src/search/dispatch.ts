import type { Problem } from '../problem/problem.js';
import { BlockOrders } from './block-orders.js';
import { ChronologicalDecoder } from './chronological.js';
import { compile, type CompiledProblem } from './compiled-problem.js';
import type { Decoder } from './decoder.js';
import { runOfBlock, runOrder } from './run-orders.js';

/** A decoder that follows events; null: blocks are as good, because no unit is kept for long. */
export function chronologicalOf(problem: Problem, { compiled }: Decoder): ChronologicalDecoder | null {
  if (!problem.activities.some(({ slots }) => slots.some(({ keptUntil }) => keptUntil.length > 0)))
    return null;
  const apart = compile(problem, [], true);
  return apart.blocks > compiled.blocks ? new ChronologicalDecoder(apart) : null;
}

/**
 * Decodes the schedules of priority rules and leaves the best one decoded; returns its order. Where runs come to keep
 * what the others need, it allows fewer runs to keep units at a time.
 *
 * @param others further orders to try, as keys of blocks
 * @param shouldStop called after every decoding: true ends with the best so far
 */
export function dispatchInto(
  decoder: ChronologicalDecoder,
  others: readonly ArrayLike<number>[] = [],
  shouldStop = (): boolean => false,
): Int32Array {
  const { compiled } = decoder;
  const orders = new BlockOrders(compiled);
  const best = new Int32Array(compiled.blocks);
  const order = new Int32Array(compiled.blocks);
  let least = Number.POSITIVE_INFINITY;
  let most = -1;
  let mostHolding = Number.POSITIVE_INFINITY;
  for (const keys of [...others, ...priorityRules(compiled)]) {
    if (most >= 0 && shouldStop()) break;
    orders.byKeys(keys, order);
    decoder.mostHolding = Number.POSITIVE_INFINITY;
    decoder.decode(order);
    for (let holding = compiled.runs; decoder.placedCount < compiled.blocks && holding > 1;) {
      if (shouldStop()) break;
      holding = holding >>> 1;
      decoder.mostHolding = holding;
      decoder.decode(order);
    }
    if (decoder.placedCount < most || (decoder.placedCount === most && decoder.objective >= least)) continue;
    most = decoder.placedCount;
    least = decoder.objective;
    mostHolding = decoder.mostHolding;
    best.set(order);
  }
  decoder.mostHolding = mostHolding;
  decoder.decode(best);
  return best;
}

/** First come first served, least and most work remaining, weight over work (Panwalkar and Iskander 1977). */
function priorityRules(compiled: CompiledProblem): ArrayLike<number>[] {
  const { blocks, members, shortest, runs } = compiled;
  const work = Float64Array.from({ length: blocks }, (_, block) =>
    members.item
      .subarray(members.start[block], members.start[block + 1])
      .reduce((sum, member) => sum + shortest[member]!, 0),
  );
  const remaining = new Float64Array(blocks);
  const ofRun = new Float64Array(runs);
  for (let block = blocks - 1; block >= 0; block--)
    remaining[block] = ofRun[runOfBlock(compiled, block)]! += work[block]!;
  const byRun = (place: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length: blocks }, (_, block) => place[runOfBlock(compiled, block)]!);
  const first = Float64Array.from({ length: runs }, (_, run) => run);
  return [
    byRun(first),
    byRun(runOrder(compiled, 0).run),
    byRun(runOrder(compiled, 2).run),
    remaining,
    remaining.map((ticks) => -ticks),
  ];
}
