import { type Column, type Encoding, levelAt, levelIndex, nearestLevel } from './encoding.js';
import {
  columnsOfFeatures,
  isNChooseK,
  type LinearConstraints,
  type NChooseK,
} from './linear-constraints.js';
import type { LinearProgramSolver, Row } from './linear-programs.js';
import { leastUse, type MixedProgram } from './mixed-program.js';
import type { Constraint } from './space.js';

/** Finds the feasible point near a row: rounds, holds what was rounded, and moves the rest. */
export class Projection {
  private readonly counts: readonly { constraint: NChooseK; columns: readonly number[] }[];

  constructor(
    private readonly encoding: Encoding,
    constraints: readonly Constraint[],
    /** Over all columns, without rounding. */
    private readonly relaxed: LinearConstraints,
    private readonly program: MixedProgram,
    private readonly solver: LinearProgramSolver,
    /** Whether a row with possible values satisfies all constraints. */
    private readonly satisfies: (row: Float64Array) => boolean,
  ) {
    this.counts = constraints
      .filter(isNChooseK)
      .map((constraint) => ({ constraint, columns: columnsOfFeatures(constraint, encoding) }));
  }

  /**
   * The convex part of the domain around a row: steps, values, categories and the zeros of n-choose-k stay as the row has
   * them, the rest moves.
   *
   * @param row with possible values
   */
  slice(row: Float64Array): LinearConstraints {
    const lower = this.relaxed.lower.slice();
    const upper = this.relaxed.upper.slice();
    this.encoding.columns.forEach(({ kind }, j) => {
      if (kind !== 'continuous') lower[j] = upper[j] = row[j]!;
    });
    for (const { constraint, columns } of this.counts) {
      const least = constraint.min_count > 0 ? leastUse : 0;
      for (const j of columns) {
        const { kind, zero } = this.encoding.columns[j]!;
        if (kind !== 'continuous' || zero === null) continue;
        if (isAtZero(row[j]!, zero)) lower[j] = upper[j] = zero;
        else if (row[j]! > zero) lower[j] = Math.max(lower[j]!, zero + least);
        else upper[j] = Math.min(upper[j]!, zero - least);
      }
    }
    return { ...this.relaxed, lower, upper };
  }

  /**
   * @param target any finite values, length `d`
   * @param pinned columns that must have the given possible encoded values
   * @returns a feasible row near the target; null when none was found
   */
  settle(target: Float64Array, pinned: ReadonlyMap<number, number> = new Map()): Float64Array | null {
    const rounded = target.slice();
    for (const [j, value] of pinned) rounded[j] = value;
    this.encoding.round(rounded);
    this.mendCounts(rounded, target, pinned);
    const quick = this.moved(rounded, target, pinned);
    if (quick !== null) return quick;
    const exact = this.program.nearest(this.encoding.round(target.slice()), pinned);
    if (exact === null) return null;
    this.encoding.round(exact);
    return this.moved(exact, target, pinned) ?? (this.satisfies(exact) ? exact : null);
  }

  /** The row with its continuous columns moved to where they satisfy the linear constraints, near the target. */
  private moved(
    rounded: Float64Array,
    target: Float64Array,
    pinned: ReadonlyMap<number, number>,
  ): Float64Array | null {
    if (this.satisfies(rounded)) return rounded;
    const slice = this.slice(rounded);
    for (const [j, value] of pinned) slice.lower[j] = slice.upper[j] = value;
    const moved = nearestWithin(slice, this.program.coupled, target, rounded, this.solver);
    return moved !== null && this.satisfies(moved) ? moved : null;
  }

  /** Sets features of n-choose-k to zero, or away from it, until the counts hold where they can each by itself. */
  private mendCounts(row: Float64Array, target: Float64Array, pinned: ReadonlyMap<number, number>): void {
    for (const { constraint, columns } of this.counts) {
      const free = columns.filter((j) => !pinned.has(j) && this.encoding.columns[j]!.zero !== null);
      const size = (j: number) => Math.abs(target[j]! - this.encoding.columns[j]!.zero!);
      const used = columns.filter((j) => !this.isZero(row, j));
      const smallest = free.filter((j) => used.includes(j)).sort((a, b) => size(a) - size(b));
      for (const j of smallest.slice(0, Math.max(0, used.length - constraint.max_count))) {
        row[j] = this.encoding.columns[j]!.zero!;
      }
      if (used.length === 0 && constraint.none_also_valid) continue;
      const largest = free.filter((j) => !used.includes(j)).sort((a, b) => size(b) - size(a));
      for (const j of largest.slice(0, Math.max(0, constraint.min_count - used.length))) {
        row[j] = besideZero(this.encoding.columns[j]!, target[j]!);
      }
    }
  }

  /** Whether a column of a row is at zero in the unit of its input. */
  isZero(row: Float64Array, j: number): boolean {
    const { zero } = this.encoding.columns[j]!;
    return zero !== null && isAtZero(row[j]!, zero);
  }
}

function isAtZero(u: number, zero: number): boolean {
  return Math.abs(u - zero) < 1e-9;
}

/** The possible value next to zero, on the side of the target if there is one. */
function besideZero(column: Column, target: number): number {
  const zero = column.zero!;
  if (column.count === 1) return zero;
  const up = column.kind === 'continuous' ? zero < 1 : levelIndex(column, zero) < column.count - 1;
  const above = up && (target >= zero || zero <= leastUse);
  if (column.kind === 'continuous') return nearestLevel(column, above ? zero + leastUse : zero - leastUse);
  return levelAt(column, levelIndex(column, zero) + (above ? 1 : -1));
}

/** Moves the coupled columns of a row within constraints so that the sum of absolute differences from the target is least. */
function nearestWithin(
  { d, aEq, bEq, aLe, bLe, lower, upper }: LinearConstraints,
  coupled: readonly number[],
  target: Float64Array,
  row: Float64Array,
  solver: LinearProgramSolver,
): Float64Array | null {
  const n = coupled.length;
  const widened = (a: Float64Array, i: number) => {
    const coefficients = new Float64Array(2 * n);
    coupled.forEach((j, k) => (coefficients[k] = a[i * d + j]!));
    return coefficients;
  };
  const rows: Row[] = [
    ...Array.from(bEq, (b, i) => ({ coefficients: widened(aEq, i), lower: b, upper: b })),
    ...Array.from(bLe, (b, i) => ({ coefficients: widened(aLe, i), lower: -Infinity, upper: b })),
    ...coupled.flatMap((j, k) =>
      [1, -1].map((sign) => {
        const coefficients = new Float64Array(2 * n);
        coefficients[k] = sign;
        coefficients[n + k] = -1;
        return { coefficients, lower: -Infinity, upper: sign * target[j]! };
      }),
    ),
  ];
  const outcome = solver.solve({
    direction: 'minimize',
    objective: new Float64Array(2 * n).fill(1, n),
    rows,
    lower: Float64Array.from({ length: 2 * n }, (_, k) => (k < n ? lower[coupled[k]!]! : 0)),
    upper: Float64Array.from({ length: 2 * n }, (_, k) => (k < n ? upper[coupled[k]!]! : Infinity)),
  });
  if (outcome.status !== 'optimal') return null;
  const moved = row.slice();
  coupled.forEach((j, k) => (moved[j] = Math.min(upper[j]!, Math.max(lower[j]!, outcome.x[k]!))));
  return moved;
}
