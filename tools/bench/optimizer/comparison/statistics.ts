/** Quantiles, and the test by ranks that decides between two methods. */

/** The quantile by linear interpolation between ranks. Infinite values are allowed. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = p * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === high ? low : low + (at - Math.floor(at)) * (high - low);
}

/** Ranks from 1, equal values share the mean of their ranks. All are doubled, so that they are whole numbers. */
function doubledRanks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => compare(values[a] ?? NaN, values[b] ?? NaN));
  const ranks = values.map(() => 0);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1] ?? 0] === values[order[from] ?? 0]) to += 1;
    for (let i = from; i <= to; i += 1) ranks[order[i] ?? 0] = from + to + 2;
    from = to + 1;
  }
  return ranks;
}

// The difference of two infinite values is no number.
const compare = (a: number, b: number): number => (a < b ? -1 : Number(a > b));

/**
 * The two-sided test of Mann and Whitney (1947), exact also with equal values: the sum of the ranks of `a` beside the sums of all
 * ways to choose as many of the values.
 *
 * @param a at least one value, which may be infinite
 * @returns the probability of a sum at least as far from the mean when both samples have the same distribution
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const ranks = doubledRanks([...a, ...b]);
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  // Of each number of chosen values: the number of ways to have each sum.
  const ways = Array.from({ length: a.length + 1 }, () => new Float64Array(total + 1));
  const start = ways[0];
  if (start !== undefined) start[0] = 1;
  for (const rank of ranks)
    for (let count = a.length; count > 0; count -= 1) {
      const [to, from] = [ways[count], ways[count - 1]];
      if (to === undefined || from === undefined) continue;
      for (let sum = total; sum >= rank; sum -= 1) to[sum] = (to[sum] ?? 0) + (from[sum - rank] ?? 0);
    }
  const seen = ranks.slice(0, a.length).reduce((sum, rank) => sum + rank, 0);
  const mean = (total * a.length) / ranks.length;
  const distance = Math.abs(seen - mean) - 1e-9;
  let [far, all] = [0, 0];
  ways[a.length]?.forEach((number, sum) => {
    all += number;
    if (Math.abs(sum - mean) >= distance) far += number;
  });
  return far / all;
}

/** Whether the test can find a difference at 5 % in so many values: if all of one sample are better than all of the other. */
export function canDecide(a: number, b: number): boolean {
  let ways = 1;
  for (let k = 1; k <= b; k += 1) ways = (ways * (a + k)) / k;
  return a > 0 && b > 0 && 2 / ways <= 0.05;
}

export type Verdict = 'win' | 'tie' | 'loss';

/**
 * Whether `ours` is better than `theirs` at 5 %.
 *
 * @param isMaximized whether larger values are better
 */
export function verdict(
  ours: readonly number[],
  theirs: readonly number[],
  isMaximized: boolean,
): { verdict: Verdict; p: number } {
  const p = mannWhitney(ours, theirs);
  if (p > 0.05) return { verdict: 'tie', p };
  const ranks = doubledRanks([...ours, ...theirs]);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const isSmaller = mean(ranks.slice(0, ours.length)) < mean(ranks.slice(ours.length));
  return { verdict: isSmaller === isMaximized ? 'loss' : 'win', p };
}
