/** A call failed before anything was started at the other system. The agent knows it by its name. */
export class NothingDone extends Error {
  override readonly name = 'NotBegun';
}

/**
 * Does what comes before the start of an effect. It changes nothing that matters, so an error of it says that nothing was done.
 *
 * @throws NothingDone
 */
export async function beforeStart<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw nothingDone(error);
  }
}

/** The error as one that says that nothing was done. */
export function nothingDone(error: unknown): NothingDone {
  return new NothingDone(error instanceof Error ? error.message : String(error), { cause: error });
}
