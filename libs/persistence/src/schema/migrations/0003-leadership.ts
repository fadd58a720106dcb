import { sql, type Kysely, type Migration } from 'kysely';

/** Leadership by lease, and what the leader has loaded, for whoever leads next. */
const changes = `
alter table leadership add column expires_at timestamptz not null default now();

create table loaded_definitions (
  only_row boolean primary key default true check (only_row),
  record json not null,
  noted_at timestamptz not null
);
`;

export const leadership: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
