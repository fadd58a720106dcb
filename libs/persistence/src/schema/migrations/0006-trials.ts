import { sql, type Kysely, type Migration } from 'kysely';

/** Campaigns with an optimizer: what is kept of it, and the parameters of every run. */
const changes = `
alter table campaign add column optimizer jsonb;

create table trial (
  id text collate "C" primary key,
  campaign_id text collate "C" not null references campaign deferrable initially deferred,
  number integer not null,
  run text not null,
  source text not null check (source in ('optimizer', 'ai', 'given')),
  state text not null check (state in ('proposed', 'running', 'measured', 'failed')),
  inputs jsonb not null,
  outputs jsonb,
  additional jsonb not null,
  note jsonb not null,
  constraint trial_number unique (campaign_id, number)
) with (fillfactor = 80);
`;

export const trials: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
