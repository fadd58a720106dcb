import { sql, type Kysely, type Migration } from 'kysely';

/** Names of runs by how they begin, under every locale: those of a campaign are looked for all at once. */
const changes = `create index protocol_run_name_prefix on protocol_run (name text_pattern_ops);`;

export const runNames: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
