import { sql, type Kysely, type Migration } from 'kysely';

/** What a webhook adds to the events of work. */
export const webhookInclude: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(`alter table webhook add column include jsonb not null default '[]'`).execute(db);
  },
};
