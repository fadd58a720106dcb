import { sql, type Kysely, type Migration } from 'kysely';

/** Who is deciding an attention item. */
export const attentionClaim: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('alter table attention add column claim jsonb').execute(db);
  },
};
