import { endOffset, refers, type CompiledProblem, type Ticks } from './compiled-problem.js';
import { OrderDecoder } from './order-decoder.js';

/** Failed attempts to start a block of several activities after which it counts as having no place. */
const patience = 100;

/**
 * Turns orders of blocks into schedules in the order of events: at every moment, all blocks that can start do start,
 * in the given order (parallel generation scheme, Kelley 1963). So runs that keep units for long can interleave, for
 * problems compiled with blocks that no kept unit joins. A block of a group or a greatest lag has its units from the
 * moment at which its start is decided.
 *
 * Runs can come to keep what the others need. Then some blocks have no place, and the order is worthless. Fewer runs
 * that keep units at a time ({@link mostHolding}) help.
 */
export class ChronologicalDecoder extends OrderDecoder {
  /** Most runs that may keep units at a time. Runs that keep some already are not stopped. */
  mostHolding = Number.POSITIVE_INFINITY;
  readonly starts: Ticks;
  readonly ends: Ticks;
  readonly units: Int32Array;
  /** End of the last use of each unit, and its total ticks of use. */
  private readonly busyUntil: Ticks;
  private readonly load: Float64Array;
  /** Slots that keep each unit. */
  private readonly keepers: number[][];
  /** For each slot that keeps its unit: the kept activities without a place, and the latest end of the others. */
  private readonly pending: Int32Array;
  private readonly keptUntil: Ticks;
  /** Slots that keep their units for each activity. */
  private readonly keptBy: readonly (readonly number[])[];
  private readonly classUnit: Int32Array;
  private readonly missing: Int32Array;
  /** Earliest start of a block; `never`: it waits until a kept unit is released. */
  private readonly notBefore: Ticks;
  /** Number of attempts in which the activities of a block obstructed each other. */
  private readonly failures: Int32Array;
  private readonly queue: Int32Array;
  private readonly holds: Int32Array;
  private holding = 0;
  /** Changes made for the current block, in threes: kind, index, old value. */
  private readonly undo: number[] = [];
  private readonly chosen: Int32Array;
  private next = 0;
  private earliest = 0;
  private latest = 0;
  /** The current block was the last for which some unit was kept. */
  private gaveUp = false;

  constructor(compiled: CompiledProblem) {
    super(compiled);
    const { activities, ticks, units, blocks, runs, classes, kept, slotActivity } = compiled;
    const slots = slotActivity.length;
    this.starts = ticks(activities);
    this.ends = ticks(activities);
    this.units = new Int32Array(slots);
    this.busyUntil = ticks(units);
    this.load = new Float64Array(units);
    this.keepers = Array.from({ length: units }, () => []);
    this.pending = new Int32Array(slots);
    this.keptUntil = ticks(slots);
    const keptBy: number[][] = Array.from({ length: activities }, () => []);
    for (let slot = 0; slot < slots; slot++)
      for (let link = kept.start[slot]!; link < kept.start[slot + 1]!; link++)
        keptBy[kept.item[link]!]!.push(slot);
    this.keptBy = keptBy;
    this.classUnit = new Int32Array(classes);
    this.missing = new Int32Array(blocks);
    this.notBefore = ticks(blocks);
    this.failures = new Int32Array(blocks);
    this.queue = new Int32Array(blocks);
    this.holds = new Int32Array(runs);
    this.chosen = new Int32Array(slots);
  }

  /** Decodes an order. Where two blocks could start, the earlier one in the order goes first. */
  decode(order: Int32Array): void {
    const { compiled, queue, notBefore } = this;
    const { blocks, never, blocksAfter } = compiled;
    this.reset();
    queue.set(order);
    let left = blocks;
    let now = 0;
    while (left > 0) {
      let next = never;
      let started = 0;
      let kept = 0;
      for (let at = 0; at < left; at++) {
        const block = queue[at]!;
        if (this.missing[block] === 0 && notBefore[block]! <= now) {
          notBefore[block] = this.start(block, now);
          if (notBefore[block] === -1) {
            started++;
            for (let link = blocksAfter.start[block]!; link < blocksAfter.start[block + 1]!; link++)
              this.missing[blocksAfter.item[link]!]!--;
            continue;
          }
        }
        if (this.missing[block] === 0 && notBefore[block]! < next) next = notBefore[block]!;
        queue[kept++] = block;
      }
      left = kept;
      // A block that has just started may allow another one to start at the same moment.
      if (started > 0) continue;
      if (next >= never) break;
      now = next;
    }
    this.placedCount = blocks - left;
    this.evaluate();
  }

  keep(): void {}

  protected places(): this {
    return this;
  }

