import { withClient } from './with-client.js';

/** How far the backup of a service is. */
export interface NotedBackup {
  /** Everything that was committed before is in the backup, in milliseconds since 1970; undefined: there is none yet. */
  reachedAt: number | undefined;
  /** Why the backup waits, in words; undefined: it does not. */
  trouble: string | undefined;
}

/**
 * Notes how far the backup is, for the leader.
 *
 * @param url address for the superuser
 * @throws the error of the database
 */
export async function noteBackup(url: string, { reachedAt, trouble }: NotedBackup): Promise<void> {
  const at = reachedAt === undefined ? null : new Date(reachedAt).toISOString();
  await withClient(url, (client) =>
    client.query(
      `insert into backup_state (reached_at, trouble) values ($1, $2)
      on conflict (only_row) do update set reached_at = coalesce(excluded.reached_at, backup_state.reached_at),
        trouble = excluded.trouble`,
      [at, trouble ?? null],
    ),
  );
}
