/** Removes the oldest entries of a set or map until it has at most `most`. */
export function forgetOldest<Key>(kept: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}

/** Adds an id as the newest one, and removes the oldest ids beyond `most`. */
export function remember<Id>(ids: Set<Id>, id: Id, most: number): void {
  ids.delete(id);
  ids.add(id);
  forgetOldest(ids, most);
}
