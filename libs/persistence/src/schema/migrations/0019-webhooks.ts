import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Webhooks, and what became of the events that they were sent. A webhook is delivered by whoever holds it; its deliveries
 * up to `position` exist, one per event.
 */
const changes = `
create table webhook (
  id text collate "C" primary key,
  url text not null,
  description text not null,
  filters jsonb not null,
  enabled boolean not null,
  reason jsonb,
  failing_since timestamptz,
  position bigint not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  changed_at timestamptz not null,
  holder text not null default '',
  held_until timestamptz not null default to_timestamp(0)
);
create index webhook_newest on webhook (created_at, id);

create table webhook_delivery (
  id text collate "C" primary key,
  webhook_id text collate "C" not null references webhook (id) on delete cascade,
  event_id bigint,
  type text not null,
  aggregate text not null,
  body text not null,
  state text not null check (state in ('pending', 'delivered', 'given_up')),
  round integer not null default 1,
  attempts integer not null default 0,
  created_at timestamptz not null,
  attempted_at timestamptz,
  next_attempt_at timestamptz,
  status integer,
  duration_ms integer,
  error text,
  answer text,
  constraint webhook_delivery_of_event unique (webhook_id, event_id)
);
create index webhook_delivery_pending on webhook_delivery (webhook_id, aggregate, event_id) where state = 'pending';
create index webhook_delivery_newest on webhook_delivery (webhook_id, created_at, id);
create index webhook_delivery_age on webhook_delivery (created_at) where state <> 'pending';
`;

export const webhooks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
