import type { CompiledProblem, Ticks } from './compiled-problem.js';
import { BlockHoldings } from './block-holdings.js';
import { endOffset } from './compiled-problem.js';
import { JointFit } from './joint-fit.js';
import { OpenUnits } from './open-units.js';
import { Timelines } from './timelines.js';

/** A copy of a placement at one moment of a decoding, without the times and units of activities. */
export type RecordedPlacement = readonly Ticks[];

/** Changes of the lower bounds of one block after which it is placed behind all others instead. */
const patience = 60;

/**
 * Places blocks one after the other, each where it ends as early as possible in the remaining room: the serial
 * generation scheme (Kolisch 1996) with insertion into gaps, for blocks of activities with exact and greatest lags.
 * Within a block each activity gets its earliest start. If that breaks a lag or overlaps the end of a gap of a kept
 * unit, an earlier activity gets a later bound and is placed again, so bounds only rise (Bartusch, Möhring and
 * Radermacher 1988).
 */
export class Placement {
  readonly starts: Ticks;
  readonly ends: Ticks;
  /** The unit of each slot. */
  readonly units: Int32Array;
  readonly timelines: Timelines;
  /** Activities of all blocks in the order of placement. */
  readonly order: Int32Array;
  /** 0 for forbidden choices. */
  readonly allowed: Uint8Array;
  /** The unit of each class of slots, or -1. */
  readonly classUnit: Int32Array;
  private readonly openUnits: OpenUnits;
  private readonly holdings: BlockHoldings;
  private readonly setClass: Int32Array;
  private readonly setMember: Int32Array;
  private sets = 0;

  private readonly position: Int32Array;
  private readonly leastEnd: Ticks;
  /** Times until which slots must at least be able to keep their units. */
  readonly holdUntil: Ticks;
  private floor = 0;
  private latest = 0;
  private readonly joint: JointFit;
  private readonly best: Int32Array;
  private readonly content: readonly Ticks[];

  constructor(readonly compiled: CompiledProblem) {
    const { ticks, activities, problem } = compiled;
    const slots = compiled.slotActivity.length;
    this.starts = ticks(activities);
    this.ends = ticks(activities);
    this.units = new Int32Array(slots).fill(-1);
    this.timelines = new Timelines(compiled);
    this.order = compiled.members.item.slice();
    this.allowed = compiled.possible.slice();
    this.classUnit = new Int32Array(compiled.classes).fill(-1);
    this.holdings = new BlockHoldings(compiled, this.timelines);
    this.setClass = new Int32Array(compiled.classes);
    this.setMember = new Int32Array(compiled.classes);
    this.position = new Int32Array(activities).fill(-1);
    this.leastEnd = ticks(activities);
    this.holdUntil = ticks(slots);
    this.joint = new JointFit(compiled, this.holdings, this);
    this.best = new Int32Array(slots);
    problem.activities.forEach((_, activity) => this.pin(activity));
    this.openUnits = new OpenUnits(compiled, this.timelines, this.ends);
    this.content = [...this.timelines.content, this.classUnit, this.openUnits.pending];
  }

  copy(): RecordedPlacement {
    return this.content.map((array) => array.slice());
  }

  record(into: RecordedPlacement): void {
    this.content.forEach((array, at) => into[at]!.set(array));
  }

  restore(recorded: RecordedPlacement): void {
    this.content.forEach((array, at) => array.set(recorded[at]!));
  }

  /** @returns false when there is no room for the block while others have no place; nothing has then changed */
  place(block: number): boolean {
    const { members } = this.compiled;
    const first = members.start[block]!;
    const end = members.start[block + 1]!;
    const { order, position, compiled } = this;
    this.holdings.count = 0;
    this.sets = 0;
    this.floor = 0;
    this.unbind(first, end);
    let changes = 0;
    let limit = -1;
    let behind = false;
    let at = first;
    while (at < end) {
      const activity = order[at]!;
      let back = -1;
      if (this.seat(activity)) {
        position[activity] = at;
        this.take(activity, at);
        back = this.starts[activity]! > this.latest ? this.delay(activity, at) : this.settle(at);
        if (back === at + 1) {
          at++;
          continue;
        }
      }
      if (limit < 0) limit = this.behindAll(block);
      changes++;
      if (back >= 0 && changes < (behind ? 20 * patience : patience) && this.bounded(first, end, limit)) {
        this.drop(back, at);
        at = back;
        continue;
      }
      this.drop(first, at);
      if (behind) return false;
      // Behind all others no gap ends: the block gets its places there, or never.
      behind = true;
      this.floor = limit;
      limit += 2 * compiled.span[block]! + 1;
      this.unbind(first, end);
      at = first;
    }
    this.holdings.commit();
    return true;
  }

