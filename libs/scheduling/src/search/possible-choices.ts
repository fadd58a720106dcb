interface Slots {
  readonly slotStart: Int32Array;
  readonly choiceStart: Int32Array;
  readonly choiceUnit: Int32Array;
  readonly slotClass: Int32Array;
  readonly classes: number;
  readonly fixed: Uint8Array;
}

/** 1 for each unit that leaves a filling of the other slots to all activities that must take it, else 0. */
export function possibleChoices(slots: Slots): Uint8Array {
  const { slotStart, choiceStart, choiceUnit, slotClass, classes, fixed } = slots;
  const possible = new Uint8Array(choiceUnit.length).fill(1);
  for (let changed = classes > 0; changed;) {
    changed = false;
    const excluded = Array.from({ length: classes }, () => new Set<number>());
    for (let activity = 0; activity < fixed.length; activity++) {
      const first = slotStart[activity]!;
      const end = slotStart[activity + 1]!;
      if (fixed[activity] === 1 || end - first < 2) continue;
      for (let slot = first; slot < end; slot++)
        for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++)
          if (possible[choice] === 1 && !fills(slots, possible, first, end, slot, choice, new Set()))
            possible[choice] = 0;
    }
    for (let activity = 0; activity < fixed.length; activity++)
      for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++)
        if (slotClass[slot]! >= 0 && fixed[activity] === 0)
          for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++)
            if (possible[choice] === 0) excluded[slotClass[slot]!]!.add(choiceUnit[choice]!);
    for (let slot = 0; slot < slotClass.length; slot++)
      if (slotClass[slot]! >= 0)
        for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++)
          if (possible[choice] === 1 && excluded[slotClass[slot]!]!.has(choiceUnit[choice]!)) {
            possible[choice] = 0;
            changed = true;
          }
  }
  return possible;
}

/** Says whether the slots from `slot` on can get a unit each, none twice, when one of them has a given choice. */
function fills(
  slots: Slots,
  possible: Uint8Array,
  slot: number,
  end: number,
  given: number,
  choice: number,
  taken: Set<number>,
): boolean {
  if (slot === end) return true;
  const { choiceStart, choiceUnit } = slots;
  for (let each = choiceStart[slot]!; each < choiceStart[slot + 1]!; each++) {
    const unit = choiceUnit[each]!;
    if (possible[each] === 0 || (slot === given && each !== choice) || taken.has(unit)) continue;
    taken.add(unit);
    if (fills(slots, possible, slot + 1, end, given, choice, taken)) return true;
    taken.delete(unit);
  }
  return false;
}
