import { sql, type Kysely, type Migration } from 'kysely';

/** The times for which people reserve devices and resources. */
const reservationsSchema = `
create table reservation (
  id text collate "C" primary key,
  kind text not null,
  key text not null,
  lab text not null,
  by text not null,
  reason text not null,
  at timestamptz not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  ended_at timestamptz,
  ended_by text
);
create index reservation_in_force on reservation (id) where ended_at is null;
`;

export const reservations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(reservationsSchema).execute(db);
  },
};
