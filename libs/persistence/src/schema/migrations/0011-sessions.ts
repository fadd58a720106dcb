import { sql, type Kysely, type Migration } from 'kysely';

/** Sessions of browsers are tokens that end with the token from which they were made. */
const sessionsSchema = `
alter table access_token drop constraint access_token_kind_check;
alter table access_token add constraint access_token_kind_check check (kind in ('personal', 'service', 'session'));
alter table access_token add column made_from text collate "C";
create index access_token_made_from on access_token (made_from) where made_from is not null;
`;

export const sessions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(sessionsSchema).execute(db);
  },
};