  private reset(): void {
    const { compiled, keepers } = this;
    const { problem, slotStart, kept, blocksBefore } = compiled;
    this.busyUntil.fill(0);
    this.load.fill(0);
    this.classUnit.fill(-1);
    this.isPlaced.fill(0);
    this.notBefore.fill(0);
    this.failures.fill(0);
    this.holds.fill(0);
    this.holding = 0;
    for (const list of keepers) list.length = 0;
    this.keptUntil.set(compiled.keptUntil);
    for (let slot = 0; slot < this.pending.length; slot++)
      this.pending[slot] = kept.start[slot + 1]! - kept.start[slot]!;
    for (let block = 0; block < compiled.blocks; block++)
      this.missing[block] = blocksBefore.start[block + 1]! - blocksBefore.start[block]!;
    problem.activities.forEach(({ fixed }, activity) => {
      if (fixed === null) return;
      for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++)
        this.chosen[slot] = fixed.units[slot - slotStart[activity]!]!;
      this.take(activity, fixed.start, endOffset(problem, activity));
    });
    this.undo.length = 0;
  }

  /** Starts a block now; returns -1, or the earliest time at which it may start. */
  private start(block: number, now: number): number {
    const { members, never } = this.compiled;
    const first = members.start[block]!;
    if (!this.mayHold(block)) return never;
    this.undo.length = 0;
    this.gaveUp = false;
    for (let at = first; at < members.start[block + 1]!; at++) {
      const activity = members.item[at]!;
      this.bound(activity);
      const { latest } = this;
      let moment = this.earliest > now ? this.earliest : now;
      let duration = -1;
      if (at > first || moment === now) {
        duration = this.fit(activity, moment);
        while (duration < 0 && at > first && this.next <= latest && this.next < never) {
          moment = this.next;
          duration = this.fit(activity, moment);
        }
      } else this.next = moment;
      if (duration < 0 || moment > latest) {
        const wanted = duration < 0 ? this.next : moment;
        this.takeBack();
        if (wanted >= never || at === first) return wanted;
        if (++this.failures[block]! > patience) return never;
        // Delay the whole block by the delay of this activity.
        return now + Math.max(1, wanted - latest);
      }
      this.take(activity, moment, duration);
    }
    if (this.gaveUp) this.wake(now);
    return -1;
  }

  /** Computes the earliest and latest start of an activity with respect to its predecessors. */
  private bound(activity: number): void {
    const { before, minLag, maxLag, release, never } = this.compiled;
    this.earliest = release[activity]!;
    this.latest = never;
    for (let link = before.start[activity]!; link < before.start[activity + 1]!; link++) {
      const end = this.ends[before.item[link]!]!;
      if (end + minLag[link]! > this.earliest) this.earliest = end + minLag[link]!;
      if (maxLag[link]! < never && end + maxLag[link]! < this.latest) this.latest = end + maxLag[link]!;
    }
  }

  /** Chooses units at a moment. Returns the duration on them; or -1, with the time of the next attempt in `next`. */
  private fit(activity: number, moment: number): number {
    const { compiled } = this;
    const first = compiled.slotStart[activity]!;
    const end = compiled.slotStart[activity + 1]!;
    this.next = moment;
    let soonest = compiled.never;
    for (let slot = first; slot < end; slot++) {
      let least = compiled.never;
      for (let choice = compiled.choiceStart[slot]!; choice < compiled.choiceStart[slot + 1]!; choice++) {
        const free = this.freeFrom(slot, choice);
        if (free < least) least = free;
        if (free > moment && free < soonest) soonest = free;
      }
      if (least > this.next) this.next = least;
    }
    if (this.next > moment) return -1;
    if (!this.match(first, first, end, moment)) {
      this.next = soonest;
      return -1;
    }
    const deciding = compiled.decidingSlot[activity]!;
    if (deciding < 0) return compiled.duration[activity]!;
    let choice = compiled.choiceStart[deciding]!;
    while (compiled.choiceUnit[choice] !== this.chosen[deciding]) choice++;
    return compiled.choiceDuration[choice]!;
  }

  /** The earliest time at which a slot can have its choice; `never` while unknown. */
  private freeFrom(slot: number, choice: number): number {
    const { compiled } = this;
    const unit = compiled.choiceUnit[choice]!;
    const ofClass = compiled.slotClass[slot]!;
    if (compiled.possible[choice] === 0) return compiled.never;
    if (ofClass >= 0 && this.classUnit[ofClass]! >= 0 && this.classUnit[ofClass] !== unit)
      return compiled.never;
    let free = this.busyUntil[unit]!;
    for (const keeper of this.keepers[unit]!) {
      if (refers(compiled, slot, keeper)) continue;
      if (this.pending[keeper]! > 0) return compiled.never;
      if (this.keptUntil[keeper]! > free) free = this.keptUntil[keeper]!;
    }
    return free;
  }

  /** Fills the slots from `slot` on, each with the unit on which the activity ends first, then the least busy one. */
  private match(slot: number, first: number, end: number, moment: number): boolean {
    if (slot === end) return true;
    const { choiceStart, choiceUnit } = this.compiled;
    let tried = -1;
    for (;;) {
      let best = -1;
      for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++) {
        if (tried >= 0 && !this.isBehind(choice, tried)) continue;
        if (best >= 0 && !this.isBehind(best, choice)) continue;
        if (this.freeFrom(slot, choice) > moment) continue;
        let taken = false;
        for (let other = first; other < slot && !taken; other++)
          taken = this.chosen[other] === choiceUnit[choice];
        if (!taken) best = choice;
      }
      if (best < 0) return false;
      this.chosen[slot] = choiceUnit[best]!;
      if (this.match(slot + 1, first, end, moment)) return true;
      tried = best;
    }
  }

  /** Says whether a choice of a slot comes after another. */
  private isBehind(choice: number, other: number): boolean {
    const { choiceDuration, choiceUnit } = this.compiled;
    const longer = choiceDuration[choice]! - choiceDuration[other]!;
    if (longer !== 0) return longer > 0;
    const busier = this.load[choiceUnit[choice]!]! - this.load[choiceUnit[other]!]!;
    return busier !== 0 ? busier > 0 : choice > other;
  }

  private take(activity: number, start: number, duration: number): void {
    const { slotStart, slotClass, kept, run } = this.compiled;
    const end = start + duration;
    this.starts[activity] = start;
    this.ends[activity] = end;
    this.isPlaced[activity] = 1;
    this.note(Kind.place, activity, 0);
    for (let slot = slotStart[activity]!; slot < slotStart[activity + 1]!; slot++) {
      const unit = this.chosen[slot]!;
      this.units[slot] = unit;
      this.note(Kind.busy, unit, this.busyUntil[unit]!);
      if (end > this.busyUntil[unit]!) this.busyUntil[unit] = end;
      this.note(Kind.load, unit, this.load[unit]!);
      this.load[unit]! += duration;
      const ofClass = slotClass[slot]!;
      if (ofClass >= 0 && this.classUnit[ofClass]! < 0) {
        this.note(Kind.unitOfClass, ofClass, -1);
        this.classUnit[ofClass] = unit;
      }
      if (kept.start[slot] === kept.start[slot + 1] && this.keptUntil[slot]! <= end) continue;
      this.note(Kind.keeper, unit, 0);
      this.keepers[unit]!.push(slot);
      if (this.pending[slot]! > 0) this.hold(run[activity]!, 1);
    }
    for (const slot of this.keptBy[activity]!) {
      this.note(Kind.end, slot, this.keptUntil[slot]!);
      if (end > this.keptUntil[slot]!) this.keptUntil[slot] = end;
      this.note(Kind.pending, slot, this.pending[slot]!);
      if (--this.pending[slot]! > 0) continue;
      this.gaveUp = true;
      if (this.isPlaced[this.compiled.slotActivity[slot]!] === 1)
        this.hold(run[this.compiled.slotActivity[slot]!]!, -1);
    }
  }

  private hold(run: number, by: number): void {
    this.note(Kind.holds, run, this.holds[run]!);
    this.holds[run]! += by;
    if (this.holds[run] === (by > 0 ? 1 : 0)) this.holding += by;
  }

  private takeBack(): void {
    const { undo } = this;
    while (undo.length > 0) {
      const was = undo.pop()!;
      const index = undo.pop()!;
      const kind = undo.pop()!;
      if (kind === Kind.place) this.isPlaced[index] = 0;
      else if (kind === Kind.busy) this.busyUntil[index] = was;
      else if (kind === Kind.load) this.load[index] = was;
      else if (kind === Kind.unitOfClass) this.classUnit[index] = was;
      else if (kind === Kind.keeper) this.keepers[index]!.pop();
      else if (kind === Kind.end) this.keptUntil[index] = was;
      else if (kind === Kind.pending) this.pending[index] = was;
      else {
        if (was === 0) this.holding--;
        else if (this.holds[index] === 0) this.holding++;
        this.holds[index] = was;
      }
    }
  }

  private note(kind: Kind, index: number, was: number): void {
    this.undo.push(kind, index, was);
  }

  private mayHold(block: number): boolean {
    if (this.holding < this.mostHolding) return true;
    const { members, slotStart, kept, run } = this.compiled;
    for (let at = members.start[block]!; at < members.start[block + 1]!; at++) {
      const activity = members.item[at]!;
      if (this.holds[run[activity]!]! > 0) continue;
      if (kept.start[slotStart[activity]!]! < kept.start[slotStart[activity + 1]!]!) return false;
    }
    return true;
  }

  /** A unit was released: blocks that waited for it without a known time may try again. */
  private wake(now: number): void {
    const { notBefore, keepers, pending, keptUntil } = this;
    const { never, blocks } = this.compiled;
    for (let block = 0; block < blocks; block++) if (notBefore[block]! >= never) notBefore[block] = 0;
    for (const list of keepers) {
      let left = 0;
      for (const slot of list) if (pending[slot]! > 0 || keptUntil[slot]! > now) list[left++] = slot;
      list.length = left;
    }
  }
}

const enum Kind {
  place,
  busy,
  load,
  unitOfClass,
  keeper,
  end,
  pending,
  holds,
}
