import type { Rng } from '../numeric/index.js';
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
    const mean = model.means(rows, n);
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

/** Random locations, over all samples together, that decide how much a point contributes to the hypervolume. */
const LOCATIONS = 4096;

/** A sample of the objectives at `n` points, to be maximised. */
export interface FrontSample {
  /** `n x m` */
  readonly objectives: Float64Array;
  /** Positions on the front, of points above the reference point. */
  readonly front: readonly number[];
}

/**
 * The points that together dominate the largest share of the hypervolume of all samples, the most important first. Each
 * next one dominates the most random locations that no earlier one does, which reaches at least 63 % of the best choice
 * (Nemhauser, Wolsey and Fisher 1978). Then come the other points on fronts, those on the most fronts first.
 */
export function widestCover(
  samples: readonly FrontSample[],
  n: number,
  reference: Float64Array,
  limit: number,
  rng: Rng,
): number[] {
  const m = reference.length;
  const each = Math.ceil(LOCATIONS / samples.length);
  /** Per location its points. */
  const over: number[][] = [];
  const times = new Float64Array(n);
  const at = new Float64Array(m);
  for (const { objectives, front } of samples) {
    for (const i of front) times[i]!++;
    const best = reference.map((low, j) =>
      front.reduce((high, i) => Math.max(high, objectives[i * m + j]!), low),
    );
    for (let k = 0; k < each; k++) {
      for (let j = 0; j < m; j++) at[j] = reference[j]! + rng.uniform() * (best[j]! - reference[j]!);
      over.push(holdersOf(at, objectives, front));
    }
  }
  return greedyCover(over, times, limit);
}

/** The points on a front that dominate a location. */
function holdersOf(at: Float64Array, objectives: Float64Array, front: readonly number[]): number[] {
  const holders: number[] = [];
  for (const i of front) if (isUnder(at, objectives, i * at.length)) holders.push(i);
  return holders;
}

function isUnder(at: Float64Array, objectives: Float64Array, from: number): boolean {
  for (let j = 0; j < at.length; j++) if (!(at[j]! <= objectives[from + j]!)) return false;
  return true;
}

/** @param times that each point is on a front; points with 0 are not chosen */
function greedyCover(over: readonly (readonly number[])[], times: Float64Array, limit: number): number[] {
  const n = times.length;
  /** Per point its locations. */
  const under: number[][] = Array.from({ length: n }, () => []);
  over.forEach((holders, location) => {
    for (const i of holders) under[i]!.push(location);
  });
  const gains = Float64Array.from(under, ({ length }) => length);
  const covered = new Uint8Array(over.length);
  const left = positions(n).filter((i) => times[i]! > 0);
  const chosen: number[] = [];
  while (chosen.length < limit && left.length > 0) {
    const [point] = left.splice(mostGaining(left, gains, times), 1) as [number];
    chosen.push(point);
    for (const location of under[point]!) {
      if (covered[location] === 1) continue;
      covered[location] = 1;
      for (const i of over[location]!) gains[i]!--;
    }
  }
  return chosen;
}

function mostGaining(left: readonly number[], gains: Float64Array, times: Float64Array): number {
  let next = 0;
  for (let k = 1; k < left.length; k++) {
    const [a, b] = [left[k]!, left[next]!];
    if (gains[a]! > gains[b]! || (gains[a] === gains[b] && times[a]! > times[b]!)) next = k;
  }
  return next;
}
