import { percentile } from '../../shared/measure.js';

/**
 * Statistics of ratios on a machine with other work.
 *
 * Load, temperature and the neighbours of a virtual machine change both costs of a pair alike, so each pair is measured in
 * turn within a second, and its ratio is what counts. Other work only adds to the time of a call, so the time of a round is
 * the first decile of its calls (Chen and Revels, Robust Benchmarking in Noisy Environments, HPEC 2016, take the minimum).
 * The median of the ratios ignores rounds that something disturbed. Its
 * confidence interval consists of two of the measured ratios, by their ranks (a sign test turned around). It assumes nothing
 * of the distribution: David and Nagaraja, Order Statistics, 3rd edition, section 7.1; Le Boudec, Performance Evaluation of
 * Computer and Communication Systems, section 2.2.
 *
 * Processor time hardly depends on other work; throughput at saturation does, and is left out.
 *
 * Rounds of one run share the layout of memory and the decisions of the compiler. Runs differ by more than rounds do
 * (Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013), so the noise of a mark comes from whole runs.
 */

/** The cost of one operation of the service and of its floor, in the same unit. */
export interface Pair {
  ours: number;
  floor: number;
}

/** Medians over the rounds. */
export interface Measured extends Pair {
  ratio: number;
  /** Bounds of the confidence interval of the ratio. */
  low: number;
  high: number;
  rounds: number;
}

/** The chance that the true median lies below the interval, and the chance that it lies above. */
const tail = 0.025;

/** @throws Error when there is no round */
export function measured(rounds: readonly Pair[]): Measured {
  if (rounds.length === 0) throw new Error('nothing was measured');
  const ratios = rounds.map(({ ours, floor }) => ours / floor).sort((a, b) => a - b);
  const rank = rankOfBound(ratios.length);
  return {
    ours: median(rounds.map(({ ours }) => ours)),
    floor: median(rounds.map(({ floor }) => floor)),
    ratio: median(ratios),
    low: ratios[rank - 1] ?? NaN,
    high: ratios[ratios.length - rank] ?? NaN,
    rounds: rounds.length,
  };
}

/**
 * The rank of the number that bounds the confidence interval of the median from below: the largest rank for which fewer
 * numbers lie below the true median with a chance of at most 2.5 %. With fewer than six numbers no rank is so certain, and
 * the interval has all of them.
 */
export function rankOfBound(count: number): number {
  let chance = 0.5 ** count;
  let rank = 0;
  for (let sum = chance; sum <= tail; sum += chance) {
    rank += 1;
    chance *= (count - rank + 1) / rank;
  }
  return Math.max(1, rank);
}

/** The time of a call that little disturbed: the first decile of the times. */
export const quick = (times: readonly number[]): number => percentile(times, 0.1);

/** The middle number, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const upper = -percentile(
    numbers.map((each) => -each),
    0.5,
  );
  return (percentile(numbers, 0.5) + upper) / 2;
}

/** The standard deviation of a normal distribution with the same median absolute deviation. */
export function robustDeviation(numbers: readonly number[]): number {
  const middle = median(numbers);
  return 1.4826 * median(numbers.map((each) => Math.abs(each - middle)));
}
