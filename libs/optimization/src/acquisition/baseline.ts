import type { FittedSurrogate } from '../surrogates/surrogate.js';
import { positions } from './pareto.js';

/** Posterior means at observed points (`n x d`), in the scale of each model. @returns `n x models.length` */
export function posteriorMeans(
  models: readonly FittedSurrogate[],
  rows: Float64Array,
  n: number,
): Float64Array {
  const means = new Float64Array(n * models.length);
  models.forEach((model, k) => {
    const { mean } = model.beside(new Float64Array(0), 0).marginals(rows, n);
    for (let i = 0; i < n; i++) means[i * models.length + k] = mean[i]!;
  });
  return means;
}

/**
 * The points that are most often best in a sample. The others hardly affect improvements (Letham et al. 2019; BoTorch
 * `prune_inferior_points`).
 *
 * @param best per sample the positions of its best points
 * @returns at least one position and at most `limit`, rising
 */
export function mostOftenBest(best: Iterable<readonly number[]>, n: number, limit: number): number[] {
  const times = new Float64Array(n);
  for (const positions of best) for (const i of positions) times[i]!++;
  const order = positions(n).sort((a, b) => times[b]! - times[a]! || a - b);
  return order.filter((i, rank) => rank === 0 || (times[i]! > 0 && rank < limit)).sort((a, b) => a - b);
}
