import { sql, type Kysely, type Migration } from 'kysely';

/** What lists are narrowed down by, beside the newest first of all. */
const changes = `
create index task_run_by_state on task_run (state, created_at desc, id desc);
create index task_run_by_type on task_run (type, created_at desc, id desc);
create index task_run_with_files on task_run (created_at desc, id desc) where output_files <> '[]'::jsonb;
create index task_run_resources on task_run using gin (jsonb_path_query_array(resources, '$.*.name'))
  where resources <> '{}'::jsonb;
create index protocol_run_by_state on protocol_run (state, created_at desc, id desc);
create index attempt_newest on attempt (created_at desc, id desc);
`;

export const records: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
