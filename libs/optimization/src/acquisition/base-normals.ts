import { ndtri, padded, Sobol, SOBOL_DIMENSIONS, type Rng } from '../numeric/index.js';

/**
 * Standard normal numbers behind joint samples: a scrambled Sobol sequence through the inverse distribution. The even
 * first dimensions serve the points of a draw; dimensions beyond the sequence get independent numbers (Caflisch 1998;
 * Balandat et al. 2020, section 3.2).
 *
 * @param outputs number of outputs, each with its own numbers
 * @param count number of samples
 * @param fixed number of fixed points
 * @param most most points of a draw
 * @returns per output `count x padded(fixed + most)`: fixed points, then points of a draw, then zeros
 */
export function baseNormals(
  outputs: number,
  count: number,
  fixed: number,
  most: number,
  rng: Rng,
): Float64Array[] {
  const width = fixed + most;
  const stride = padded(width);
  const normals = Array.from({ length: outputs }, () => new Float64Array(count * stride));
  const even = Math.min(SOBOL_DIMENSIONS, outputs * width);
  if (even === 0) return normals;
  const points = new Sobol(even, { seed: rng.word() }).take(count);
  invert(points);
  const further = outputs * width - even;
  const independent = rng.normals(count * further);
  for (let s = 0; s < count; s++) {
    for (let place = 0; place < width; place++) {
      const at = s * stride + (place < most ? fixed + place : place - most);
      for (let k = 0; k < outputs; k++) {
        const dimension = place * outputs + k;
        normals[k]![at] =
          dimension < even ? points[s * even + dimension]! : independent[s * further + dimension - even]!;
      }
    }
  }
  return normals;
}

/** Makes uniform numbers standard normal, in place. */
function invert(uniform: Float64Array): void {
  for (let i = 0; i < uniform.length; i++) uniform[i] = ndtri(uniform[i]!);
}
