import type { Problem } from '../problem/problem.js';
import { SeededRandom } from '../problem/random.js';
import { allOf, type Steps } from '../steps.js';
import { compile, compiledOf, type CompiledProblem } from './compiled-problem.js';
import { Decoder } from './decoder.js';
import type { Placement } from './placement.js';

/** Most attempts for one block and for a whole problem, so that an impossible problem is recognised soon. */
const attemptsOfBlock = 300;
const attemptsOfAll = 3_000;

/**
 * A decoder that places every block of a problem, if a place for all of them was found. If a block stays without a
 * place, other orders of its activities and other units are tried at random, and a success is kept. Blocks that can
 * make room for each other only together, because each needs a unit that another keeps, become one block.
 *
 * @throws RangeError when precedences, or references to units, run in a circle
 */
export function decoderOf(problem: Problem): Decoder {
  return allOf(decoderInSteps(problem));
}

/** Like {@link decoderOf}, in steps of a few milliseconds for a thousand activities, if nothing needs rescue. */
export function* decoderInSteps(problem: Problem): Steps<Decoder> {
  const random = new SeededRandom(1);
  let attempts = attemptsOfAll;
  let decoder = new Decoder(compiledOf(problem));
  let most = -1;
  let best = decoder;
  for (const joined = new Set<number>(); ;) {
    const { compiled, placement } = decoder;
    yield;
    const order = Int32Array.from({ length: compiled.blocks }, (_, block) => block);
    decoder.decode(order, 0);
    for (let helped = true; helped && decoder.placedCount < compiled.blocks;) {
      helped = false;
      for (const block of stuck(decoder)) {
        const before = attempts;
        for (let nth = 0; nth < attemptsOfBlock && attempts > 0 && !helped; nth++, attempts--) {
          vary(compiled, placement, block, random);
          helped = placement.place(block);
        }
        if (helped) break;
        if (before !== attempts) unvary(compiled, placement, block);
      }
      if (helped) decoder.decode(order, 0);
    }
    const places = placedActivities(decoder);
    if (places > most) {
      most = places;
      best = decoder;
    }
    const first = stuck(decoder);
    if (decoder.placedCount === compiled.blocks || first.length < 2 || attempts <= 0) break;
    const size = joined.size;
    for (const block of first) for (const member of membersOf(compiled, block)) joined.add(member);
    if (joined.size === size) break;
    decoder = new Decoder(compile(problem, [...joined]));
  }
  return best;
}

function membersOf({ members }: CompiledProblem, block: number): Int32Array {
  return members.item.subarray(members.start[block], members.start[block + 1]);
}

function placedActivities({ compiled, placed, placedCount }: Decoder): number {
  return placed.subarray(0, placedCount).reduce((sum, block) => sum + membersOf(compiled, block).length, 0);
}

/** Blocks without a place that wait for no other such block. */
function stuck({ compiled, placed, placedCount }: Decoder): number[] {
  const { blocksBefore } = compiled;
  const has = new Set(placed.subarray(0, placedCount));
  return Array.from({ length: compiled.blocks }, (_, block) => block).filter(
    (block) =>
      !has.has(block) &&
      blocksBefore.item
        .subarray(blocksBefore.start[block], blocksBefore.start[block + 1])
        .every((other) => has.has(other)),
  );
}

/** Another order of the activities of a block that obeys the precedences, with fewer candidate units. */
function vary(compiled: CompiledProblem, placement: Placement, block: number, random: SeededRandom): void {
  const { before, slotStart, choiceStart, blockOf } = compiled;
  const open = [...membersOf(compiled, block)];
  const done = new Set<number>();
  for (let at = compiled.members.start[block]!; open.length > 0; at++) {
    const ready = open.filter((member) =>
      before.item
        .subarray(before.start[member], before.start[member + 1])
        .every((other) => blockOf[other] !== block || done.has(other)),
    );
    const next = ready[random.below(ready.length)]!;
    placement.order[at] = next;
    done.add(next);
    open.splice(open.indexOf(next), 1);
    for (let slot = slotStart[next]!; slot < slotStart[next + 1]!; slot++) {
      const first = choiceStart[slot]!;
      const end = choiceStart[slot + 1]!;
      const only = random.below(2) === 0 ? first + random.below(end - first) : -1;
      for (let choice = first; choice < end; choice++)
        placement.allowed[choice] = only < 0 || choice === only ? compiled.possible[choice]! : 0;
    }
  }
}

function unvary(compiled: CompiledProblem, placement: Placement, block: number): void {
  const { members, slotStart, choiceStart } = compiled;
  for (let at = members.start[block]!; at < members.start[block + 1]!; at++) {
    const member = members.item[at]!;
    placement.order[at] = member;
    for (
      let choice = choiceStart[slotStart[member]!]!;
      choice < choiceStart[slotStart[member + 1]!]!;
      choice++
    )
      placement.allowed[choice] = compiled.possible[choice]!;
  }
}
