import type { Problem, Schedule } from '../problem/problem.js';
import { SeededRandom } from '../problem/random.js';
import type { SearchOptions, SearchResult } from '../search/search.js';
import { Budget } from './budget.js';
import { shopLowerBound } from './bound.js';
import { dispatch } from './dispatch.js';
import { Selection } from './selection.js';
import { shopOf, type Shop } from './shop.js';
import { TabuSearch } from './tabu.js';

// Measured on published instances of 100 to 300 operations, with the moves of some seconds.
const population = 5;
/** Moves without an improvement after which a tabu search ends. */
const patience = 2000;
/** Probability, per operation, that a crossing continues with the other parent: pieces of ten on average. */
const turning = 0.1;

/**
 * Improves a job shop or flexible job shop: tabu searches from dispatched schedules, then from crossings of the good
 * ones, which keep what both parents have in common (after Peng, Lu, Cheng 2015). A round is one move.
 *
 * @param problem must satisfy {@link isShop}
 */
export function improveShop(problem: Problem, options: SearchOptions): SearchResult {
  const shop = shopOf(problem);
  const random = new SeededRandom(options.seed);
  const budget = new Budget(options, Math.max(1, Math.floor(8192 / shop.operations)));
  const bound = Math.max(shopLowerBound(problem), (options.lowerBound ?? 0) / problem.makespanWeight);
  const best = options.start === undefined ? dispatch(shop, random) : selectionOf(shop, options.start);
  const tabu = new TabuSearch(shop, random);
  const report = () => {
    if (tabu.best.makespan >= best.makespan) return;
    best.copyFrom(tabu.best);
    options.onImprovement?.(scheduleOf(problem, best));
    if (best.makespan <= bound) budget.end();
  };
  const settle = (start: Selection): Selection => {
    tabu.run(start, patience, budget, report);
    const found = new Selection(shop);
    found.copyFrom(tabu.best);
    return found;
  };
  if (best.makespan <= bound) budget.end();
  while (!budget.over) {
    const elite = [settle(best)];
    while (elite.length < population && !budget.over) elite.push(settle(dispatch(shop, random)));
    let barren = 0;
    while (barren < 2 * population && !budget.over) {
      const [one, other] = pickTwo(elite, random);
      const child = settle(cross(one, other, random));
      barren = admit(elite, child) ? 0 : barren + 1;
    }
  }
  return { schedule: scheduleOf(problem, best), rounds: budget.rounds, optimal: best.makespan <= bound };
}

function pickTwo(elite: readonly Selection[], random: SeededRandom): [Selection, Selection] {
  const one = random.below(elite.length);
  const other = (one + 1 + random.below(elite.length - 1)) % elite.length;
  return [elite[one]!, elite[other]!];
}

/** Replaces the worst member by a child that is better and differs from all others. */
function admit(elite: Selection[], child: Selection): boolean {
  let worst = 0;
  elite.forEach((each, index) => {
    if (each.makespan >= elite[worst]!.makespan) worst = index;
  });
  if (child.makespan > elite[worst]!.makespan || elite.some((each) => distance(each, child) === 0))
    return false;
  const better = child.makespan < elite[worst]!.makespan;
  elite[worst] = child;
  return better;
}

/** Number of operations with another machine or another predecessor on it. */
function distance(one: Selection, other: Selection): number {
  let differing = 0;
  for (let each = 0; each < one.shop.operations; each++)
    if (one.machine[each] !== other.machine[each] || one.previous[each] !== other.previous[each]) differing++;
  return differing;
}

/**
 * A selection between two others: operations are taken, in random turns, from the front of either order, with their
 * machine there (precedence preservative crossing, Bierwirth, Mattfeld, Kopfer 1996). A common order is kept.
 */
function cross(one: Selection, other: Selection, random: SeededRandom): Selection {
  const { shop } = one;
  const size = shop.operations;
  const parents = [byStart(one), byStart(other)];
  const at = [0, 0];
  const taken = new Uint8Array(size);
  const order = new Int32Array(size);
  const machines = new Int32Array(size);
  let side = random.below(2);
  for (let filled = 0; filled < size; filled++) {
    if (random.next() < turning) side = 1 - side;
    const from = parents[side]!;
    while (taken[from[at[side]!]!] === 1) at[side]!++;
    const operation = from[at[side]!]!;
    taken[operation] = 1;
    order[filled] = operation;
    machines[operation] = (side === 0 ? one : other).machine[operation]!;
  }
  const child = new Selection(shop);
  child.assign(order, machines);
  return child;
}

/** Operations by their heads, which is also a topological order. */
function byStart({ head, order, position }: Selection): Int32Array {
  return Int32Array.from(order).sort((a, b) => head[a]! - head[b]! || position[a]! - position[b]!);
}

function selectionOf(shop: Shop, { starts, units }: Schedule): Selection {
  const rank = new Int32Array(shop.operations);
  shop.order.forEach((operation, index) => (rank[operation] = index));
  const order = Int32Array.from(shop.order).sort((a, b) => starts[a]! - starts[b]! || rank[a]! - rank[b]!);
  const selection = new Selection(shop);
  selection.assign(
    order,
    units.map(([machine]) => machine!),
  );
  return selection;
}

function scheduleOf(problem: Problem, { machine, head, duration, makespan }: Selection): Schedule {
  const { activities, makespanWeight } = problem;
  return {
    starts: activities.map((_, each) => head[each]!),
    ends: activities.map((_, each) => head[each]! + duration[each]!),
    units: activities.map((_, each) => [machine[each]!]),
    objective: makespanWeight * makespan,
  };
}
