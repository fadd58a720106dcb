import type { Output, Point } from '../domain/space.js';
import { joined } from '../numeric/index.js';
import { predict, type Models } from './models.js';
import type { PlacedRun } from './runs.js';
import { keepsThresholds, merit } from './solutions.js';

/** What the most promising run in progress improves on average, in the unit of the objective; with a target, distances from it. */
export interface ExpectedGain {
  run: Point;
  /** The best expectation of the runs whose measurements keep every threshold. */
  best: number;
  /** At least 0. */
  gain: number;
}

/** Nodes of the trapezoidal rule over six deviations to each side. */
const NODES = Array.from({ length: 97 }, (_, k) => {
  const z = (k - 48) / 8;
  return { z, weight: Math.exp(-0.5 * z * z) };
});
const TOTAL = NODES.reduce((sum, { weight }) => sum + weight, 0);

/**
 * The expected improvement (Mockus 1975) of each run in progress by itself, times the probability that it keeps every threshold.
 * The outputs are independent.
 *
 * @param complete runs with a result of every output
 * @returns null for several objectives, without a run in progress, and when no run keeps every threshold
 */
export function expectedGain(
  outputs: readonly Output[],
  models: Models,
  complete: readonly PlacedRun[],
  proposed: readonly PlacedRun[],
): ExpectedGain | null {
  const [goal, ...others] = outputs.flatMap(({ objective }, k) =>
    objective === null ? [] : [{ objective, k }],
  );
  const kept = complete.filter((run) => keepsThresholds(outputs, run.measured!));
  if (goal === undefined || others.length > 0 || kept.length === 0 || proposed.length === 0) return null;
  const best = Math.max(
    ...predict(
      models.outputs[goal.k]!,
      kept.map(({ row }) => row),
    ).map(({ mean }) => merit(goal.objective, mean)),
  );
  const rows = joined(
    proposed.map(({ row }) => row),
    models.outputs[0]!.d,
  );
  const marginals = models.outputs.map((model) =>
    model.beside(new Float64Array(0), 0).marginals(rows, proposed.length),
  );
  const gains = proposed.map((_, i) =>
    outputs.reduce((product, output, k) => {
      const { mean, variance } = marginals[k]!;
      const deviation = Math.sqrt(Math.max(0, variance[i]!));
      const sum = NODES.reduce((total, { z, weight }) => {
        const value = models.outputs[k]!.output.fromModel(mean[i]! + deviation * z);
        if (!keepsThresholds([output], { [output.key]: value })) return total;
        return total + weight * (k === goal.k ? Math.max(0, merit(goal.objective, value) - best) : 1);
      }, 0);
      return (product * sum) / TOTAL;
    }, 1),
  );
  const most = gains.indexOf(Math.max(...gains));
  return {
    run: proposed[most]!.point,
    best: goal.objective.kind === 'maximize' ? best : -best,
    gain: gains[most]!,
  };
}
