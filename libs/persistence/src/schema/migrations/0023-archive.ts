import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Work that is out of the lists, or was: campaigns, runs without one, and on-demand tasks. What belongs to it goes with it.
 */
const changes = `
create table archive (
  id text collate "C" primary key,
  kind text not null check (kind in ('campaign', 'protocol_run', 'task_run')),
  name text not null,
  archived_at timestamptz not null,
  archived_by text not null,
  restored_at timestamptz
);
`;

export const archive: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
