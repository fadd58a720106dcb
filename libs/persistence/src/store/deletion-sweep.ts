import type { RemovedCounts } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema/index.js';

/** What a deletion removes, as the gateway counted it when it had removed all files; undefined: it has not. */
export async function filesRemoved(
  db: Kysely<Database>,
  deletionId: string,
): Promise<RemovedCounts | undefined> {
  const { rows } = await sql<RemovedCounts>`
    select task_runs, files, bytes from deletion_files where deletion_id = ${deletionId}`.execute(db);
  return rows[0];
}

/**
 * Removes a portion of the records of a running deletion whose files are removed.
 *
 * @param limit greatest number of task runs, runs or trials
 * @returns how many were removed; 0: nothing is left
 */
export async function removeRecords(
  db: Kysely<Database>,
  deletionId: string,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    select sweep_deletion(${deletionId}, ${limit}) as removed`.execute(db);
  return rows[0]?.removed ?? 0;
}