  /** Finds the earliest end of an activity, records its start and units, and sets `latest` to its latest start. */
  private seat(activity: number): boolean {
    const { before, minLag, maxLag, release, slotStart, choiceStart, choiceUnit, choiceDuration, never } =
      this.compiled;
    const { ends } = this;
    let earliest = release[activity]!;
    if (this.floor > earliest) earliest = this.floor;
    let latest = never;
    for (let link = before.start[activity]!, stop = before.start[activity + 1]!; link < stop; link++) {
      const end = ends[before.item[link]!]!;
      const ready = end + minLag[link]!;
      if (ready > earliest) earliest = ready;
      if (maxLag[link]! < never && end + maxLag[link]! < latest) latest = end + maxLag[link]!;
    }
    this.latest = latest;
    const slot = slotStart[activity]!;
    const slots = slotStart[activity + 1]! - slot;
    if (slots !== 1) return this.seatOnSeveral(activity, earliest, latest);

    const leastEnd = this.leastEnd[activity]!;
    const hold = this.compiled.leastHold[slot]!;
    const until = this.holdUntil[slot]!;
    const slotClass = this.compiled.slotClass[slot]!;
    const pinned = slotClass >= 0 ? this.classUnit[slotClass]! : -1;
    let bestUnit = -1;
    let bestStart = never;
    let bestEnd = never;
    let bestGap = 0;
    for (let choice = choiceStart[slot]!, stop = choiceStart[slot + 1]!; choice < stop; choice++) {
      const unit = choiceUnit[choice]!;
      if ((pinned >= 0 && unit !== pinned) || this.allowed[choice] === 0) continue;
      const duration = choiceDuration[choice]!;
      const from = leastEnd - duration > earliest ? leastEnd - duration : earliest;
      const start = this.holdings.fit(unit, from, duration > hold ? duration : hold, until, slot);
      if (start >= never) continue;
      const end = start + duration;
      const gap = start - this.timelines.gapFrom;
      if (bestUnit >= 0) {
        if (bestStart > latest ? start > bestStart : start > latest || end > bestEnd) continue;
        if (start === bestStart && end === bestEnd && gap >= bestGap) continue;
      }
      bestUnit = unit;
      bestStart = start;
      bestEnd = end;
      bestGap = gap;
    }
    if (bestUnit < 0) return false;
    this.starts[activity] = bestStart;
    ends[activity] = bestEnd;
    this.units[slot] = bestUnit;
    return true;
  }

  private seatOnSeveral(activity: number, earliest: number, latest: number): boolean {
    const { compiled, leastEnd } = this;
    const first = compiled.slotStart[activity]!;
    const end = compiled.slotStart[activity + 1]!;
    const deciding = compiled.decidingSlot[activity]!;
    let bestStart = compiled.never;
    let bestEnd = compiled.never;
    const choices = deciding < 0 ? 1 : compiled.choiceStart[deciding + 1]! - compiled.choiceStart[deciding]!;
    for (let nth = 0; nth < choices; nth++) {
      const only = deciding < 0 ? -1 : compiled.choiceStart[deciding]! + nth;
      const duration = only < 0 ? compiled.duration[activity]! : compiled.choiceDuration[only]!;
      const from = Math.max(earliest, leastEnd[activity]! - duration);
      const start = this.joint.earliest(first, end, from, duration, deciding, only);
      if (start >= compiled.never) continue;
      if (
        bestStart < compiled.never &&
        (bestStart > latest ? start >= bestStart : start > latest || start + duration >= bestEnd)
      )
        continue;
      bestStart = start;
      bestEnd = start + duration;
      for (let slot = first; slot < end; slot++) this.best[slot] = this.joint.chosen[slot]!;
    }
    if (bestStart >= compiled.never) return false;
    this.starts[activity] = bestStart;
    this.ends[activity] = bestEnd;
    for (let slot = first; slot < end; slot++) this.units[slot] = this.best[slot]!;
    return true;
  }

