import type { Candidate } from './ascent.js';

/** Chooses among rows of nearly the same value by the time that their runs take. */
export interface Preference {
  /** Greatest loss of worth, as a share of the best row's, from 0 to below 1. */
  readonly loss: number;
  /** @returns seconds that a run of each row takes, above 0; null: unknown */
  seconds(rows: readonly Float64Array[]): Float64Array | null;
  /** Called with each row that is chosen, in order: later runs take place beside it. */
  choose(row: Float64Array): void;
}

/** The comparison of a chosen row with the row of the highest value. */
export interface Choice {
  /** Its worth as a share of the best row's, at most 1. */
  worth: number;
  /** Seconds that its run takes, and those of the best row. */
  seconds: number;
  plainSeconds: number;
}

/** Rounds of changes of the preferred row. */
const ROUNDS = 6;
/** Least gain of worth per time, in the logarithm: less is an error of the estimates. */
const LEAST_GAIN = 0.02;

/**
 * The row with the most worth per time, among those whose worth is at least `1 - loss` of the best row's (Snoek,
 * Larochelle and Adams 2012, "Practical Bayesian optimization of machine learning algorithms", section 3.2, without the
 * limit). The limit keeps the search from the cheap parts of a domain where there is nothing to learn.
 *
 * @param best the row of the highest value; values are logarithms of worth
 * @param others further unused rows
 * @param changed unused rows that differ from a row in one input
 */
export function preferred(
  best: Candidate,
  others: readonly Candidate[],
  changed: (row: Float64Array) => Candidate[],
  preference: Preference,
  stop: () => boolean,
): { row: Float64Array; choice: Choice | null } {
  const least = best.value + Math.log1p(-preference.loss);
  const plain = { row: best.row, choice: null };
  const plainSeconds = preference.seconds([best.row])?.[0];
  if (plainSeconds === undefined) return plain;
  let top = { candidate: best, seconds: plainSeconds };
  const consider = (candidates: readonly Candidate[]): boolean => {
    const near = candidates.filter(({ value }) => value >= least);
    const seconds = near.length === 0 ? null : preference.seconds(near.map(({ row }) => row));
    const before = top;
    near.forEach((candidate, i) => {
      const time = seconds?.[i] ?? Infinity;
      const gain = candidate.value - Math.log(time) - (top.candidate.value - Math.log(top.seconds));
      if (gain > 0) top = { candidate, seconds: time };
    });
    return top !== before;
  };
  consider([...others, ...changed(best.row)]);
  for (let round = 0; round < ROUNDS && !stop(); round += 1) if (!consider(changed(top.candidate.row))) break;
  const { candidate, seconds } = top;
  const gain = candidate.value - best.value - Math.log(seconds / plainSeconds);
  if (seconds >= plainSeconds || gain < LEAST_GAIN) return plain;
  const worth = Math.min(1, Math.exp(candidate.value - best.value));
  return { row: candidate.row, choice: { worth, seconds, plainSeconds } };
}
