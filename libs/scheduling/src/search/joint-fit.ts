import type { BlockHoldings } from './block-holdings.js';
import type { CompiledProblem, Ticks } from './compiled-problem.js';

/** Restrictions on the choices of slots during placement. */
interface Limits {
  readonly classUnit: Int32Array;
  readonly holdUntil: Ticks;
  readonly allowed: Uint8Array;
}

/** Finds the time at which all slots of an activity with several slots have a unit each. */
export class JointFit {
  /** The units of the slots in the last call. */
  readonly chosen: Int32Array;
  private readonly fits: Ticks;

  constructor(
    private readonly compiled: CompiledProblem,
    private readonly holdings: BlockHoldings,
    private readonly limits: Limits,
  ) {
    this.chosen = new Int32Array(compiled.slotActivity.length);
    this.fits = compiled.ticks(compiled.choiceUnit.length);
  }

  /**
   * The earliest time at which every slot has a free unit of its own. Leaves the units in `chosen`.
   *
   * @param only the required choice of the deciding slot, or -1
   */
  earliest(
    first: number,
    end: number,
    from: number,
    duration: number,
    deciding: number,
    only: number,
  ): number {
    const { choiceStart, choiceUnit, leastHold, slotClass, never } = this.compiled;
    let moment = from;
    while (moment < never) {
      let next = never;
      let all = moment;
      for (let slot = first; slot < end; slot++) {
        const ofClass = slotClass[slot]!;
        const pinned = ofClass >= 0 ? this.limits.classUnit[ofClass]! : -1;
        const length = Math.max(duration, leastHold[slot]!);
        let soonest = never;
        for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++) {
          const unit = choiceUnit[choice]!;
          const may =
            (pinned < 0 || unit === pinned) &&
            (slot !== deciding || choice === only) &&
            this.limits.allowed[choice] === 1;
          const fit = may
            ? this.holdings.fit(unit, moment, length, this.limits.holdUntil[slot]!, slot)
            : never;
          this.fits[choice] = fit;
          if (fit < soonest) soonest = fit;
          if (fit > moment && fit < next) next = fit;
        }
        if (soonest > all) all = soonest;
      }
      if (all === moment) {
        if (this.match(first, first, end, moment)) return moment;
        moment = next;
      } else moment = all;
    }
    return never;
  }

  /** Fills the slots from `slot` on with units that are free at a moment, none twice. */
  private match(slot: number, first: number, end: number, moment: number): boolean {
    if (slot === end) return true;
    const { choiceStart, choiceUnit } = this.compiled;
    for (let choice = choiceStart[slot]!; choice < choiceStart[slot + 1]!; choice++) {
      if (this.fits[choice] !== moment) continue;
      const unit = choiceUnit[choice]!;
      let taken = false;
      for (let other = first; other < slot && !taken; other++) taken = this.chosen[other] === unit;
      if (taken) continue;
      this.chosen[slot] = unit;
      if (this.match(slot + 1, first, end, moment)) return true;
    }
    return false;
  }
}
