import type { Problem } from '../problem/problem.js';
import { improveShop } from '../shop/improve-shop.js';
import { isShop } from '../shop/shop.js';
import { BlockOrders } from './block-orders.js';
import { LargeNeighbourhoodSearch } from './large-neighbourhood-search.js';
import { decoderOf } from './rescue.js';
import { constructInto, startKeys } from './run-orders.js';
import type { SearchOptions, SearchResult } from './search.js';

/**
 * Looks for better schedules until it has made its rounds or is told to stop.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function improve(problem: Problem, options: SearchOptions): SearchResult {
  if (isShop(problem)) return improveShop(problem, options);
  const decoder = decoderOf(problem);
  let order = constructInto(decoder);
  let schedule = decoder.schedule();
  if (options.start !== undefined) {
    const own = new Int32Array(order.length);
    new BlockOrders(decoder.compiled).byKeys(startKeys(decoder.compiled, options.start.starts), own);
    decoder.decode(own, 0);
    if (options.start.objective < schedule.objective) schedule = { ...options.start, unplaced: [] };
    if (decoder.weightedCompletion + problem.makespanWeight * decoder.makespan < schedule.objective)
      order = own;
    decoder.decode(order, 0);
    decoder.keep();
  }
  // Everything is decided already: there is one schedule.
  if (decoder.compiled.blocks === 0) return { schedule, rounds: 0, optimal: true };
  const search = new LargeNeighbourhoodSearch(decoder, order, options.seed);
  let rounds = 0;
  while (rounds !== options.rounds && !options.shouldStop()) {
    rounds++;
    if (!search.round() || search.bestValue >= schedule.objective) continue;
    schedule = decoder.schedule();
    options.onImprovement?.(schedule);
    if (options.lowerBound !== undefined && schedule.objective <= options.lowerBound) break;
  }
  return {
    schedule,
    rounds,
    optimal: options.lowerBound !== undefined && schedule.objective <= options.lowerBound,
  };
}
