import type { CompiledProblem, Ticks } from './compiled-problem.js';
import type { Timelines } from './timelines.js';

/** Units that decided activities keep for activities that are still to be placed. */
export class OpenUnits {
  /** Number of kept activities without a place, for each keeper. */
  readonly pending: Int32Array;
  private readonly opened: { unit: number; closers: readonly number[]; until: number }[] = [];
  private readonly openedBy: number[][];

  /** @param ends of all placed activities */
  constructor(
    private readonly compiled: CompiledProblem,
    private readonly timelines: Timelines,
    private readonly ends: Ticks,
  ) {
    const { problem, slotStart, kept, keptUntil } = compiled;
    this.openedBy = problem.activities.map(() => []);
    problem.activities.forEach(({ fixed, slots }, activity) => {
      if (fixed === null) return;
      slots.forEach((_, at) => {
        const slot = slotStart[activity]! + at;
        const closers = [...kept.item.subarray(kept.start[slot], kept.start[slot + 1])];
        if (closers.length === 0) return;
        const unit = fixed.units[at]!;
        timelines.open(unit, fixed.start, slot);
        closers.forEach((closer) => this.openedBy[closer]!.push(this.opened.length));
        this.opened.push({ unit, closers, until: keptUntil[slot]! });
      });
    });
    this.pending = Int32Array.from(this.opened, ({ closers }) => closers.length);
  }

  /** An activity got its place: units that were kept for it may be free afterwards. */
  placed(activity: number): void {
    for (const nth of this.openedBy[activity]!) {
      this.pending[nth]!--;
      this.settle(this.opened[nth]!.unit);
    }
  }

  /** Undoes {@link placed}. */
  dropped(activity: number): void {
    for (const nth of this.openedBy[activity]!) {
      this.pending[nth]!++;
      this.settle(this.opened[nth]!.unit);
    }
  }

  private settle(unit: number): void {
    let last = 0;
    for (let nth = 0; nth < this.opened.length; nth++) {
      const opened = this.opened[nth]!;
      if (opened.unit !== unit) continue;
      if (this.pending[nth]! > 0) {
        this.timelines.close(unit, this.compiled.never);
        return;
      }
      last = Math.max(last, opened.until);
      for (const closer of opened.closers) last = Math.max(last, this.ends[closer]!);
    }
    this.timelines.close(unit, last);
  }
}
