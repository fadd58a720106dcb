import { isServiceError, ServiceError } from '@lab/contracts';

/**
 * A record that was looked for.
 *
 * @throws ServiceError `not_found`
 */
export function found<T>(record: T | undefined, what: string, name: string): T {
  if (record !== undefined) return record;
  throw new ServiceError('not_found', `There is no ${what} named "${name}".`);
}

/**
 * Reads the record after the orchestrator has committed what was asked for. Whatever goes wrong from here on, the
 * request itself was carried out, and the error says so.
 */
export async function committed<T>(read: () => Promise<T | undefined>, what: string): Promise<T> {
  let record: T | undefined;
  try {
    record = await read();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(
      error.code,
      `The request was carried out, but ${what} cannot be read at present.`,
      {
        effect: 'done',
        cause: error,
      },
    );
  }
  if (record !== undefined) return record;
  throw new ServiceError('internal', `${what} was accepted but has no record`, { effect: 'done' });
}
