import { disjointSets, grouped } from '../problem/groups.js';
import type { Problem } from '../problem/problem.js';

/**
 * Divides the undecided activities into blocks. A block is placed in one piece, before the next block. It joins
 * activities that a group, a greatest lag or a kept unit ties together, with everything between them. So the next
 * block always has room behind all others, and no two runs ever keep what the other needs.
 *
 * @param joined activities that belong together for another reason
 * @param holdsApart true: kept units do not join activities, for decoders that follow events
 * @returns blocks and their activities in orders that obey the precedences; and the blocks for which each block waits
 * @throws RangeError when precedences run in a circle
 */
export function partition(
  problem: Problem,
  joined: readonly number[],
  holdsApart = false,
): { blocks: number[][]; waits: number[][] } {
  const { activities } = problem;
  const precedences = activities.map(({ predecessors, follows, fixed }) => {
    if (fixed !== null) return [];
    const list = predecessors.map(({ activity }) => activity);
    if (follows !== null) list.push(follows);
    return list;
  });
  // An activity that must take the unit of another is placed after it. The other slots of that activity matter too.
  const wanted = activities.map(({ slots, fixed }, index) =>
    fixed !== null
      ? []
      : [
          ...precedences[index]!,
          ...slots.flatMap(({ sameAs }) =>
            sameAs === null || sameAs.activity === index ? [] : [sameAs.activity],
          ),
        ],
  );
  let waits = wanted;
  let sequence = topological(wanted);
  if (sequence === null) {
    waits = precedences;
    sequence = topological(precedences);
  }
  if (sequence === null) throw new RangeError('the precedences of the problem run in a circle');
  const position = new Int32Array(activities.length);
  sequence.forEach((activity, at) => (position[activity] = at));

  const sets = disjointSets(activities.length);
  const isOpen = (index: number): boolean => activities[index]!.fixed === null;
  const join = (one: number, other: number): void => {
    if (isOpen(one) && isOpen(other)) sets.join(one, other);
  };
  activities.forEach((activity, index) => {
    if (activity.follows !== null) join(index, activity.follows);
    for (const each of activity.predecessors) if (each.maxLag !== null) join(index, each.activity);
    if (holdsApart) return;
    for (const slot of activity.slots) slot.keptUntil.forEach((other) => join(index, other));
  });

  for (const activity of joined) join(activity, joined[0]!);

  // Groups that wait for each other are one block: activities between those of a group, and interleaving groups.
  for (const circle of circles(sets.find, waits)) for (const index of circle) join(index, circle[0]!);

  const blocks = [...grouped([...activities.keys()].filter(isOpen), sets.find).values()];
  for (const block of blocks) block.sort((a, b) => position[a]! - position[b]!);
  const blockOf = new Map(
    blocks.flatMap((block, index) => block.map((activity) => [activity, index] as const)),
  );
  const blockWaits = blocks.map((block, index) => [
    ...new Set(
      block.flatMap((activity) =>
        waits[activity]!.map((other) => blockOf.get(other)).filter(
          (other): other is number => other !== undefined && other !== index,
        ),
      ),
    ),
  ]);
  const order = topological(blockWaits);
  if (order === null) throw new Error('blocks wait for each other in a circle');
  const place = new Map(order.map((block, at) => [block, at]));
  return {
    blocks: order.map((block) => blocks[block]!),
    waits: order.map((block) => blockWaits[block]!.map((other) => place.get(other)!)),
  };
}

/** Items behind those for which they wait, lower numbers first; null when they wait in a circle. */
function topological(waits: readonly (readonly number[])[]): number[] | null {
  const count = waits.length;
  const order: number[] = [];
  const state = new Uint8Array(count);
  const stack: number[] = [];
  for (let first = 0; first < count; first++) {
    if (state[first] !== 0) continue;
    stack.push(first);
    while (stack.length > 0) {
      const item = stack[stack.length - 1]!;
      if (state[item] === 0) {
        state[item] = 1;
        for (const other of waits[item]!) {
          if (state[other] === 1) return null;
          if (state[other] === 0) stack.push(other);
        }
      } else {
        stack.pop();
        if (state[item] === 1) {
          state[item] = 2;
          order.push(item);
        }
      }
    }
  }
  return order;
}

/** Strongly connected components of more than one group (Tarjan 1972), each as one activity of every group in it. */
function circles(find: (index: number) => number, waits: readonly (readonly number[])[]): number[][] {
  const edges = new Map<number, Set<number>>();
  waits.forEach((others, index) => {
    const from = find(index);
    const list = edges.get(from) ?? new Set<number>();
    edges.set(from, list);
    for (const other of others) if (find(other) !== from) list.add(find(other));
  });
  const found: number[][] = [];
  const number = new Map<number, number>();
  const low = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  for (const first of edges.keys()) {
    if (number.has(first)) continue;
    const path = [{ node: first, rest: edges.get(first)!.values() }];
    enter(first);
    while (path.length > 0) {
      const { node, rest } = path[path.length - 1]!;
      const next = rest.next();
      if (next.done !== true) {
        if (!number.has(next.value)) {
          enter(next.value);
          path.push({ node: next.value, rest: edges.get(next.value)!.values() });
        } else if (isOpen.has(next.value)) low.set(node, Math.min(low.get(node)!, number.get(next.value)!));
        continue;
      }
      path.pop();
      const parent = path[path.length - 1];
      if (parent !== undefined) low.set(parent.node, Math.min(low.get(parent.node)!, low.get(node)!));
      if (low.get(node) !== number.get(node)) continue;
      const circle: number[] = [];
      for (let member = open.pop()!; ; member = open.pop()!) {
        isOpen.delete(member);
        circle.push(member);
        if (member === node) break;
      }
      if (circle.length > 1) found.push(circle);
    }
  }
  return found;

  function enter(node: number): void {
    number.set(node, number.size);
    low.set(node, number.get(node)!);
    open.push(node);
    isOpen.add(node);
  }
}
