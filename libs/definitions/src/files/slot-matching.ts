/**
 * Assigns each slot a candidate of its own.
 *
 * @param candidates slot to the names of its candidates
 * @returns the slots without a candidate in a largest possible assignment; earlier slots are served first
 */
export function unfilledSlots(candidates: ReadonlyMap<string, readonly string[]>): string[] {
  const holder = new Map<string, string>();
  const place = (slot: string, tried: Set<string>): boolean => {
    for (const candidate of candidates.get(slot) ?? []) {
      if (tried.has(candidate)) continue;
      tried.add(candidate);
      const present = holder.get(candidate);
      if (present !== undefined && !place(present, tried)) continue;
      holder.set(candidate, slot);
      return true;
    }
    return false;
  };
  return [...candidates.keys()].filter((slot) => !place(slot, new Set()));
}
