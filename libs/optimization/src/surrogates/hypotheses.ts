import type { Rng } from '../numeric/index.js';
import { Evidence, limitsOf, type NoisePrior, type Problem } from './evidence.js';

/** Rounds before the first draw and between two draws. Each round moves every hyperparameter once. */
const FIRST_ROUNDS = 5;
const ROUNDS = 2;
/** Width of the first interval, in logarithms, and how often it grows on each side. */
const WIDTH = 1;
const GROWTHS = 6;
/** Most points of an interval that shrinks. */
const SHRINKS = 30;

/**
 * Draws hyperparameters from their posterior by slice sampling, one coordinate after the other (R. M. Neal: Slice sampling, 2003,
 * figures 3 and 5).
 *
 * @param start likely hyperparameters, as in {@link Evidence.negative}
 * @param stop asked before each move; true ends the sampling, and the result has fewer draws
 * @returns at most `count` draws
 */
export function drawHyperparameters(
  problem: Problem,
  noisePrior: NoisePrior,
  start: Float64Array,
  count: number,
  rng: Rng,
  stop: () => boolean,
): Float64Array[] {
  const evidence = new Evidence(problem, noisePrior);
  const { lower, upper } = limitsOf(problem.groups, noisePrior);
  const density = (theta: Float64Array): number => -evidence.negative(theta);
  const theta = start.slice();
  let current = density(theta);

  /** Moves coordinate `k` to a point whose density is above a level that is drawn below the current one. */
  const move = (k: number): void => {
    const level = current + Math.log(1 - rng.uniform());
    const at = theta[k]!;
    const isAbove = (value: number): boolean => {
      theta[k] = value;
      return density(theta) > level;
    };
    let low = Math.max(at - WIDTH * rng.uniform(), lower[k]!);
    let high = Math.min(low + WIDTH, upper[k]!);
    for (let i = 0; i < GROWTHS && low > lower[k]! && isAbove(low); i++)
      low = Math.max(low - WIDTH, lower[k]!);
    for (let i = 0; i < GROWTHS && high < upper[k]! && isAbove(high); i++)
      high = Math.min(high + WIDTH, upper[k]!);
    for (let i = 0; i < SHRINKS; i++) {
      theta[k] = low + (high - low) * rng.uniform();
      const found = density(theta);
      if (found > level) {
        current = found;
        return;
      }
      if (theta[k]! < at) low = theta[k]!;
      else high = theta[k]!;
    }
    theta[k] = at;
  };

  const draws: Float64Array[] = [];
  const order = Int32Array.from(theta.keys());
  for (let round = 1; draws.length < count; round++) {
    for (const k of rng.shuffle(order)) {
      if (stop()) return draws;
      move(k);
    }
    if (round >= FIRST_ROUNDS && (round - FIRST_ROUNDS) % ROUNDS === 0) draws.push(theta.slice());
  }
  return draws;
}
