import { isServiceError, ServiceError, type TaskRunRecord } from '@lab/contracts';
import { lookupName, readQuery } from '../routes/index.js';
import type { RecordReader } from '../ports/index.js';

export const noBodyHint = 'The name in the address says it all; send no body.';

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

/** The `protocol_run_name` of a task's address; undefined for an on-demand task. */
export function readTaskAddress(query: unknown): string | undefined {
  const run = readQuery(query, ['protocol_run_name'] as const).protocol_run_name;
  return run === undefined ? undefined : lookupName(run, 'protocol run');
}

/**
 * A task by its address.
 *
 * @throws ServiceError `not_found`
 */
export async function foundTask(
  records: RecordReader,
  given: string,
  run: string | undefined,
): Promise<TaskRunRecord> {
  const name = lookupName(given, 'task');
  return found(await records.task(name, run), taskWords(run), name);
}

/** What a task is called that belongs to this run, or to none. */
export function taskWords(run: string | undefined): string {
  return run === undefined ? 'on-demand task' : `task of the protocol run "${run}"`;
}
