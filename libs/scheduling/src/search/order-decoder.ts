import { objectiveOf, type Schedule } from '../problem/problem.js';
import type { CompiledProblem, Ticks } from './compiled-problem.js';

export interface Places {
  readonly starts: Ticks;
  readonly ends: Ticks;
  readonly units: Int32Array;
}

/** Turns orders of blocks into schedules. In an order, no block stands before one for which it waits. */
export abstract class OrderDecoder {
  /** Number of placed blocks in the schedule decoded last, with the objective of these. */
  placedCount = 0;
  weightedCompletion = 0;
  makespan = 0;
  /** 1 for activities with a place in that schedule. */
  protected readonly isPlaced: Uint8Array;
  private readonly completions: Float64Array;

  constructor(readonly compiled: CompiledProblem) {
    this.isPlaced = new Uint8Array(compiled.activities);
    this.completions = new Float64Array(compiled.runs);
  }

  /** @param same number of leading blocks that are equal to those of the kept order */
  abstract decode(order: Int32Array, same: number): void;
  /** Makes the order decoded last the reference for later orders. */
  abstract keep(): void;
  protected abstract places(): Places;

  /** Objective of the placed activities, as {@link objectiveOf} computes it. */
  get objective(): number {
    return this.weightedCompletion + this.compiled.makespanWeight * this.makespan;
  }

  /** The schedule decoded last. Activities without a place have no units, and 0 as start and end. */
  schedule(): Schedule & { unplaced: number[] } {
    const { problem, slotStart } = this.compiled;
    const places = this.places();
    const has = (activity: number): boolean => this.isPlaced[activity] === 1;
    const all = [...problem.activities.keys()];
    const ends = all.map((activity) => (has(activity) ? places.ends[activity]! : 0));
    return {
      starts: all.map((activity) => (has(activity) ? places.starts[activity]! : 0)),
      ends,
      units: all.map((activity) =>
        has(activity) ? [...places.units.subarray(slotStart[activity], slotStart[activity + 1])] : [],
      ),
      objective: objectiveOf(problem, ends).total,
      unplaced: all.filter((activity) => !has(activity)),
    };
  }

  protected evaluate(): void {
    const { compiled, completions, isPlaced } = this;
    const { ends } = this.places();
    completions.fill(0);
    let makespan = 0;
    for (let activity = 0; activity < compiled.activities; activity++) {
      if (isPlaced[activity] === 0) continue;
      const end = ends[activity]!;
      const run = compiled.run[activity]!;
      if (end > completions[run]!) completions[run] = end;
      if (end > makespan) makespan = end;
    }
    let sum = 0;
    for (let run = 0; run < compiled.runs; run++) sum += compiled.weights[run]! * completions[run]!;
    this.weightedCompletion = sum;
    this.makespan = makespan;
  }
}
