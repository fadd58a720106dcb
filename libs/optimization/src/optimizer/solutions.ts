import { paretoFront } from '../acquisition/pareto.js';
import type { Measurement, Objective, Output, Point } from '../domain/space.js';
import type { PlacedRun } from './runs.js';

export interface Solution {
  point: Point;
  measured: Measurement;
  /** The measurement keeps every threshold. */
  meetsConstraints: boolean;
  /** The models recommend it: see {@link solutionsOf}. */
  recommended: boolean;
}

/**
 * The best runs: for one objective the best measured ones, for several the Pareto front, of those that keep every
 * threshold; if none does, of those that miss least. Runs that the models recommend are included even if they were not
 * measured best: those that are best by the means of the models, which single measurements mislead less, and for several
 * objectives those that are `likely` on the front of the true values.
 *
 * @param runs measured, in canonical order
 * @param expected predictions for each run, in the unit of each output; null: there are no models
 * @param likely positions of runs; empty for one objective
 */
export function solutionsOf(
  outputs: readonly Output[],
  runs: readonly PlacedRun[],
  expected: readonly Measurement[] | null,
  likely: readonly number[],
): Solution[] {
  if (runs.length === 0) return [];
  const measured = runs.map((run) => run.measured!);
  const best = new Set(bestOf(outputs, measured));
  const recommended = new Set([...(expected === null ? best : bestOf(outputs, expected)), ...likely]);
  return runs.flatMap((run, i) =>
    best.has(i) || recommended.has(i)
      ? [
          {
            point: run.point,
            measured: run.measured!,
            meetsConstraints: keepsThresholds(outputs, run.measured!),
            recommended: recommended.has(i),
          },
        ]
      : [],
  );
}

/**
 * Positions of all results, best first: those that miss thresholds least, then those with the most merit, or, for
 * several objectives, with the fewest results that dominate them.
 */
export function ranked(outputs: readonly Output[], results: readonly Measurement[]): number[] {
  const scales = scalesOf(outputs, results);
  const objectives = outputs.filter(({ objective }) => objective !== null);
  const merits = results.map((result) =>
    objectives.map(({ key, objective }) => merit(objective!, result[key]!)),
  );
  const rank = results.map((result, i) => ({
    i,
    missed: violation(outputs, result, scales),
    worse:
      objectives.length === 1
        ? -merits[i]![0]!
        : merits.filter((other) => dominates(other, merits[i]!)).length,
  }));
  return rank.sort((a, b) => a.missed - b.missed || a.worse - b.worse || a.i - b.i).map(({ i }) => i);
}

/**
 * The row of the best measured run.
 *
 * @param runs with a result of every output
 * @returns null: there is no run, or not exactly one objective
 */
export function bestRow(outputs: readonly Output[], runs: readonly PlacedRun[]): Float64Array | null {
  if (outputs.filter(({ objective }) => objective !== null).length !== 1) return null;
  const [best] = ranked(
    outputs,
    runs.map(({ measured }) => measured!),
  );
  return best === undefined ? null : runs[best]!.row;
}

function dominates(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, j) => value >= b[j]!) && a.some((value, j) => value > b[j]!);
}

function bestOf(outputs: readonly Output[], results: readonly Measurement[]): number[] {
  const violations = results.map((result) => violation(outputs, result, scalesOf(outputs, results)));
  const least = Math.min(...violations);
  const eligible = results.flatMap((_, i) => (violations[i] === least ? [i] : []));
  const objectives = outputs.filter(({ objective }) => objective !== null);
  if (objectives.length === 1) {
    const [{ key, objective }] = objectives as [Output];
    const merits = eligible.map((i) => merit(objective!, results[i]![key]!));
    const most = Math.max(...merits);
    return eligible.filter((_, k) => merits[k] === most);
  }
  const rows = Float64Array.from(
    eligible.flatMap((i) => objectives.map(({ key, objective }) => merit(objective!, results[i]![key]!))),
  );
  return paretoFront(rows, eligible.length, objectives.length).map((k) => eligible[k]!);
}

/** The larger, the better, in the unit of the objective. */
export function merit(objective: Objective, value: number): number {
  switch (objective.kind) {
    case 'minimize':
      return -value;
    case 'maximize':
      return value;
    case 'close_to_target':
      return -Math.abs(value - objective.target);
  }
}

/** Whether a result keeps every threshold. */
export function keepsThresholds(outputs: readonly Output[], result: Measurement): boolean {
  return violation(outputs, result, null) === 0;
}

/** Sum by which the thresholds are missed, in ranges of the outputs; 0: all are kept. */
function violation(
  outputs: readonly Output[],
  result: Measurement,
  scales: readonly number[] | null,
): number {
  return outputs.reduce((sum, { key, constraint }, k) => {
    const { at_least = -Infinity, at_most = Infinity } = constraint ?? {};
    const value = result[key]!;
    return sum + Math.max(0, at_least - value, value - at_most) / (scales?.[k] ?? 1);
  }, 0);
}

function scalesOf(outputs: readonly Output[], results: readonly Measurement[]): number[] {
  return outputs.map(({ key }) => {
    let [low, high] = [Infinity, -Infinity];
    for (const result of results) [low, high] = [Math.min(low, result[key]!), Math.max(high, result[key]!)];
    return high > low ? high - low : 1;
  });
}
