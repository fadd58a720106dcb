import { sql, type Kysely, type Migration } from 'kysely';

const taskRunStates = `'created','queued','running','completed','failed','cancelled','skipped','needs_attention'`;
const runStates = `'created','running','paused','completed','failed','cancelled','needs_attention'`;
const attemptStates = `'dispatching','uncertain','running','cancelling','completed','failed','cancelled','never_ran','needs_attention'`;
const ended = `('completed','failed','cancelled','skipped','never_ran')`;

/** Identifiers are compared byte by byte, so that their order is the order of creation under every locale. */
const id = `text collate "C"`;

/**
 * References are checked at the end of the transaction: the changes of a commit refer to each other in any order.
 * Tables whose rows are updated all the time leave room in their pages for the new versions.
 */
const tables = `
create table leadership (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null,
  instance text not null,
  since timestamptz not null,
  last_commit uuid,
  refused_commit uuid
) with (fillfactor = 10);
insert into leadership (epoch, instance, since) values (0, '', now());

create table definition (
  hash text primary key,
  kind text not null check (kind in ('protocol', 'task')),
  body json not null
);

create table campaign (
  id ${id} primary key,
  name text not null constraint campaign_name unique,
  protocol text not null,
  owner text not null,
  priority integer not null,
  state text not null check (state in (${runStates})),
  ending jsonb,
  reason jsonb,
  max_protocol_runs integer not null,
  max_concurrent_protocol_runs integer not null,
  optimize boolean not null,
  optimizer_ip text not null,
  global_parameters jsonb not null,
  protocol_run_parameters jsonb,
  meta jsonb not null,
  runs_started integer not null,
  runs_completed integer not null,
  definition_hash text not null references definition deferrable initially deferred,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 80);
create index campaign_unfinished on campaign (id) where state not in ${ended};
create index campaign_newest on campaign (created_at desc, id desc);

create table protocol_run (
  id ${id} primary key,
  name text not null constraint protocol_run_name unique,
  type text not null,
  owner text not null,
  priority integer not null,
  campaign_id ${id} references campaign deferrable initially deferred,
  parameters jsonb not null,
  meta jsonb not null,
  state text not null check (state in (${runStates})),
  ending jsonb,
  reason jsonb,
  definition_hash text not null references definition deferrable initially deferred,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 80);
create index protocol_run_unfinished on protocol_run (id) where state not in ${ended};
create index protocol_run_newest on protocol_run (created_at desc, id desc);
create index protocol_run_campaign on protocol_run (campaign_id, id) where campaign_id is not null;

create table task_run (
  id ${id} primary key,
  name text not null,
  type text not null,
  run_id ${id} references protocol_run deferrable initially deferred,
  owner text not null,
  priority integer not null,
  state text not null check (state in (${taskRunStates})),
  reason jsonb,
  cancel_requested_at timestamptz,
  definition_hash text not null references definition deferrable initially deferred,
  devices jsonb not null,
  resources jsonb not null,
  input_parameters jsonb not null,
  output_parameters jsonb,
  output_resources jsonb,
  output_files jsonb not null,
  attempt integer not null,
  computer text,
  allocation_timeout double precision,
  meta jsonb not null,
  created_at timestamptz not null,
  queued_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 70);
create unique index task_run_name_in_run on task_run (run_id, name) where run_id is not null;
create unique index task_run_on_demand_name on task_run (name) where run_id is null and state not in ${ended};
create index task_run_on_demand_latest on task_run (name, created_at desc, id desc) where run_id is null;
create index task_run_newest on task_run (created_at desc, id desc);

create table attempt (
  id ${id} primary key,
  task_run_id ${id} not null references task_run deferrable initially deferred,
  number integer not null,
  state text not null check (state in (${attemptStates})),
  computer text not null,
  inc bigint not null,
  epoch bigint not null,
  devices jsonb not null,
  reason jsonb,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint attempt_number unique (task_run_id, number)
) with (fillfactor = 70);
create unique index attempt_unfinished on attempt (task_run_id) where state not in ${ended};

create table allocation (
  kind text not null check (kind in ('device', 'resource')),
  key text not null,
  task_run_id ${id} references task_run deferrable initially deferred,
  held_by_run_id ${id} references protocol_run deferrable initially deferred,
  fence bigint not null check (fence >= 0),
  since timestamptz,
  primary key (kind, key)
) with (fillfactor = 50);

create table resource (
  name text primary key,
  type text not null,
  lab text not null,
  meta jsonb not null
) with (fillfactor = 50);

create table agent (
  computer text primary key,
  inc bigint not null,
  session text not null
) with (fillfactor = 50);

create table outbox (
  id bigint generated always as identity primary key,
  aggregate text not null,
  seq bigint not null,
  type text not null,
  body jsonb not null,
  at timestamptz not null,
  constraint outbox_sequence unique (aggregate, seq)
);
`;

export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(tables).execute(db);
  },
};
