import { sql, type Kysely, type Migration } from 'kysely';

/** The devices that people took out of service: the latest outage of each. */
const outagesSchema = `
create table outage (
  device text not null,
  by text not null,
  reason text not null,
  at timestamptz not null,
  until timestamptz,
  ended_at timestamptz,
  ended_by text,
  primary key (device)
);
`;

export const outages: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(outagesSchema).execute(db);
  },
};
