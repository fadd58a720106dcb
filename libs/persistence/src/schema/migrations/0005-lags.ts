import { sql, type Kysely, type Migration } from 'kysely';

/** Tasks that start later than a greatest lag, and the latest completed attempts, to learn from how long they took. */
const changes = `
alter table task_run add column late_by_s double precision;
create index attempt_completed on attempt (ended_at desc, id desc) where state = 'completed' and reason is null;
`;

export const lags: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
