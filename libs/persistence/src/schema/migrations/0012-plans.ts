import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The first and the last plan of each task run, and an index by actual time. A task run enters the index once, when it
 * ends. `greatest` keeps clocks that were set back from making a range that PostgreSQL refuses.
 */
const plansSchema = `
alter table task_run add column first_plan jsonb, add column last_plan jsonb;
create index task_run_span on task_run using gist (tstzrange(started_at, greatest(started_at, ended_at), '[]'))
  where started_at is not null and ended_at is not null;
`;

export const plans: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(plansSchema).execute(db);
  },
};
