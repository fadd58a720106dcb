import { sql, type Kysely, type Migration } from 'kysely';

/** Seconds that the tasks of the run of a trial took. An orchestrator of the release before does not store them. */
export const trialDurations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('alter table trial add column durations jsonb').execute(db);
  },
};
