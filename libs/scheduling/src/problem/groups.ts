/** Union and find over the numbers below `size`: `find` returns the same number for all of a set. */
export function disjointSets(size: number): {
  find: (item: number) => number;
  join: (one: number, other: number) => void;
} {
  const parent = Int32Array.from({ length: size }, (_, item) => item);
  const find = (item: number): number => {
    let root = item;
    while (parent[root] !== root) root = parent[root] = parent[parent[root]!]!;
    return root;
  };
  return { find, join: (one, other) => void (parent[find(one)] = find(other)) };
}

/** Items by a key, in the order of their first appearance. */
export function grouped<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Items behind those for which they wait, first in first out (Kahn 1962). Items in a circle are missing. */
export function inOrder(waits: readonly (readonly number[])[]): number[] {
  const open = waits.map(({ length }) => length);
  const after = waits.map((): number[] => []);
  waits.forEach((own, item) => own.forEach((other) => after[other]!.push(item)));
  const order = open.flatMap((count, item) => (count === 0 ? [item] : []));
  for (const item of order) for (const next of after[item]!) if (--open[next]! === 0) order.push(next);
  return order;
}
