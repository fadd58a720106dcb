import type { Column, Encoding } from './encoding.js';
import { nearestLevel } from './encoding.js';
import { columnsOfFeatures, encodedRow, isLinear } from './linear-constraints.js';
import { solveLinear, type LinearOutcome, type Row } from './linear-programs.js';
import type { Constraint } from './space.js';

/**
 * Encoded distance from zero at which a feature of an n-choose-k constraint with a minimum counts as used: far above
 * the errors of a linear program, far below the dose of any instrument.
 */
export const leastUse = 1e-6;

/**
 * Constraints over encoded points as one mixed-integer linear program: steps as integers; values of discrete inputs
 * and uses of n-choose-k features as choices. Only columns with constraints take part.
 */
export class MixedProgram {
  private readonly lower: number[];
  private readonly upper: number[];
  private readonly whole: number[] = [];
  private readonly rows: { terms: Readonly<Record<number, number>>; lower: number; upper: number }[] = [];
  /** Choices "above zero" and "below zero" of a column. */
  private readonly uses = new Map<number, { above: number; below: number }>();
  /** Columns with constraints, rising. */
  readonly coupled: readonly number[];

  constructor(
    private readonly encoding: Encoding,
    constraints: readonly Constraint[],
  ) {
    this.lower = encoding.columns.map(() => 0);
    this.upper = encoding.columns.map(({ count }) => (count === 1 ? 0 : 1));
    const coupled = new Set(constraints.flatMap((constraint) => columnsOfFeatures(constraint, encoding)));
    this.coupled = [...coupled].sort((a, b) => a - b);
    for (const j of this.coupled) this.addLevels(encoding.columns[j]!, j);
    for (const constraint of constraints) {
      if (isLinear(constraint)) {
        const { a, b } = encodedRow(constraint, encoding);
        const terms = Object.fromEntries(this.coupled.map((j) => [j, a[j]!]));
        this.bound(terms, constraint.kind === 'linear_equality' ? b : -Infinity, b);
        continue;
      }
      const uses = columnsOfFeatures(constraint, encoding).flatMap((j) => this.usesOf(j));
      const { min_count, max_count, none_also_valid } = constraint;
      const terms = Object.fromEntries(uses.map((use) => [use, 1]));
      this.bound(terms, -Infinity, max_count);
      if (!none_also_valid) this.bound(terms, min_count, Infinity);
      else {
        const none = this.addChoice();
        this.bound({ ...terms, [none]: min_count }, min_count, Infinity);
        this.bound({ ...terms, [none]: max_count }, -Infinity, max_count);
      }
    }
  }

  /** Says whether any point satisfies all constraints together; `unknown` when the time ended. */
  feasibility(): 'feasible' | 'infeasible' | 'unknown' {
    if (this.rows.length === 0) return 'feasible';
    const { status } = this.solve([], new Map());
    return status === 'optimal' || status === 'feasible'
      ? 'feasible'
      : status === 'infeasible'
        ? 'infeasible'
        : 'unknown';
  }

  /**
   * The point with only possible values that has the least sum of absolute differences from `target`. Rows hold with
   * the precision of the solver; integers, values and zeros are exact.
   *
   * @param pinned columns with fixed encoded values
   * @returns null: there is none, or none was found in time
   */
  nearest(target: Float64Array, pinned: ReadonlyMap<number, number> = new Map()): Float64Array | null {
    const outcome = this.solve(
      this.coupled.map((j) => ({ column: j, target: target[j]! })),
      pinned,
    );
    if (outcome.status !== 'optimal' && outcome.status !== 'feasible') return null;
    const row = target.slice();
    for (const [j, value] of pinned) row[j] = value;
    for (const j of this.coupled) {
      const uses = this.uses.get(j);
      const used = uses === undefined || outcome.x[uses.above]! + outcome.x[uses.below]! > 0.5;
      row[j] = used
        ? nearestLevel(this.encoding.columns[j]!, outcome.x[j]!)
        : this.encoding.columns[j]!.zero!;
    }
    return row;
  }

  private solve(
    wishes: readonly { column: number; target: number }[],
    pinned: ReadonlyMap<number, number>,
  ): LinearOutcome {
    const size = this.lower.length;
    const n = size + wishes.length;
    const lower = Float64Array.from({ length: n }, (_, j) => this.lower[j] ?? 0);
    const upper = Float64Array.from({ length: n }, (_, j) => this.upper[j] ?? Infinity);
    for (const [j, value] of pinned) lower[j] = upper[j] = value;
    const objective = new Float64Array(n).fill(1, size);
    const rows: Row[] = this.rows.map((row) => {
      const coefficients = new Float64Array(n);
      for (const [j, value] of Object.entries(row.terms)) coefficients[Number(j)] = value;
      return { coefficients, lower: row.lower, upper: row.upper };
    });
    // |x - target| <= distance, from both sides.
    wishes.forEach(({ column, target }, i) => {
      const above = new Float64Array(n);
      above[column] = 1;
      above[size + i] = -1;
      rows.push({ coefficients: above, lower: -Infinity, upper: target });
      const below = above.slice();
      below[size + i] = 1;
      rows.push({ coefficients: below, lower: target, upper: Infinity });
    });
    return solveLinear({ direction: 'minimize', objective, lower, upper, rows, whole: this.whole });
  }

  private addLevels(column: Column, j: number): void {
    if (column.kind === 'stepped') {
      const step = this.addVariable(0, column.count - 1);
      this.bound({ [j]: column.count - 1, [step]: -1 }, 0, 0);
    } else if (column.kind === 'discrete' && column.count > 1) {
      const choices = Array.from(column.levels!, () => this.addChoice());
      this.bound(Object.fromEntries(choices.map((choice) => [choice, 1])), 1, 1);
      const terms = Object.fromEntries(choices.map((choice, k) => [choice, column.levels![k]!]));
      this.bound({ ...terms, [j]: -1 }, 0, 0);
    }
  }

  /** Of these choices one applies when the column is not zero: `x` lies between its least use and that end. */
  private usesOf(j: number): number[] {
    const known = this.uses.get(j);
    if (known !== undefined) return [known.above, known.below];
    const column = this.encoding.columns[j]!;
    const above = this.addChoice();
    const below = this.addChoice();
    this.uses.set(j, { above, below });
    const origin = column.zero ?? -column.lower / column.range;
    const top = this.upper[j]!;
    this.bound({ [above]: 1, [below]: 1 }, column.zero === null ? 1 : -Infinity, 1);
    if (top - origin < leastUse) this.upper[above] = 0;
    if (origin < leastUse) this.upper[below] = 0;
    // x - origin <= (top - origin) above - leastUse below, and from the other side alike.
    const up = Math.max(0, top - origin);
    const down = Math.max(0, origin);
    this.bound({ [j]: 1, [above]: -up, [below]: leastUse }, -Infinity, origin);
    this.bound({ [j]: 1, [above]: -leastUse, [below]: down }, origin, Infinity);
    return [above, below];
  }

  /** @param terms coefficients by variable */
  private bound(terms: Readonly<Record<number, number>>, lower: number, upper: number): void {
    this.rows.push({ terms, lower, upper });
  }

  private addVariable(lower: number, upper: number): number {
    this.whole.push(this.lower.length);
    this.lower.push(lower);
    this.upper.push(upper);
    return this.lower.length - 1;
  }

  private addChoice(): number {
    return this.addVariable(0, 1);
  }
}
