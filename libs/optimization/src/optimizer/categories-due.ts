import type { AcquisitionFunction } from '../acquisition/acquisition.js';
import { listedCombinations, type Domain } from '../domain/domain.js';
import type { Column } from '../domain/encoding.js';

/** Below the values of every acquisition function. */
const APART = 1e6;
/** Runs for each tried category of an input, from which on the next proposal tries another one. */
const RUNS_EACH = 2;
/** In a table of combinations, the category of the best run has at most this share of the runs, if its input has many categories. */
const LARGEST_SHARE = 0.5;
const MANY = 5;
/** It may have more when there are this many runs for each other category. */
const ENOUGH_EACH = 3;

/** A category without any run. */
export interface Untried {
  input: string;
  category: string;
}

/** The next proposal has one of these categories. */
export interface CategoriesDue {
  reason: 'untried' | 'crowded';
  /** Their columns. */
  columns: number[];
}

/** Whether the domain is a table: all its combinations can be listed, and at least one input is a category. */
export const isTable = ({ combinations, columns }: Domain): boolean =>
  combinations <= listedCombinations && columns.some(({ kind }) => kind === 'categorical');

/**
 * The categories that no run has, of inputs without descriptors.
 *
 * @param rows of all runs: measured, failed and in progress
 */
export function untriedOf(columns: readonly Column[], rows: readonly Float64Array[]): Untried[] {
  return untriedColumns(columns, rows).map((j) => ({
    input: columns[j]!.key,
    category: columns[j]!.category!,
  }));
}

/** For each category without a run, the best row with this category in place of its own, as a start of searches. */
export function untriedStarts(
  domain: Domain,
  rows: readonly Float64Array[],
  best: Float64Array,
): Float64Array[] {
  return untriedColumns(domain.columns, rows).flatMap((j) => {
    const changed = best.slice();
    // Above every other column of its input, a category is chosen.
    changed[j] = 2;
    const settled = domain.project(changed);
    return settled === null ? [] : [settled];
  });
}

/**
 * Results of other categories say little about a category without order and descriptors. So the acquisition value alone may leave
 * nearly all runs to the first good category. Inputs with descriptors are left to the models. For all others:
 *
 * - A category without a run is due if there are more than two runs for each tried category of its input. Bandit algorithms try
 *   each arm once for this reason (P. Auer, N. Cesa-Bianchi, P. Fischer: Finite-time analysis of the multiarmed bandit problem, 2002).
 * - In a table of combinations with one objective, the other categories of an input with at least five are due if the one of the best
 *   run has more than half of the runs, until the others have three runs each on average. Half for the best arm is the share of
 *   top-two algorithms (D. Russo: Simple Bayesian algorithms for best-arm identification, 2016). Inputs with fewer categories have
 *   enough runs for each. With continuous inputs, the best category needs more runs, because the best numbers have to be found.
 *
 * @param rows of all runs: measured, failed and in progress
 * @param best row of the best run; null: with several objectives, there is none
 * @returns null: no category is due
 */
export function categoriesDue(
  domain: Domain,
  rows: readonly Float64Array[],
  best: Float64Array | null,
): CategoriesDue | null {
  const { columns } = domain;
  const inputs = inputsOf(columns);
  const untried = untriedColumns(columns, rows);
  const waiting = [...inputs.values()].flatMap((own) => {
    const open = own.filter((j) => untried.includes(j));
    return RUNS_EACH * (own.length - open.length) < rows.length ? open : [];
  });
  if (waiting.length > 0) return { reason: 'untried', columns: waiting };
  if (best === null || !isTable(domain)) return null;
  const others = [...inputs.values()].flatMap((own) => {
    if (own.length < MANY) return [];
    const elsewhere = own.filter((j) => best[j] !== 1);
    const runs = rows.filter((row) => elsewhere.some((j) => row[j] === 1)).length;
    const wanted = Math.min((1 - LARGEST_SHARE) * rows.length, ENOUGH_EACH * elsewhere.length);
    return runs < wanted ? elsewhere : [];
  });
  return others.length > 0 ? { reason: 'crowded', columns: others } : null;
}

/**
 * An acquisition function that prefers the rows with one of {@link categoriesDue}, and chooses among them by `inner`.
 *
 * @param rows of all runs, and of the rows that are already in the sample
 */
export function withCategoriesDue(
  inner: AcquisitionFunction,
  domain: Domain,
  rows: readonly Float64Array[],
  best: Float64Array | null,
): AcquisitionFunction {
  return inputsOf(domain.columns).size === 0 ? inner : new DueFirst(inner, domain, rows, best);
}

class DueFirst implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit = 1;
  private readonly due: readonly number[];

  /** @param rows of all runs */
  constructor(
    private readonly inner: AcquisitionFunction,
    private readonly domain: Domain,
    private readonly rows: readonly Float64Array[],
    private readonly best: Float64Array | null,
  ) {
    this.d = inner.d;
    this.due = categoriesDue(domain, rows, best)?.columns ?? [];
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
    const { d, domain, best } = this;
    const further = Array.from({ length: count }, (_, i) => points.slice(i * d, (i + 1) * d));
    return new DueFirst(this.inner.withPending(points, count), domain, [...this.rows, ...further], best);
  }

  private away(points: Float64Array, i: number): number {
    const { due, d } = this;
    return due.length > 0 && due.every((j) => points[i * d + j] !== 1) ? APART : 0;
  }
}

/** Columns of each categorical input without descriptors. */
function inputsOf(columns: readonly Column[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  columns.forEach(({ kind, descriptors, input }, j) => {
    if (kind !== 'categorical' || descriptors !== undefined) return;
    const own = found.get(input);
    if (own === undefined) found.set(input, [j]);
    else own.push(j);
  });
  return found;
}

const untriedColumns = (columns: readonly Column[], rows: readonly Float64Array[]): number[] =>
  [...inputsOf(columns).values()].flat().filter((j) => rows.every((row) => row[j] !== 1));
