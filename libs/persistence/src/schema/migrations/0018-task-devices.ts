import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Finds the tasks that had a device. Among the tasks of hundreds of devices, the newest tasks of one are far apart. Without
 * a list of pending entries no commit has to enter those of many others.
 */
export const taskDevices: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create index task_run_devices on task_run
        using gin (jsonb_path_query_array(devices, '$.*') jsonb_path_ops) with (fastupdate = off)`.execute(
      db,
    );
  },
};
