import type { Rng } from '../numeric/index.js';

/**
 * Standard normal numbers behind joint samples.
 *
 * @param outputs number of outputs, each with numbers of its own
 * @param count number of samples
 * @param fixed points that stay
 * @param most points of a draw
 * @returns per output `count x (fixed + most)`
 */
export function baseNormals(
  outputs: number,
  count: number,
  fixed: number,
  most: number,
  rng: Rng,
): Float64Array[] {
  return Array.from({ length: outputs }, () => rng.normals(count * (fixed + most)));
}
