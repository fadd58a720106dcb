import type { LinearConstraints } from '../numeric/index.js';
import { levelAt, levelIndex, type Column } from './encoding.js';

/** Sum of violations that counts as zero, in the scale of rows with a largest coefficient of 1. */
const none = 1e-10;

/** Most changes before giving up. */
const mostChanges = 40;

interface Change {
  /** One or two columns, and their new encoded values. */
  values: readonly (readonly [number, number])[];
  violation: number;
  distance: number;
}

/**
 * Changes steps and listed values until linear constraints hold, each time by the best change of one or two columns.
 * This local search is fast and nearly always successful where many combinations are feasible. Continuous columns
 * stay.
 *
 * @param row with possible values
 * @param target the row to stay near to
 * @param columns columns that may change; where `zero` is set, zeros stay zero and others stay different from zero
 * @returns null: no further change helps
 */
export function repaired(
  row: Float64Array,
  target: Float64Array,
  columns: ReadonlyMap<number, Column>,
  { d, aEq, bEq, aLe, bLe }: LinearConstraints,
): Float64Array | null {
  const m = bEq.length + bLe.length;
  const coefficient = (i: number, j: number) =>
    i < bEq.length ? aEq[i * d + j]! : aLe[(i - bEq.length) * d + j]!;
  const candidate = row.slice();
  const residual = Float64Array.from({ length: m }, (_, i) => {
    let sum = i < bEq.length ? -bEq[i]! : -bLe[i - bEq.length]!;
    for (let j = 0; j < d; j += 1) sum += coefficient(i, j) * candidate[j]!;
    return sum;
  });
  const violationOf = (rest: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < m; i += 1) sum += i < bEq.length ? Math.abs(rest[i]!) : Math.max(0, rest[i]!);
    return sum;
  };
  const shifted = (rest: Float64Array, j: number, by: number) =>
    rest.map((value, i) => value + coefficient(i, j) * by);
  const values = [...columns].map(([j, column]) => ({ j, column }));

  for (let change = 0; change < mostChanges; change += 1) {
    const violation = violationOf(residual);
    if (violation <= none) return candidate;
    let best: Change | null = null;
    const consider = (rest: Float64Array, ...moves: (readonly [number, number])[]) => {
      const found = violationOf(rest);
      if (found > violation - none || (best !== null && found > best.violation + none)) return;
      const distance = moves.reduce((sum, [j, u]) => sum + Math.abs(u - target[j]!), 0);
      const before = moves.reduce((sum, [j]) => sum + Math.abs(candidate[j]! - target[j]!), 0);
      const further = distance - before;
      if (best === null || found < best.violation - none || further < best.distance) {
        best = { values: moves, violation: found, distance: further };
      }
    };
    for (const { j, column } of values) {
      for (const u of options(column, candidate[j]!, residual, (i) => coefficient(i, j))) {
        const rest = shifted(residual, j, u - candidate[j]!);
        consider(rest, [j, u]);
        for (const other of values) {
          if (other.j === j) continue;
          const at = candidate[other.j]!;
          for (const v of options(other.column, at, rest, (i) => coefficient(i, other.j))) {
            consider(shifted(rest, other.j, v - at), [j, u], [other.j, v]);
          }
        }
      }
    }
    if (best === null) return null;
    for (const [j, u] of (best as Change).values) {
      residual.set(shifted(residual, j, u - candidate[j]!));
      candidate[j] = u;
    }
  }
  return null;
}

/** Levels beside the current one, and those that would satisfy a row by themselves. */
function options(
  column: Column,
  u: number,
  residual: Float64Array,
  coefficient: (row: number) => number,
): Set<number> {
  const level = levelIndex(column, u);
  const levels = new Set([level - 1, level + 1]);
  residual.forEach((rest, i) => {
    if (Math.abs(rest) <= none || coefficient(i) === 0) return;
    const wanted = levelIndex(column, u - rest / coefficient(i));
    for (const near of [wanted - 1, wanted, wanted + 1]) levels.add(near);
  });
  levels.delete(level);
  const found = new Set<number>();
  for (const option of levels) {
    if (option < 0 || option >= column.count) continue;
    const value = levelAt(column, option);
    if (column.zero === null || Math.abs(value - column.zero) > 1e-9) found.add(value);
  }
  return found;
}
