import { objectiveOf, type Problem, type Schedule } from '../problem/problem.js';
import { SeededRandom } from '../problem/random.js';
import { improveShop } from '../shop/improve-shop.js';
import { isShop } from '../shop/shop.js';
import { componentsOf, merge, type Component } from './components.js';
import { chronologicalOf, dispatchInto } from './dispatch.js';
import { imitate, startKeys } from './imitation.js';
import { LargeNeighbourhoodSearch } from './large-neighbourhood-search.js';
import type { OrderDecoder } from './order-decoder.js';
import { decoderOf } from './rescue.js';
import { constructInto } from './run-orders.js';
import type { SearchOptions, SearchResult } from './search.js';

/** Most decodings for the imitation of the initial schedule. */
const imitations = 30;

/** Blocks to place between two calls of `shouldStop`: about a millisecond. */
const asked = 300;

/** Every n-th round uses the decoder whose best schedule is the worse one. */
const turnsOfLeader = 8;

interface Line {
  decoder: OrderDecoder;
  search: LargeNeighbourhoodSearch;
}

interface Part {
  component: Component;
  /** The decoder with the best schedule comes first. */
  lines: [Line, ...Line[]];
  rounds: number;
}

/**
 * Searches for better schedules until its rounds are over, it is told to stop, or the schedule is optimal. It searches
 * independent parts separately, larger parts more often. Activities without a place (see `construct`) stay without
 * one; a start in which all have a place is then returned unchanged.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function improve(problem: Problem, options: SearchOptions): SearchResult {
  if (isShop(problem)) return improveShop(problem, options);
  const parts = componentsOf(problem).map((component) => partOf(component, options));
  // A schedule that leaves something out looks better than a complete one.
  if (options.start !== undefined && isWhole(problem, options.start) && !parts.every(hasPlaces))
    return { schedule: options.start, rounds: 0, optimal: false };
  settleEnds(parts);
  let best = wholeOf(problem, parts);
  if (options.start !== undefined && options.start.objective <= best.objective) best = options.start;
  else options.onImprovement?.(best);
  const isBest = (): boolean => options.lowerBound !== undefined && best.objective <= options.lowerBound;
  const open = parts.filter((part) => blocksOf(part) > 1);
  const total = open.reduce((sum, part) => sum + blocksOf(part), 0);
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
    work += blocksOf(part);
    if (!roundOf(part)) continue;
    if (parts.length > 1) settleEnds(parts);
    if (sumOf(problem, parts) >= best.objective) continue;
    best = wholeOf(problem, parts);
    options.onImprovement?.(best);
  }
  // If everything is decided, there is only one schedule.
  const decided = parts.every((part) => blocksOf(part) === 0);
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
  const part: Part = {
    component,
    lines: [{ decoder, search: new LargeNeighbourhoodSearch(decoder, order, seed) }],
    rounds: 0,
  };
  const chronological = shouldStop() ? null : chronologicalOf(component.problem, decoder);
  if (chronological === null || shouldStop()) return part;
  const starts = start === undefined ? [] : [component.activities.map((activity) => start.starts[activity]!)];
  const keys = starts.map((each) => startKeys(chronological.compiled, each));
  const dispatched = dispatchInto(chronological, keys, shouldStop);
  if (chronological.placedCount < chronological.compiled.blocks) return part;
  const line: Line = {
    decoder: chronological,
    search: new LargeNeighbourhoodSearch(chronological, dispatched, seed),
  };
  if (decoder.placedCount < decoder.compiled.blocks) return { ...part, lines: [line] };
  // Most problems do better with blocks, and their search needs all of the time.
  if (chronological.objective >= decoder.objective) return part;
  part.lines.push(line);
  lead(part);
  return part;
}

function hasPlaces({ lines: [{ decoder }] }: Part): boolean {
  return decoder.placedCount === decoder.compiled.blocks;
}

function isWhole({ activities }: Problem, { units }: Schedule): boolean {
  return activities.every(({ slots }, index) => units[index]!.length === slots.length);
}

function lead({ lines }: Part): void {
  lines.sort((a, b) => a.search.bestValue - b.search.bestValue);
}

/** @returns whether the part found a schedule better than all before */
function roundOf(part: Part): boolean {
  const { lines } = part;
  const best = lines[0].search.bestValue;
  const other = ++part.rounds % turnsOfLeader === 0 ? lines[1] : undefined;
  const line = other ?? lines[0];
  if (!line.search.round() || line.search.bestValue >= best) return false;
  lead(part);
  return true;
}

function blocksOf({ lines }: Part): number {
  return lines[0].decoder.compiled.blocks;
}

/** Selects a part by a number below the number of blocks of all parts. */
function pick(parts: readonly Part[], number: number): Part {
  let rest = number;
  for (const part of parts) {
    rest -= blocksOf(part);
    if (rest < 0) return part;
  }
  return parts[0]!;
}

/** Tells every part the ends of the others. */
function settleEnds(parts: readonly Part[]): void {
  const ends = parts.map(({ lines }) => lines[0].search.bestMakespan);
  parts.forEach((part, own) => {
    const floor = ends.reduce((most, end, other) => (other === own ? most : Math.max(most, end)), 0);
    for (const { search } of part.lines) search.floor = floor;
    lead(part);
  });
}

function sumOf(problem: Problem, parts: readonly Part[]): number {
  const makespan = parts.reduce((most, { lines }) => Math.max(most, lines[0].search.bestMakespan), 0);
  return parts.reduce(
    (sum, { lines }) => sum + lines[0].search.bestWeightedCompletion,
    problem.makespanWeight * makespan,
  );
}

function wholeOf(problem: Problem, parts: readonly Part[]): Schedule {
  const merged = merge(
    problem.activities.length,
    parts.map(({ component, lines: [{ decoder, search }] }) => {
      search.decodeBest();
      return { component, schedule: decoder.schedule() };
    }),
  );
  return { ...merged, objective: objectiveOf(problem, merged.ends).total };
}
