import type { AcquisitionChoice } from '../acquisition/acquisition.js';
import type { Domain } from '../domain/domain.js';
import type { Column } from '../domain/encoding.js';
import type { Output } from '../domain/space.js';
import type { FitOptions, FittedSurrogate } from '../surrogates/surrogate.js';
import type { Models } from './models.js';
import type { Settings } from './settings.js';

const HYPOTHESES = 4;
/** With more results, the hypotheses hardly differ. */
const MOST_RESULTS = 100;
/** A larger domain has numbers of many values: the search near the best run then matters as well, and the average delays it. */
const MOST_COMBINATIONS = 5_000;
/** An input with fewer categories is no reason to doubt: each of them soon has several runs. */
const LEAST_CATEGORIES = 3;

/** Why proposals should not trust one fit. */
export interface Doubt {
  /** The reason, as a sentence. */
  reason: string;
  /** Whether it only counts for a point that is chosen while results of others are missing. */
  inBatches: boolean;
}

/**
 * Few results hardly tell how alike categories without descriptors are. The likeliest lengthscale may say that they are the
 * same, and all runs of a batch then go to the best known one. A single run is soon corrected by its result.
 *
 * @returns null: the fitted models are enough
 */
export function doubtOf(
  { hypotheses }: Settings,
  { kind }: AcquisitionChoice,
  outputs: readonly Output[],
  { n, outputs: models }: Models,
  { columns, combinations }: Domain,
): Doubt | null {
  if (hypotheses === 'one' || kind === 'qUCB' || models.some((model) => model.hypotheses === undefined))
    return null;
  if (hypotheses === 'several') return { reason: 'The setting "hypotheses" asks for it.', inBatches: false };
  const hasOneObjective = outputs.filter(({ objective }) => objective !== null).length === 1;
  const isSmall = n <= MOST_RESULTS && combinations <= MOST_COMBINATIONS;
  return hasOneObjective && isSmall && hasManyCategories(columns)
    ? { reason: 'Few results hardly tell how alike two categories are.', inBatches: true }
    : null;
}

const hasManyCategories = (columns: readonly Column[]): boolean =>
  columns.some(({ input }) => {
    const isOwn = (each: Column): boolean =>
      each.input === input && each.kind === 'categorical' && each.descriptors === undefined;
    return columns.filter(isOwn).length >= LEAST_CATEGORIES;
  });

/**
 * Models with hyperparameters that are drawn from their posterior.
 *
 * @returns per hypothesis one model for each output; without time, the fitted models are the only hypothesis
 */
export function hypothesesOf({ outputs }: Models, options: FitOptions): (readonly FittedSurrogate[])[] {
  const timeLimitMs = options.timeLimitMs / outputs.length;
  const drawn = outputs.map(
    (model, k) => model.hypotheses?.(HYPOTHESES, { ...options, timeLimitMs, seed: options.seed + k }) ?? [],
  );
  const count = Math.min(...drawn.map(({ length }) => length));
  return count === 0 ? [outputs] : Array.from({ length: count }, (_, h) => drawn.map((of) => of[h]!));
}
