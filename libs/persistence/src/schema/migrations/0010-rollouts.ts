import { sql, type Kysely, type Migration } from 'kysely';

/** Updates of the agents of several computers. */
const rolloutsSchema = `
create table rollout (
  id text collate "C" primary key,
  version text not null,
  state text not null,
  by text not null,
  reason text not null,
  settle_ms bigint not null,
  at timestamptz not null,
  resumed_at timestamptz,
  halt jsonb,
  steps jsonb not null,
  left_out jsonb not null,
  ended_at timestamptz,
  ended_by text
);
`;

export const rollouts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(rolloutsSchema).execute(db);
  },
};
