import { NotBegun } from '@lab/sdk';

/**
 * Does what comes before the start of an effect. It changes nothing that matters, so an error of it says that nothing was done.
 *
 * @throws NotBegun
 */
export async function beforeStart<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw nothingDone(error);
  }
}

/** The error as one that says that nothing was done. */
export function nothingDone(error: unknown): NotBegun {
  return new NotBegun(error instanceof Error ? error.message : String(error), { cause: error });
}
