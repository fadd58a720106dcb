import { nearestSatisfying } from '../numeric/index.js';
import { type Column, type Encoding, levelAt, levelIndex, nearestLevel } from './encoding.js';
import { countsOf, type Count, type LinearConstraints } from './linear-constraints.js';
import { repaired } from './lattice.js';
import { leastUse, type MixedProgram } from './mixed-program.js';
import type { Constraint } from './space.js';

/** Finds the feasible point near a row: rounds, fixes the rounded columns, and moves the rest. */
export class Projection {
  /** Columns of features of n-choose-k. */
  private readonly counted: ReadonlySet<number>;
  private readonly counts: readonly Count[];

  constructor(
    private readonly encoding: Encoding,
    constraints: readonly Constraint[],
    /** Over all columns, without rounding. */
    private readonly relaxed: LinearConstraints,
    private readonly program: MixedProgram,
    /** Whether a row with possible values satisfies all constraints. */
    private readonly satisfies: (row: Float64Array) => boolean,
  ) {
    this.counts = countsOf(constraints, encoding);
    this.counted = new Set(this.counts.flatMap(({ columns }) => columns));
  }

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
   * @param pinned columns with fixed possible encoded values
   * @param search whether to use branch and bound, which can take seconds, when rounding and repair fail
   * @returns a feasible row near the target; null: none was found
   */
  settle(
    target: Float64Array,
    pinned: ReadonlyMap<number, number> = new Map(),
    search = true,
  ): Float64Array | null {
    const rounded = target.slice();
    for (const [j, value] of pinned) rounded[j] = value;
    this.encoding.round(rounded);
    this.mendCounts(rounded, target, pinned);
    const near = this.moved(rounded, target, pinned) ?? this.repaired(rounded, target, pinned);
    if (near !== null || !search) return near;
    const exact = this.program.nearest(this.encoding.round(target.slice()), pinned);
    return exact === null ? null : this.moved(this.encoding.round(exact), target, pinned);
  }

  /** Moves the continuous columns of the row to satisfy the linear constraints, near the target. */
  private moved(
    rounded: Float64Array,
    target: Float64Array,
    pinned: ReadonlyMap<number, number>,
  ): Float64Array | null {
    if (this.satisfies(rounded)) return rounded;
    const slice = this.slice(rounded);
    for (const [j, value] of pinned) slice.lower[j] = slice.upper[j] = value;
    const moving = this.program.coupled.filter((j) => slice.upper[j]! > slice.lower[j]!);
    if (moving.length === 0) return null;
    const nearest = nearestSatisfying(
      Float64Array.from(moving, (j) => target[j]!),
      restricted(slice, moving, rounded),
    );
    if (nearest === null) return null;
    const moved = rounded.slice();
    moving.forEach((j, i) => (moved[j] = Math.min(slice.upper[j]!, Math.max(slice.lower[j]!, nearest[i]!))));
    return this.satisfies(moved) ? moved : null;
  }

  /** Changes steps and listed values of the row until the constraints hold. */
  private repaired(
    rounded: Float64Array,
    target: Float64Array,
    pinned: ReadonlyMap<number, number>,
  ): Float64Array | null {
    const columns = new Map<number, Column>();
    for (const j of this.program.coupled) {
      const column = this.encoding.columns[j]!;
      if (column.kind === 'continuous' || column.count === 1 || pinned.has(j)) continue;
      if (!this.counted.has(j)) columns.set(j, { ...column, zero: null });
      else if (!this.isZero(rounded, j)) columns.set(j, column);
    }
    if (columns.size === 0) return null;
    const row = repaired(rounded, target, columns, this.relaxed);
    return row === null ? null : this.moved(row, target, pinned);
  }

  /** Sets features of n-choose-k to zero, or away from it, until each count holds by itself. */
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

  /** Says whether a column of a row is zero in the unit of its input. */
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

/** Linear constraints over some columns, with the other columns fixed at the values of a row. */
function restricted(
  { d, aEq, bEq, aLe, bLe, lower, upper }: LinearConstraints,
  columns: readonly number[],
  row: Float64Array,
): LinearConstraints {
  const within = new Set(columns);
  const over = (a: Float64Array, b: Float64Array) => ({
    a: Float64Array.from(
      { length: b.length * columns.length },
      (_, k) => a[Math.floor(k / columns.length) * d + columns[k % columns.length]!]!,
    ),
    b: b.map((bound, i) => {
      let rest = bound;
      for (let j = 0; j < d; j += 1) if (!within.has(j)) rest -= a[i * d + j]! * row[j]!;
      return rest;
    }),
  });
  const equal = over(aEq, bEq);
  const less = over(aLe, bLe);
  return {
    d: columns.length,
    aEq: equal.a,
    bEq: equal.b,
    aLe: less.a,
    bLe: less.b,
    lower: Float64Array.from(columns, (j) => lower[j]!),
    upper: Float64Array.from(columns, (j) => upper[j]!),
  };
}
