import { sql, type Kysely, type Migration } from 'kysely';
import { initialTables, unfinished } from '../tables.js';

/**
 * The first schema: the tables of the engine's rows as they are declared, and everything else in SQL.
 *
 * Until the first release it may change. At the first release, write its text out here and leave it as it is. A change that
 * can be made to a database with data is a migration of its own, so that no data is lost.
 */
export const initialSchema = `
create table leadership (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null,
  instance text not null,
  since timestamptz not null,
  expires_at timestamptz not null default now(),
  last_commit uuid,
  refused_commit uuid
) with (fillfactor = 10);
insert into leadership (epoch, instance, since) values (0, '', now());

-- What the leader has loaded, for the next leader.
create table loaded_definitions (
  only_row boolean primary key default true check (only_row),
  record json not null,
  noted_at timestamptz not null
);

create table definition (
  hash text primary key,
  kind text not null check (kind in ('protocol', 'task')),
  body json not null
);

${initialTables.map((table) => table.createStatement).join('\n\n')}

create index campaign_unfinished on campaign (id) where ${unfinished};
create index campaign_newest on campaign (created_at desc, id desc);

create index protocol_run_unfinished on protocol_run (id) where ${unfinished};
create index protocol_run_newest on protocol_run (created_at desc, id desc);
create index protocol_run_by_state on protocol_run (state, created_at desc, id desc);
create index protocol_run_by_owner on protocol_run (owner, created_at desc, id desc);
create index protocol_run_campaign on protocol_run (campaign_id, id) where campaign_id is not null;
-- Byte by byte under every locale, for the names of all runs of a campaign, which begin alike.
create index protocol_run_name_prefix on protocol_run (name text_pattern_ops);

create unique index task_run_name_in_run on task_run (run_id, name) where run_id is not null;
create unique index task_run_on_demand_name on task_run (name) where run_id is null and ${unfinished};
create index task_run_on_demand_latest on task_run (name, created_at desc, id desc) where run_id is null;
create index task_run_newest on task_run (created_at desc, id desc);
create index task_run_by_state on task_run (state, created_at desc, id desc);
create index task_run_by_type on task_run (type, created_at desc, id desc);
create index task_run_by_owner on task_run (owner, created_at desc, id desc);
create index task_run_with_files on task_run (created_at desc, id desc) where output_files <> '[]'::jsonb;
create index task_run_resources on task_run using gin (jsonb_path_query_array(resources, '$.*.name'))
  where resources <> '{}'::jsonb;

create unique index attempt_unfinished on attempt (task_run_id) where ${unfinished};
create index attempt_newest on attempt (created_at desc, id desc);
-- The engine learns from the latest completed attempts how long tasks take.
create index attempt_completed on attempt (ended_at desc, id desc) where state = 'completed' and reason is null;

create index attention_open on attention (id) where state = 'open';
create index attention_newest on attention (opened_at desc, id desc);

create index emergency_stop_in_force on emergency_stop (id) where released_at is null;
create index queue_pause_in_force on queue_pause (id) where resumed_at is null;

-- The outbox: every event that the engine committed.
create table outbox (
  id bigint generated always as identity primary key,
  aggregate text not null,
  seq bigint not null,
  type text not null,
  body jsonb not null,
  at timestamptz not null,
  constraint outbox_sequence unique (aggregate, seq)
);

-- Events up to this id may have been removed.
create table outbox_horizon (
  only_row boolean primary key default true check (only_row),
  pruned_through bigint not null
);
insert into outbox_horizon (pruned_through) values (0);

-- The audit is a chain: every entry holds the SHA-256 over the hash of the entry before it and its own content. Nobody
-- can change, remove or insert an entry without breaking the chain. The trigger numbers and chains the entries of all
-- writers; a writer waits at the row of audit_head for the commit of the writer before it.
create index audit_newest on audit (at desc, id desc);
create index audit_resource_resets on audit (subject, at desc, id desc) where action = 'resource.reset';

create table audit_head (
  one boolean primary key default true check (one),
  seq bigint not null,
  hash text not null
);
insert into audit_head (seq, hash) values (0, '');

create function audit_hash(entry audit) returns text language sql immutable as $function$
  select encode(sha256(convert_to(entry.previous || jsonb_build_array(
    entry.seq, entry.id, to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    entry.by, entry.kind, entry.action, entry.subject, entry.detail, entry.request_id, entry.ip
  )::text, 'UTF8')), 'hex')
$function$;

create function audit_chain() returns trigger language plpgsql as $function$
begin
  select seq + 1, hash into strict new.seq, new.previous from audit_head for update;
  new.hash := audit_hash(new);
  update audit_head set seq = new.seq, hash = new.hash;
  return new;
end
$function$;

create trigger audit_chain before insert on audit for each row execute function audit_chain();
create rule audit_is_not_changed as on update to audit do instead nothing;
create rule audit_is_not_deleted as on delete to audit do instead nothing;

create table access_token (
  id text collate "C" primary key,
  hash text collate "C" not null constraint access_token_hash unique,
  prefix text not null,
  kind text not null check (kind in ('personal', 'service')),
  name text not null,
  note text not null,
  grants jsonb not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text
);
create index access_token_newest on access_token (created_at desc, id desc);
create index access_token_of on access_token (name, created_at desc, id desc);

-- The answers to requests with an idempotency key.
create table idempotency_key (
  principal text collate "C" not null,
  route text collate "C" not null,
  key text collate "C" not null,
  submission_id text not null,
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

-- The lines that the code of tasks and devices logged. Nobody is notified of new lines: with a notification, the commits
-- of the engine would wait for the commits of lines, which are many and less urgent.
create table log_line (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  stored_at timestamptz not null default clock_timestamp(),
  level text not null,
  source text not null,
  computer text collate "C" not null,
  lab text collate "C",
  device text collate "C",
  task_run_id text collate "C",
  task text collate "C",
  protocol_run text collate "C",
  campaign text collate "C",
  attempt_id text collate "C",
  attempt integer,
  message text not null,
  stream text collate "C" not null,
  seq bigint not null,
  constraint log_line_once unique (stream, seq)
);
create index log_line_at on log_line (at);
create index log_line_of_task_run on log_line (task_run_id, id) where task_run_id is not null;
create index log_line_of_task on log_line (task, id) where task is not null;
create index log_line_of_run on log_line (protocol_run, id) where protocol_run is not null;
create index log_line_of_campaign on log_line (campaign, id) where campaign is not null;
create index log_line_of_device on log_line (lab, device, id) where device is not null;

-- Lines up to this id may have been removed.
create table log_horizon (
  only_row boolean primary key default true check (only_row),
  pruned_through bigint not null
);
insert into log_horizon (pruned_through) values (0);

-- Stores a batch of lines. One batch at a time: a reader that sees a line also sees all lines with a smaller id. A line
-- of a stream is stored once, by its number. Each line gets the names of the work that its attempt belongs to.
create function log_append(from_computer text, from_stream text, lines jsonb) returns void
language plpgsql as $function$
begin
  perform pg_advisory_xact_lock(7410231);
  insert into log_line (at, level, source, computer, lab, device, task_run_id, task, protocol_run, campaign,
    attempt_id, attempt, message, stream, seq)
  select to_timestamp(line.at / 1000.0), line.level, line.source, from_computer, line.lab, line.device, task_run.id,
    task_run.name, protocol_run.name, campaign.name, line.attempt_id, attempt.number, line.message, from_stream, line.seq
  from jsonb_to_recordset(lines) as line (
    seq bigint, at bigint, level text, source text, lab text, device text, attempt_id text, message text)
  left join attempt on attempt.id = line.attempt_id
  left join task_run on task_run.id = attempt.task_run_id
  left join protocol_run on protocol_run.id = task_run.run_id
  left join campaign on campaign.id = protocol_run.campaign_id
  where not exists (select from log_line known where known.stream = from_stream and known.seq = line.seq)
  order by line.seq;
end
$function$;

-- One process at a time delivers to a webhook. A delivery exists for every event up to position that the webhook wants.
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

export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(initialSchema).execute(db);
  },
};
