import { refers, type CompiledProblem, type Ticks } from './compiled-problem.js';
import type { Timelines } from './timelines.js';

/**
 * The units that the current block takes until all of its activities have places: one item for every use and every
 * kept unit, by position in the block, so that the last ones can be taken back.
 */
export class BlockHoldings {
  count = 0;
  readonly unit: Int32Array;
  readonly from: Ticks;
  /** `never` for a unit that is kept until an unknown time. */
  readonly to: Ticks;
  readonly slot: Int32Array;
  /** Position of the activity in the order of members. */
  readonly member: Int32Array;
  /** 1: the slot keeps the unit; 0: the slot uses it. */
  readonly keeps: Uint8Array;

  constructor(
    private readonly compiled: CompiledProblem,
    private readonly timelines: Timelines,
  ) {
    const { blocks, members, slotStart, ticks } = compiled;
    let most = 0;
    for (let block = 0; block < blocks; block++) {
      let own = 0;
      for (let at = members.start[block]!; at < members.start[block + 1]!; at++)
        own += slotStart[members.item[at]! + 1]! - slotStart[members.item[at]!]!;
      most = Math.max(most, own);
    }
    this.unit = new Int32Array(2 * most);
    this.from = ticks(2 * most);
    this.to = ticks(2 * most);
    this.slot = new Int32Array(2 * most);
    this.member = new Int32Array(2 * most);
    this.keeps = new Uint8Array(2 * most);
  }

  add(unit: number, from: number, to: number, slot: number, member: number, keeps: number): void {
    const item = this.count++;
    this.unit[item] = unit;
    this.from[item] = from;
    this.to[item] = to;
    this.slot[item] = slot;
    this.member[item] = member;
    this.keeps[item] = keeps;
  }

  /** Removes the items of members from a position on. */
  dropFrom(member: number): void {
    while (this.count > 0 && this.member[this.count - 1]! >= member) this.count--;
  }

  /** Like {@link Timelines.fit}, but also avoids the items. */
  fit(unit: number, earliest: number, length: number, until: number, slot: number): number {
    let moment = this.timelines.fit(unit, earliest, length, until, slot);
    for (let item = 0; item < this.count; item++) {
      if (this.unit[item] !== unit || moment >= this.to[item]!) continue;
      const last = moment + length;
      if (this.from[item]! >= (last > until ? last : until)) continue;
      if (this.keeps[item] === 1 && refers(this.compiled, slot, this.slot[item]!)) continue;
      if (this.to[item]! >= this.compiled.never) return this.compiled.never;
      moment = this.timelines.fit(unit, this.to[item]!, length, until, slot);
      item = -1;
    }
    return moment;
  }

  /** Says whether the unit of an item can be kept until a moment. */
  lasts(item: number, until: number): boolean {
    const unit = this.unit[item]!;
    const from = this.from[item]!;
    const slot = this.slot[item]!;
    if (this.timelines.fit(unit, from, 0, until, slot) !== from) return false;
    for (let other = 0; other < this.count; other++) {
      if (this.unit[other] !== unit || this.member[other] === this.member[item]) continue;
      if (this.from[other]! >= until || this.to[other]! <= from) continue;
      if (refers(this.compiled, this.slot[other]!, slot)) continue;
      if (this.keeps[other] === 0 || !refers(this.compiled, slot, this.slot[other]!)) return false;
    }
    return true;
  }

  commit(): void {
    for (let item = 0; item < this.count; item++)
      this.timelines.cover(this.unit[item]!, this.from[item]!, this.to[item]!);
  }
}
