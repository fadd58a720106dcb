import { sql, type Kysely, type Migration } from 'kysely';

/** The files of other tasks that a task gets. */
const changes = `
alter table task_run add column input_files jsonb not null default '{}';
`;

export const inputFiles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
