import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shopProblems } from '../shop-problems.js';
import { SeededRandom } from '../../src/problem/random.js';
import { dispatch } from '../../src/shop/dispatch.js';
import { Neighbourhood, type Direction } from '../../src/shop/neighbourhood.js';
import { Selection } from '../../src/shop/selection.js';
import { shopOf } from '../../src/shop/shop.js';

/** Longest paths of the graph of the machine sequences, computed from scratch. Undefined when the graph has a cycle. */
function longestPaths(selection: Selection) {
  const { shop, duration, previous, next } = selection;
  const size = shop.operations;
  const paths = (start: (each: number) => number, steps: (each: number) => [number, number][]) => {
    const known = new Map<number, number>();
    const open = new Set<number>();
    const to = (each: number): number => {
      const found = known.get(each);
      if (found !== undefined) return found;
      if (open.has(each)) throw new RangeError('cycle');
      open.add(each);
      const length = Math.max(start(each), ...steps(each).map(([other, lag]) => to(other) + lag));
      open.delete(each);
      known.set(each, length);
      return length;
    };
    return Array.from({ length: size }, (_, each) => to(each));
  };
  const links = ({ start, operation, lag }: typeof shop.before, each: number): [number, number][] =>
    Array.from({ length: start[each + 1]! - start[each]! }, (_, index) => {
      const at = start[each]! + index;
      return [operation[at]!, lag[at]!];
    });
  const beside = (neighbours: Int32Array, each: number): [number, number][] =>
    neighbours[each] === size ? [] : [[neighbours[each]!, 0]];
  try {
    const heads = paths(
      (each) => shop.releases[each]!,
      (each) =>
        [...links(shop.before, each), ...beside(previous, each)].map(([other, lag]) => [
          other,
          lag + duration[other]!,
        ]),
    );
    const rests = paths(
      () => 0,
      (each) =>
        [...links(shop.after, each), ...beside(next, each)].map(([other, lag]) => [
          other,
          lag + duration[other]!,
        ]),
    );
    const tails = rests.map((rest, each) => rest + duration[each]!);
    return { heads, tails, makespan: Math.max(...heads.map((head, each) => head + tails[each]!)) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function expectUpToDate(selection: Selection): void {
  const size = selection.shop.operations;
  const found = longestPaths(selection);
  expect([...selection.head.subarray(0, size)]).toEqual(found?.heads);
  expect([...selection.tail.subarray(0, size)]).toEqual(found?.tails);
  expect(selection.makespan).toBe(found?.makespan);
  for (let at = 0; at < size; at++) expect(selection.position[selection.order[at]!]).toBe(at);
}

/** A copy after the operation was moved, even when the result has a cycle. */
function forced(selection: Selection, operation: number, machine: number, behind: number) {
  const { shop } = selection;
  const size = shop.operations;
  const lists = Array.from({ length: shop.machines }, (_, each) => {
    const list: number[] = [];
    for (let at = selection.first[each]!; at !== size; at = selection.next[at]!)
      if (at !== operation) list.push(at);
    return list;
  });
  const list = lists[machine]!;
  list.splice(list.indexOf(behind) + 1, 0, operation);
  const after = new Selection(shop);
  after.copyFrom(selection);
  after.machine[operation] = machine;
  after.duration[operation] = after.durationOn(operation, machine);
  for (const each of lists)
    each.forEach((one, at) => {
      after.previous[one] = each[at - 1] ?? size;
      after.next[one] = each[at + 1] ?? size;
    });
  return after;
}

const operations = 9;
const problems = (least = 0) => fc.tuple(shopProblems(operations, 3, least), fc.integer());

describe('a selection', () => {
  it('keeps heads, tails and the topological order over any moves, and refuses exactly the moves that make a cycle', () => {
    const moves = fc.array(
      fc.record({ operation: fc.nat(operations - 1), choice: fc.nat(), behind: fc.nat() }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    let refused = 0;
    fc.assert(
      fc.property(problems(), moves, ([problem, seed], drawn) => {
        const shop = shopOf(problem);
        const selection = dispatch(shop, new SeededRandom(seed));
        expectUpToDate(selection);
        for (const { operation, choice, behind } of drawn) {
          const { units } = problem.activities[operation]!.slots[0]!;
          const machine = units[choice % units.length]!;
          const places = [operations];
          for (let at = selection.first[machine]!; at !== operations; at = selection.next[at]!)
            if (at !== operation) places.push(at);
          const place = places[behind % places.length]!;
          const possible = longestPaths(forced(selection, operation, machine, place)) !== undefined;
          expect(selection.move(operation, machine, place)).toBe(possible);
          if (!possible) refused++;
          else {
            expect(selection.machine[operation]).toBe(machine);
            expect(selection.previous[operation]).toBe(place);
          }
          expectUpToDate(selection);
        }
      }),
    );
    expect(refused).toBeGreaterThan(0);
  });
});

interface Told {
  operation: number;
  machine: number;
  behind: number;
  estimate: number;
  direction: Direction;
}

function neighboursOf(selection: Selection, random: SeededRandom): Told[] {
  const told: Told[] = [];
  new Neighbourhood(selection, random).explore({
    consider: (operation, machine, behind, estimate, direction) =>
      void told.push({ operation, machine, behind, estimate, direction }),
  });
  return told;
}

describe('the neighbourhood', () => {
  it('contains only moves without a cycle, each once, and for each swap the longest path through both operations', () => {
    const seen = { elsewhere: 0, later: 0, earlier: 0 };
    let swaps = 0;
    fc.assert(
      fc.property(problems(1), ([problem, seed]) => {
        const random = new SeededRandom(seed);
        const selection = dispatch(shopOf(problem), random);
        const told = neighboursOf(selection, random);
        const places = told.map(({ operation, machine, behind }) => `${operation} ${machine} ${behind}`);
        expect(new Set(places).size).toBe(told.length);
        for (const { operation, machine, behind, estimate, direction } of told) {
          seen[direction]++;
          const other = direction === 'later' ? behind : selection.previous[operation]!;
          const adjacent =
            (direction === 'later' && selection.next[operation] === behind) ||
            (direction === 'earlier' && selection.previous[other] === behind);
          const after = forced(selection, operation, machine, behind);
          const found = longestPaths(after);
          expect(found).toBeDefined();
          if (!adjacent) continue;
          swaps++;
          const through = [operation, other].map((each) => found!.heads[each]! + found!.tails[each]!);
          expect(estimate).toBe(Math.max(...through));
          expect(estimate).toBeLessThanOrEqual(found!.makespan);
        }
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.elsewhere, seen.later, seen.earlier, swaps)).toBeGreaterThan(0);
  });

  it('contains an improving move wherever one exists to another machine', () => {
    const problem = {
      activities: [0, 1].map(() => ({
        run: 0,
        duration: 5,
        release: 0,
        predecessors: [],
        follows: null,
        slots: [{ units: [0, 1], sameAs: null, keptUntil: [] }],
        fixed: null,
      })),
      units: 2,
      runs: [{ weight: 0 }],
      makespanWeight: 1,
    };
    const selection = new Selection(shopOf(problem));
    selection.assign([0, 1], [0, 0]);
    expect(selection.makespan).toBe(10);
    const told = neighboursOf(selection, new SeededRandom(1));
    expect(told.map(({ operation, machine, estimate }) => [operation, machine, estimate])).toEqual([
      [0, 1, 5],
      [1, 1, 5],
    ]);
  });
});
