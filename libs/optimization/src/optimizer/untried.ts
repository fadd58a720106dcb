import type { AcquisitionFunction } from '../acquisition/acquisition.js';
import type { Domain } from '../domain/domain.js';
import type { Column } from '../domain/encoding.js';

/** Below the values of every acquisition function. */
const APART = 1e6;
/** Runs for each tried category of an input, from which on the next proposal tries another one. */
const RUNS_EACH = 2;

/** A category without any run. */
export interface Untried {
  input: string;
  category: string;
}

/**
 * The categories that no run has, of inputs without descriptors.
 *
 * @param rows of all runs: measured, failed and in progress
 */
export function untriedOf(columns: readonly Column[], rows: readonly Float64Array[]): Untried[] {
  return positionsOf(columns, rows).map((j) => ({
    input: columns[j]!.key,
    category: columns[j]!.category!,
  }));
}

/**
 * An acquisition function that chooses among the rows with a category that no run has, if there are more than two runs for each
 * tried category of its input. Results of other categories say nothing about a category without order and descriptors: its
 * prediction is their mean. So the best known category could keep all runs. Bandit algorithms try each arm once for this reason
 * (P. Auer, N. Cesa-Bianchi, P. Fischer: Finite-time analysis of the multiarmed bandit problem, 2002). Inputs with descriptors
 * are left to the models.
 *
 * @param rows of all runs, and of the rows that are already in the sample
 * @returns `inner` itself if every category has a run
 */
export function withUntried(
  inner: AcquisitionFunction,
  { columns }: Domain,
  rows: readonly Float64Array[],
): AcquisitionFunction {
  return positionsOf(columns, rows).length === 0 ? inner : new UntriedWhenDue(inner, columns, rows);
}

/** For each category without a run, the best row with this category in place of its own, as a start of searches. */
export function untriedStarts(
  domain: Domain,
  rows: readonly Float64Array[],
  best: Float64Array,
): Float64Array[] {
  return positionsOf(domain.columns, rows).flatMap((j) => {
    const changed = best.slice();
    // Above every other column of its input, a category is chosen.
    changed[j] = 2;
    const settled = domain.project(changed);
    return settled === null ? [] : [settled];
  });
}

/** Columns of the categories that no row has. */
const positionsOf = (columns: readonly Column[], rows: readonly Float64Array[]): number[] =>
  columns.flatMap(({ kind, descriptors }, j) =>
    kind === 'categorical' && descriptors === undefined && rows.every((row) => row[j] !== 1) ? [j] : [],
  );

/** Columns of the categories without a run, of inputs with many runs for each tried category. */
function dueOf(columns: readonly Column[], rows: readonly Float64Array[]): number[] {
  const untried = positionsOf(columns, rows);
  const isDue = (input: number): boolean => {
    const tried = columns.filter((column, j) => column.input === input && !untried.includes(j)).length;
    return RUNS_EACH * tried < rows.length;
  };
  return untried.filter((j) => isDue(columns[j]!.input));
}

class UntriedWhenDue implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit = 1;
  private readonly due: readonly number[];

  /** @param rows of all runs */
  constructor(
    private readonly inner: AcquisitionFunction,
    private readonly columns: readonly Column[],
    private readonly rows: readonly Float64Array[],
  ) {
    this.d = inner.d;
    this.due = dueOf(columns, rows);
  }

  value(points: Float64Array, q: number): number {
    return this.inner.value(points, q) - this.away(points, 0);
  }

  values(points: Float64Array, m: number): Float64Array {
    return this.inner.values(points, m).map((value, i) => value - this.away(points, i));
  }

  /** No search moves a category along a slope, so that the inner slope is enough. */
  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array } {
    const { value, gradient } = this.inner.gradient(points, q);
    return { value: value - this.away(points, 0), gradient };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    const { d } = this;
    const further = Array.from({ length: count }, (_, i) => points.slice(i * d, (i + 1) * d));
    const rows = [...this.rows, ...further];
    const inner = this.inner.withPending(points, count);
    return positionsOf(this.columns, rows).length === 0
      ? inner
      : new UntriedWhenDue(inner, this.columns, rows);
  }

  private away(points: Float64Array, i: number): number {
    const { due, d } = this;
    return due.length > 0 && due.every((j) => points[i * d + j] !== 1) ? APART : 0;
  }
}
