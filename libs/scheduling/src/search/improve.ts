import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';
import { SeededRandom } from '../problem/random.js';
import { improveShop } from '../shop/improve-shop.js';
import { isShop } from '../shop/shop.js';
import { componentsOf, merge, type Component } from './components.js';
import type { Decoder } from './decoder.js';
import { imitate } from './imitation.js';
import { LargeNeighbourhoodSearch } from './large-neighbourhood-search.js';
import { decoderOf } from './rescue.js';
import { constructInto } from './run-orders.js';
import type { SearchOptions, SearchResult } from './search.js';

/** Decodings that may be spent on coming near to the schedule that is to be improved. */
const imitations = 30;

/** Blocks to be placed between two questions whether to stop: about a millisecond. */
const asked = 300;

interface Part {
  component: Component;
  decoder: Decoder;
  search: LargeNeighbourhoodSearch;
}

/**
 * Looks for better schedules until it has made its rounds, is told to stop, or knows that there are none. Parts of the
 * problem that have nothing to do with each other are searched apart, the more often the larger they are.
 *
 * Activities without a place (see `construct`) stay without one.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function improve(problem: Problem, options: SearchOptions): SearchResult {
  if (isShop(problem)) return improveShop(problem, options);
  const parts = componentsOf(problem).map((component) => partOf(component, options));
  settleEnds(parts);
  let best = wholeOf(problem, parts);
  if (options.start !== undefined && options.start.objective <= best.objective) best = options.start;
  else options.onImprovement?.(best);
  const isBest = (): boolean => options.lowerBound !== undefined && best.objective <= options.lowerBound;
  const open = parts.filter(({ decoder }) => decoder.compiled.blocks > 1);
  const total = open.reduce((sum, { decoder }) => sum + decoder.compiled.blocks, 0);
  const turns = new SeededRandom(options.seed);
  let rounds = 0;
  let work = asked;
  while (open.length > 0 && rounds !== options.rounds && !isBest()) {
    if (work >= asked) {
      if (options.shouldStop()) break;
      work = 0;
    }
    rounds++;
    const part = open.length === 1 ? open[0]! : pick(open, turns.below(total));
    work += part.decoder.compiled.blocks;
    if (!part.search.round()) continue;
    if (parts.length > 1) settleEnds(parts);
    if (sumOf(problem, parts) >= best.objective) continue;
    best = wholeOf(problem, parts);
    options.onImprovement?.(best);
  }
  // Where everything is decided already there is one schedule.
  const decided = parts.every(({ decoder }) => decoder.compiled.blocks === 0);
  return { schedule: best, rounds, optimal: decided || isBest() };
}

function partOf(component: Component, { start, seed, shouldStop }: SearchOptions): Part {
  const decoder = decoderOf(component.problem);
  let order = constructInto(decoder, shouldStop);
  if (start !== undefined) {
    const { objective } = decoder;
    const starts = component.activities.map((activity) => start.starts[activity]!);
    const imitated = imitate(decoder, starts, imitations, shouldStop);
    if (decoder.objective < objective) order = imitated;
    else {
      decoder.decode(order, 0);
      decoder.keep();
    }
  }
  return { component, decoder, search: new LargeNeighbourhoodSearch(decoder, order, seed) };
}

/** One of the parts, by a number less than the blocks of all of them. */
function pick(parts: readonly Part[], number: number): Part {
  let rest = number;
  for (const part of parts) {
    rest -= part.decoder.compiled.blocks;
    if (rest < 0) return part;
  }
  return parts[0]!;
}

/** Tells every part when the others end. */
function settleEnds(parts: readonly Part[]): void {
  const ends = parts.map(({ search }) => search.bestMakespan);
  parts.forEach(({ search }, own) =>
    search.endAtLeast(ends.reduce((most, end, other) => (other === own ? most : Math.max(most, end)), 0)),
  );
}

/** Objective of the best schedules of all parts together. */
function sumOf(problem: Problem, parts: readonly Part[]): number {
  const makespan = parts.reduce((most, { search }) => Math.max(most, search.bestMakespan), 0);
  return parts.reduce(
    (sum, { search }) => sum + search.bestWeightedCompletion,
    problem.makespanWeight * makespan,
  );
}

function wholeOf(problem: Problem, parts: readonly Part[]): Schedule {
  const merged = merge(
    problem.activities.length,
    parts.map(({ component, decoder, search }) => {
      search.decodeBest();
      return { component, schedule: decoder.schedule() };
    }),
  );
  return { ...merged, objective: objectiveOf(problem, merged.ends).total };
}
