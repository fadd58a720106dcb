import { ServiceError } from '@lab/contracts';
import { databaseError, isTooLong } from '../connection/index.js';

/** Longest time that the database may take to read records, in milliseconds: a request for too much keeps no connection from others. */
export const longestReadMs = 3_000;

/**
 * Waits for a read.
 *
 * @param narrower how to ask for less, in words
 * @throws ServiceError `deadline_exceeded` with these words when the read took too long, else as {@link databaseError}
 */
export async function limited<T>(read: Promise<T>, narrower: () => string): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!isTooLong(error)) throw databaseError(error);
    const message = `the database has to read too many records for this, more than it can in ${longestReadMs / 1_000} s`;
    throw new ServiceError('deadline_exceeded', `${message}; ${narrower()}`, { cause: error });
  }
}
