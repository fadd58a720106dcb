import { sql, type Kysely, type Migration } from 'kysely';

/** The first and the last plan of each task run. */
const plansSchema = `
alter table task_run add column first_plan jsonb, add column last_plan jsonb;
`;

export const plans: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(plansSchema).execute(db);
  },
};
