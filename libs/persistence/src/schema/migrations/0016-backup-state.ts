import { sql, type Kysely, type Migration } from 'kysely';

/** How far the backup of the service is, and why it waits. Its process writes it, and the leader warns of it. */
const backupStateSchema = `
create table backup_state (
  only_row boolean primary key default true check (only_row),
  reached_at timestamptz,
  trouble text
);
`;

export const backupState: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(backupStateSchema).execute(db);
  },
};