  /** Takes the units of a placed activity, and keeps those that it keeps. */
  private take(activity: number, at: number): void {
    const { slotStart, slotClass, kept, never } = this.compiled;
    const start = this.starts[activity]!;
    const end = this.ends[activity]!;
    for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++) {
      const ofClass = slotClass[slot]!;
      const unit = this.units[slot]!;
      this.holdings.add(unit, start, end, slot, at, 0);
      if (kept.start[slot]! < kept.start[slot + 1]!) this.holdings.add(unit, start, never, slot, at, 1);
      else if (this.compiled.keptUntil[slot]! > end)
        this.holdings.add(unit, start, this.compiled.keptUntil[slot]!, slot, at, 1);
      if (ofClass >= 0 && this.classUnit[ofClass]! < 0) {
        this.classUnit[ofClass] = unit;
        this.setClass[this.sets] = ofClass;
        this.setMember[this.sets++] = at;
      }
    }
    this.openUnits.placed(activity);
  }

  /** Requests a later end of the predecessor for which the activity came too late. Returns where to continue. */
  private delay(activity: number, at: number): number {
    const { before, maxLag, never } = this.compiled;
    const start = this.starts[activity]!;
    let back = at;
    for (let link = before.start[activity]!; link < before.start[activity + 1]!; link++) {
      const other = before.item[link]!;
      if (maxLag[link]! >= never || start <= this.ends[other]! + maxLag[link]!) continue;
      this.leastEnd[other] = Math.max(this.leastEnd[other]!, start - maxLag[link]!);
      if (this.position[other]! < back) back = this.position[other]!;
    }
    return back;
  }

  /** Ends the keeping of units that lasted until this activity. Returns where to continue: behind it if all is well. */
  private settle(at: number): number {
    const { holdings, ends } = this;
    const { kept, keptUntil, slotActivity, never } = this.compiled;
    let back = at + 1;
    for (let item = 0; item < holdings.count; item++) {
      if (holdings.keeps[item] === 0 || holdings.to[item]! < never) continue;
      const slot = holdings.slot[item]!;
      if (this.waits(slot)) continue;
      let last = Math.max(keptUntil[slot]!, ends[slotActivity[slot]!]!);
      for (let link = kept.start[slot]!; link < kept.start[slot + 1]!; link++)
        if (ends[kept.item[link]!]! > last) last = ends[kept.item[link]!]!;
      if (holdings.lasts(item, last)) holdings.to[item] = last;
      else {
        this.holdUntil[slot] = Math.max(this.holdUntil[slot]!, last);
        if (holdings.member[item]! < back) back = holdings.member[item]!;
      }
    }
    return back;
  }

  /** Removes the places of the block from one position to another. */
  private drop(from: number, to: number): void {
    const { holdings } = this;
    holdings.dropFrom(from);
    while (this.sets > 0 && this.setMember[this.sets - 1]! >= from)
      this.classUnit[this.setClass[--this.sets]!] = -1;
    for (let at = from; at <= to; at++) {
      const activity = this.order[at]!;
      if (this.position[activity]! < 0) continue;
      this.position[activity] = -1;
      this.openUnits.dropped(activity);
    }
    // A unit that was released for a removed activity is kept again.
    for (let item = 0; item < holdings.count; item++)
      if (holdings.keeps[item] === 1 && this.waits(holdings.slot[item]!))
        holdings.to[item] = this.compiled.never;
  }

  /** Says whether a slot keeps its unit for an unplaced activity. */
  private waits(slot: number): boolean {
    const { kept } = this.compiled;
    for (let link = kept.start[slot]!; link < kept.start[slot + 1]!; link++)
      if (this.position[kept.item[link]!]! < 0) return true;
    return false;
  }

  private bounded(first: number, end: number, limit: number): boolean {
    const { slotStart } = this.compiled;
    for (let at = first; at < end; at++) {
      const activity = this.order[at]!;
      if (this.leastEnd[activity]! > limit) return false;
      for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++)
        if (this.holdUntil[slot]! > limit) return false;
    }
    return true;
  }

  private unbind(first: number, end: number): void {
    const { slotStart, keptUntil } = this.compiled;
    for (let at = first; at < end; at++) {
      const activity = this.order[at]!;
      this.position[activity] = -1;
      this.leastEnd[activity] = 0;
      for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++)
        this.holdUntil[slot] = keptUntil[slot]!;
    }
  }

  /** A time at which nothing is in progress for which the activities of the block could wait, except open units. */
  private behindAll(block: number): number {
    const { members, before, minLag, release } = this.compiled;
    let last = this.timelines.tail();
    for (let at = members.start[block]!; at < members.start[block + 1]!; at++) {
      const activity = this.order[at]!;
      last = Math.max(last, release[activity]!);
      for (
        let slot = this.compiled.slotStart[activity]!;
        slot < this.compiled.slotStart[activity + 1]!;
        slot++
      )
        last = Math.max(last, this.compiled.keptUntil[slot]!);
      for (let link = before.start[activity]!; link < before.start[activity + 1]!; link++)
        if (this.compiled.blockOf[before.item[link]!] !== block)
          last = Math.max(last, this.ends[before.item[link]!]! + minLag[link]!);
    }
    return last;
  }

  private pin(activity: number): void {
    const { compiled } = this;
    const { fixed, slots } = compiled.problem.activities[activity]!;
    if (fixed === null) return;
    const end = fixed.start + endOffset(compiled.problem, activity);
    this.starts[activity] = fixed.start;
    this.ends[activity] = end;
    slots.forEach((_, at) => {
      const slot = compiled.slotStart[activity]! + at;
      const unit = fixed.units[at]!;
      this.units[slot] = unit;
      const ofClass = compiled.slotClass[slot]!;
      if (ofClass >= 0) this.classUnit[ofClass] = unit;
      this.timelines.cover(unit, fixed.start, Math.max(end, compiled.keptUntil[slot]!));
    });
  }
}
