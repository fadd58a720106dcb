import { sql, type RawBuilder } from 'kysely';

/** Id of the work that a task run, joined with its protocol run, is archived with: its campaign, else its run, else itself. */
export const rootOfTask = sql`coalesce(protocol_run.campaign_id, task_run.run_id, task_run.id)`;
/** Id of the work that a protocol run is archived with: its campaign, else itself. */
export const rootOfRun = sql`coalesce(protocol_run.campaign_id, protocol_run.id)`;

/**
 * Joins a row of `archive` to archived work. Without fresh statistics, PostgreSQL expects a bare `is null` to be true
 * for hardly any row and scans the whole archive for each row of work; the `case` prevents this.
 */
export function isArchived(root: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`archive.id = ${root} and case when archive.restored_at is null then true else false end`;
}

/** @param root id of the work that the row is archived with */
export function joinArchive(root: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left join archive on ${isArchived(root)}`;
}

/** The filter `archived` of a list whose rows are joined by {@link joinArchive}. */
export function isListed(archived: unknown): RawBuilder<unknown> {
  if (archived === 'all') return sql`true`;
  return archived === 'true' ? sql`archive.id is not null` : sql`archive.id is null`;
}
