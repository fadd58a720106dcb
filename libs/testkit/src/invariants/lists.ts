const finalStates = new Set(['completed', 'failed', 'cancelled', 'skipped', 'never_ran']);

/** Whether no state follows. */
export const isFinal = (state: string | undefined): boolean => finalStates.has(state ?? '');

/** The items by a key, in their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
