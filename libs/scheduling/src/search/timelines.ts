import { refers, type CompiledProblem, type Ticks } from './compiled-problem.js';

/**
 * The times at which each unit is taken: disjoint intervals in order, with touching intervals joined. A unit can also
 * be kept since before the planning for activities without a place. It is then _open_: taken until it is closed, for
 * all slots but those that refer to the keeper.
 */
export class Timelines {
  private readonly counts: Int32Array;
  private readonly offset: Int32Array;
  private readonly from: Ticks;
  private readonly to: Ticks;
  private readonly openFrom: Ticks;
  /** `never` while open, otherwise the time at which it was released. */
  private readonly openEnd: Ticks;
  private readonly openSlot: Int32Array;
  private readonly never: number;
  /** The whole content, for copies. */
  readonly content: readonly Ticks[];
  /** End of the interval before the place that {@link fit} found last. */
  gapFrom = 0;

  constructor(private readonly compiled: CompiledProblem) {
    const room = new Int32Array(compiled.units);
    for (let choice = 0; choice < compiled.choiceUnit.length; choice++) room[compiled.choiceUnit[choice]!]!++;
    for (const activity of compiled.problem.activities)
      for (const unit of activity.fixed?.units ?? []) room[unit]!++;
    this.offset = new Int32Array(compiled.units + 1);
    for (let unit = 0; unit < compiled.units; unit++)
      this.offset[unit + 1] = this.offset[unit]! + room[unit]! + 2;
    this.counts = new Int32Array(compiled.units);
    this.from = compiled.ticks(this.offset[compiled.units]!);
    this.to = compiled.ticks(this.offset[compiled.units]!);
    this.never = compiled.never;
    this.openFrom = compiled.ticks(compiled.units).fill(this.never);
    this.openEnd = compiled.ticks(compiled.units);
    this.openSlot = new Int32Array(compiled.units).fill(-1);
    const { counts, from, to, openFrom, openEnd, openSlot } = this;
    this.content = [counts, from, to, openFrom, openEnd, openSlot];
  }

  /** Capacity for intervals of all units together. */
  get size(): number {
    return this.from.length;
  }

  /**
   * The earliest time from `earliest` on at which the unit is free for `length` ticks and at least until `until`;
   * `never` or later: none.
   *
   * @param slot the slot that needs the unit: it may have it while the unit is open
   */
  fit(unit: number, earliest: number, length: number, until: number, slot: number): number {
    const { from, to } = this;
    const base = this.offset[unit]!;
    const end = base + this.counts[unit]!;
    let moment = earliest;
    let low = base;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (to[middle]! <= moment) low = middle + 1;
      else high = middle;
    }
    while (low < end) {
      const last = moment + length;
      if (from[low]! >= (last > until ? last : until)) break;
      moment = to[low]!;
      low++;
    }
    this.gapFrom = low > base ? to[low - 1]! : 0;
    const openFrom = this.openFrom[unit]!;
    if (openFrom < this.never && !refers(this.compiled, slot, this.openSlot[unit]!)) {
      const openEnd = this.openEnd[unit]!;
      const last = moment + length;
      if (moment < openEnd && openFrom < (last > until ? last : until))
        return openEnd >= this.never ? this.never : this.fit(unit, openEnd, length, until, slot);
    }
    return moment;
  }

  /** Takes a unit from one time to another, even if parts of that are taken already. Both may be equal. */
  cover(unit: number, begin: number, finish: number): void {
    const { from, to } = this;
    const base = this.offset[unit]!;
    const count = this.counts[unit]!;
    const end = base + count;
    let low = base;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (to[middle]! < begin) low = middle + 1;
      else high = middle;
    }
    let beyond = low;
    while (beyond < end && from[beyond]! <= finish) beyond++;
    if (beyond === low) {
      from.copyWithin(low + 1, low, end);
      to.copyWithin(low + 1, low, end);
      from[low] = begin;
      to[low] = finish;
      this.counts[unit] = count + 1;
      return;
    }
    if (from[low]! > begin) from[low] = begin;
    const last = to[beyond - 1]!;
    to[low] = last > finish ? last : finish;
    if (beyond > low + 1) {
      from.copyWithin(low + 1, beyond, end);
      to.copyWithin(low + 1, beyond, end);
      this.counts[unit] = count - (beyond - low - 1);
    }
  }

  /** Keeps a unit for a slot from a time on, until {@link close}. The slot that refers to the others counts. */
  open(unit: number, begin: number, slot: number): void {
    const other = this.openSlot[unit]!;
    if (this.openFrom[unit]! >= this.never || refers(this.compiled, slot, other)) this.openSlot[unit] = slot;
    else if (slot !== other && !refers(this.compiled, other, slot)) this.openSlot[unit] = -1;
    if (begin < this.openFrom[unit]!) this.openFrom[unit] = begin;
    this.openEnd[unit] = this.never;
  }

  /** Sets the time at which an open unit is released; `never` undoes that. */
  close(unit: number, moment: number): void {
    this.openEnd[unit] = moment;
  }

  /** The end of the last interval of all units. */
  tail(): number {
    let last = 0;
    for (let unit = 0; unit < this.counts.length; unit++) {
      const count = this.counts[unit]!;
      if (count > 0) last = Math.max(last, this.to[this.offset[unit]! + count - 1]!);
      if (this.openFrom[unit]! < this.never && this.openEnd[unit]! < this.never)
        last = Math.max(last, this.openEnd[unit]!);
    }
    return last;
  }
}
