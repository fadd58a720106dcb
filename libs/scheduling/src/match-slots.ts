import type { PlanSlot } from './policy.js';

/**
 * Fills every slot with a candidate of its own, no unit twice. An earlier slot keeps its first choice unless another
 * slot could not be filled then. Augmenting paths find a filling whenever one exists, in at most slots x candidates
 * steps per slot, so that a large pool cannot stall the caller.
 *
 * @param candidatesOf the candidates of a slot, best first; may leave out unavailable ones
 * @returns slot name to unit; undefined: there is no filling
 */
export function matchSlots(
  slots: readonly PlanSlot[],
  candidatesOf: (slot: PlanSlot) => readonly string[] = (slot) => slot.candidates,
): Record<string, string> | undefined {
  const candidates = slots.map(candidatesOf);
  const slotOf = new Map<string, number>();

  const fill = (slot: number, tried: Set<string>): boolean => {
    const own = candidates[slot] ?? [];
    const free = own.find((unit) => !slotOf.has(unit));
    if (free !== undefined) {
      slotOf.set(free, slot);
      return true;
    }
    for (const unit of own) {
      if (tried.has(unit)) continue;
      tried.add(unit);
      const other = slotOf.get(unit);
      if (other !== undefined && fill(other, tried)) {
        slotOf.set(unit, slot);
        return true;
      }
    }
    return false;
  };

  for (const index of slots.keys()) if (!fill(index, new Set())) return undefined;
  const filled: [string, string][] = [];
  for (const [unit, index] of slotOf) filled.push([slots[index]?.name ?? '', unit]);
  return Object.fromEntries(filled);
}
