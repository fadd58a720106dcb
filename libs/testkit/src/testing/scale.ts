import { processEnvironment } from '@lab/runtime';

/** Name of the environment variable with the share of all repetitions that the tests make, above 0 and at most 1. */
export const scaleVariable = 'SVC_TEST_SCALE';

const usual = 0.1;

/**
 * Repetitions that a test of many random cases makes: all of them with `npm run test:all`, else a tenth.
 *
 * @param all at scale 1
 * @throws Error when `SVC_TEST_SCALE` is no such share
 */
export function repetitions(all: number): number {
  const given = processEnvironment()[scaleVariable];
  const scale = given === undefined ? usual : Number(given);
  if (!(scale > 0 && scale <= 1))
    throw new Error(`${scaleVariable} is ${given}; give a number above 0, up to 1`);
  return Math.ceil(all * scale);
}
