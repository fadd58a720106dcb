import { normal, randomNumbers } from '../campaign.js';

/** How measurements differ from the true values. All numbers are in the units of the outputs. */
export interface Noise {
  /** Standard deviation of each output. */
  deviations: readonly number[];
  /** Factor of the deviations at a point with these true values. Default 1. */
  growth?: (truth: readonly number[]) => number;
  /** Share of the measurements of the first output that are wrong, and by how much at most. */
  outliers?: { share: number; by: number; sides: 'worse' | 'both' };
}

/**
 * The measurement of the `run`-th run of a campaign. It depends on the seed and the number of the run alone, so that every
 * method has the same luck.
 *
 * @param worse 1 if larger values of the first output are worse, else -1
 */
export function measured(
  truth: readonly number[],
  { deviations, growth = () => 1, outliers }: Noise,
  { seed, run, worse }: { seed: number; run: number; worse: number },
): number[] {
  const random = randomNumbers(10_007 * (seed + 1) + run);
  const factor = growth(truth);
  const values = truth.map((value, k) => value + factor * (deviations[k] ?? 0) * normal(random));
  const [isWrong, size, side] = [random(), random(), random()];
  if (outliers === undefined || isWrong >= outliers.share) return values;
  const sign = outliers.sides === 'both' && side < 0.5 ? -worse : worse;
  return values.map((value, k) => (k === 0 ? value + sign * outliers.by * (0.2 + 0.8 * size) : value));
}
