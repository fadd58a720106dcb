import { sql, type Kysely, type Migration } from 'kysely';

/** The work of one person, newest first, also of one who has little of it among much of others. */
const changes = `
create index task_run_by_owner on task_run (owner, created_at desc, id desc);
create index protocol_run_by_owner on protocol_run (owner, created_at desc, id desc);
`;

export const owners: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
