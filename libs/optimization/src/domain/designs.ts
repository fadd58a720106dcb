import type { Rng } from '../numeric/index.js';

/** The method that spreads the points of a design. */
export type SamplingMethod = 'SOBOL' | 'RANDOM' | 'LATIN_HYPERCUBE';

/** A Latin hypercube of `count` points in `[0, 1)^n`: each axis has one point in each of `count` equal parts. */
export function latinHypercube(count: number, n: number, rng: Rng): Float64Array[] {
  const points = Array.from({ length: count }, () => new Float64Array(n));
  for (let j = 0; j < n; j += 1) {
    const parts = rng.shuffle(Float64Array.from({ length: count }, (_, i) => i));
    points.forEach((point, i) => (point[j] = (parts[i]! + rng.uniform()) / count));
  }
  return points;
}

/**
 * Positions of the points that represent a pool best: one after the other, the point that lowers the energy distance
 * between the selection and the pool (support points, Mak and Joseph 2018, selected greedily).
 *
 * @param pool rows of equal length
 * @param present existing rows; selected ones keep away from them
 */
export function representatives(
  pool: readonly Float64Array[],
  count: number,
  present: readonly Float64Array[],
): number[] {
  const remote = Float64Array.from(pool, (row) => {
    let sum = 0;
    for (const other of pool) sum += distance(row, other);
    return sum / pool.length;
  });
  const apart = Float64Array.from(pool, (row) => {
    let sum = 0;
    for (const other of present) sum += distance(row, other);
    return sum;
  });
  const chosen: number[] = [];
  const free = new Set(pool.keys());
  while (chosen.length < count && free.size > 0) {
    let best = -1;
    let least = Infinity;
    const taken = present.length + chosen.length + 1;
    for (const i of free) {
      const energy = remote[i]! - apart[i]! / taken;
      if (energy < least) [best, least] = [i, energy];
    }
    chosen.push(best);
    free.delete(best);
    for (const i of free) apart[i]! += distance(pool[i]!, pool[best]!);
  }
  return chosen;
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j += 1) sum += (a[j]! - b[j]!) ** 2;
  return Math.sqrt(sum);
}
