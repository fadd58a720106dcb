import { sql, type Kysely, type Migration } from 'kysely';

/** Drains: orders of people that no new work begins. */
export const drainsSchema = `
create table drain (
  id text collate "C" primary key,
  campaign_id text collate "C" references campaign (id) deferrable initially deferred,
  by text not null,
  at timestamptz not null,
  ended_at timestamptz,
  ended_by text
);
create index drain_in_force on drain (id) where ended_at is null;
`;

export const drains: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(drainsSchema).execute(db);
  },
};
