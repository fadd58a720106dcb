import type { AcquisitionChoice } from '../acquisition/acquisition.js';
import { isNoisy } from '../acquisition/information.js';
import type { Domain } from '../domain/domain.js';
import type { Output } from '../domain/space.js';
import { isTable } from './categories-due.js';
import type { Models } from './models.js';
import type { Settings } from './settings.js';

/** With less noise, in the scale of the model, the best result is certain enough. */
const NOISELESS = 0.05;

/** In a table of combinations, every run whose number is a multiple of this one explores. */
export const EXPLORES_EVERY = 5;
/** Square of the width of its confidence bound, in deviations. */
const WIDE = 4;

/**
 * The choice for runs that explore; null: there are none. Of a good category, many combinations promise a small improvement each, so
 * that all runs may go there. Other categories promise one only at the end of their wide intervals.
 */
export function explorerOf(
  { acquisition_function }: Settings,
  outputs: readonly Output[],
  domain: Domain,
): AcquisitionChoice | null {
  const objectives = outputs.filter(({ objective }) => objective !== null).length;
  return acquisition_function === null && objectives === 1 && isTable(domain)
    ? { kind: 'qUCB', beta: WIDE }
    : null;
}

/** @param before number of runs that have begun, with those that have ended */
export const isExplorersTurn = (before: number): boolean => before % EXPLORES_EVERY === EXPLORES_EVERY - 1;

/**
 * The choice of the author, or: expected improvement over the best mean, in closed form, while noise is too small to
 * hide the best result; otherwise over the best of joint samples (Letham et al. 2019).
 *
 * @returns also the reason, as sentences
 */
export function acquisitionOf(
  { acquisition_function: kind, beta }: Settings,
  outputs: readonly Output[],
  models: Models,
): { choice: AcquisitionChoice; reason: string } {
  const setting = 'The setting "acquisition_function" asks for it.';
  if (kind === 'qUCB') return { choice: { kind, beta }, reason: setting };
  if (kind !== null) return { choice: { kind }, reason: setting };
  const objectives = outputs.filter(({ objective }) => objective !== null).length;
  if (objectives > 4)
    return { choice: { kind: 'qLogNParEGO' }, reason: 'There are more than four objectives.' };
  if (objectives > 1) return { choice: { kind: 'qLogNEHVI' }, reason: 'There are two to four objectives.' };
  if (models.outputs.every(({ noise }) => noise < NOISELESS))
    return { choice: { kind: 'qLogEI' }, reason: 'The results show hardly any noise.' };
  const model = models.outputs[outputs.findIndex(({ objective }) => objective !== null)]!;
  return {
    choice: { kind: 'qLogNEI' },
    reason: isNoisy(model.choices, models.n)
      ? 'The results are noisy. A well-known point is worth less, because another measurement tells little.'
      : 'The results may be noisy.',
  };
}
