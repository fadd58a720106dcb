import { sql, type Kysely, type Migration } from 'kysely';

/** The resets of a resource, for its history. */
const changes = `
create index audit_resource_resets on audit (subject, at desc, id desc) where action = 'resource.reset';
`;

export const resourceResets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
