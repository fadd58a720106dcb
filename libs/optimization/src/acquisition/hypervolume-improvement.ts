import type { Boxes } from './boxes.js';
import { fatPlus, fatPlusSlope, PLUS_WIDTH } from './smooth.js';

/** Derivatives of {@link logHypervolumeImprovement}, in the shapes of its arguments; empty: not requested. */
export interface HypervolumeReduced {
  value: number;
  dObjectives: Float64Array;
  dLogFeasibility: Float64Array;
}

/**
 * Logarithm of the expected hypervolume that a batch adds to each sample, by inclusion and exclusion over the subsets
 * of the batch (Daulton et al. 2020, eq. 5, 2021; improvements per box smoothed as in Ament et al. 2023).
 *
 * @param boxes per sample the region that is not dominated yet
 * @param objectives `count x q x m`, to be maximised
 * @param feasibility `count x q`, from 0 to 1
 */
export function logHypervolumeImprovement(
  boxes: readonly Boxes[],
  objectives: Float64Array,
  feasibility: Float64Array,
  q: number,
  sloped: boolean,
): HypervolumeReduced {
  const count = boxes.length;
  const m = boxes[0]!.m;
  const dObjectives = new Float64Array(count * q * m);
  const dFeasibility = new Float64Array(count * q);
  const least = new Float64Array(m);
  const from = new Int32Array(m);
  const sides = new Float64Array(m);
  const dLeast = new Float64Array(m);
  let total = 0;
  for (let s = 0; s < count; s++) {
    for (let subset = 1; subset < 1 << q; subset++) {
      // What all points of the subset dominate together is bounded by the least of them in each objective.
      least.fill(Infinity);
      let size = 0;
      let sure = 1;
      for (let i = 0; i < q; i++) {
        if ((subset & (1 << i)) === 0) continue;
        size++;
        sure *= feasibility[s * q + i]!;
        for (let j = 0; j < m; j++) {
          const value = objectives[(s * q + i) * m + j]!;
          if (value < least[j]!) {
            least[j] = value;
            from[j] = (s * q + i) * m + j;
          }
        }
      }
      const sign = size % 2 === 1 ? 1 : -1;
      dLeast.fill(0);
      const volume = volumeWithin(boxes[s]!, least, sides, sloped ? dLeast : null);
      total += sign * sure * volume;
      if (!sloped) continue;
      for (let j = 0; j < m; j++) dObjectives[from[j]!]! += sign * sure * dLeast[j]!;
      for (let i = 0; i < q; i++)
        if ((subset & (1 << i)) !== 0) dFeasibility[s * q + i]! += sign * sure * volume;
    }
  }
  // Rounding of the alternating sum may give a negative rest.
  const held = Math.max(total, 1e-280);
  for (let i = 0; i < dObjectives.length; i++) dObjectives[i]! /= held;
  for (let i = 0; i < dFeasibility.length; i++) dFeasibility[i]! /= held;
  return { value: Math.log(held / count), dObjectives, dLogFeasibility: dFeasibility };
}

/** The volume of the boxes below a point. Adds its derivatives if requested. */
function volumeWithin(
  { m, count, lower, upper }: Boxes,
  point: Float64Array,
  sides: Float64Array,
  derivatives: Float64Array | null,
): number {
  let total = 0;
  for (let c = 0; c < count; c++) {
    let volume = 1;
    for (let j = 0; j < m; j++) {
      const side = fatPlus(Math.min(point[j]!, upper[c * m + j]!) - lower[c * m + j]!, PLUS_WIDTH);
      sides[j] = side;
      volume *= side;
    }
    total += volume;
    if (derivatives === null) continue;
    for (let j = 0; j < m; j++) {
      if (point[j]! >= upper[c * m + j]!) continue;
      derivatives[j]! += (volume / sides[j]!) * fatPlusSlope(point[j]! - lower[c * m + j]!, PLUS_WIDTH);
    }
  }
  return total;
}
