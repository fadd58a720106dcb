import { sql, type Kysely, type Migration } from 'kysely';

/** Which earlier releases work with the schema: those that know this migration. */
export const schemaReader: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table schema_reader (
        only_row boolean primary key default true check (only_row),
        oldest text collate "C" not null
      )`.execute(db);
  },
};
