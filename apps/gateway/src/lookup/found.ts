import { isServiceError, ServiceError } from '@lab/contracts';

/**
 * The record of a look-up.
 *
 * @throws ServiceError `not_found`
 */
export function found<T>(record: T | undefined, what: string, name: string): T {
  if (record !== undefined) return record;
  throw new ServiceError('not_found', `There is no ${what} named "${name}".`);
}

/**
 * Reads a record after the orchestrator has committed a request. If the read fails, the error says that the request itself
 * was executed.
 */
export async function committed<T>(read: () => Promise<T | undefined>, what: string): Promise<T> {
  let record: T | undefined;
  try {
    record = await read();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, `The request was executed, but ${what} cannot be read now.`, {
      effect: 'done',
      cause: error,
    });
  }
  if (record !== undefined) return record;
  throw new ServiceError('internal', `${what} was accepted but has no record`, { effect: 'done' });
}
