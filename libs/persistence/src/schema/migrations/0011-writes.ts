import { sql, type Kysely, type Migration } from 'kysely';

/** What was answered to requests with an idempotency key. */
const changes = `
create table idempotency_key (
  principal text collate "C" not null,
  route text collate "C" not null,
  key text collate "C" not null,
  fingerprint text not null,
  begun_at timestamptz not null,
  holder text not null,
  held_until timestamptz not null,
  status integer,
  location text,
  body text,
  primary key (principal, route, key)
);
create index idempotency_key_age on idempotency_key (begun_at);
create index idempotency_key_held on idempotency_key (holder) where status is null;
`;

export const writes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
