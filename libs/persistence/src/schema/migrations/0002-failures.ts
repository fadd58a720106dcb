import { sql, type Kysely, type Migration } from 'kysely';

/** Failure policies, pauses, what people are asked and decide, and emergency stops. */
const changes = `
alter table campaign
  add column runs_failed integer not null default 0,
  add column failure_policy jsonb not null default '{}',
  add column on_run_failure text not null default 'stop' check (on_run_failure in ('stop', 'continue', 'pause')),
  add column max_failures integer,
  add column paused_at timestamptz;

alter table protocol_run
  add column failure_policy jsonb not null default '{}',
  add column paused_at timestamptz;

alter table task_run
  add column failures integer not null default 0,
  add column retry_at timestamptz,
  add column failure_policy jsonb not null default '{}';

alter table attempt
  add column calls jsonb,
  add column deadline_at timestamptz;

create table attention (
  id text collate "C" primary key,
  kind text not null check (kind in ('task', 'device', 'agent')),
  state text not null check (state in ('open', 'resolved')),
  task_run_id text collate "C" references task_run deferrable initially deferred,
  attempt_id text collate "C" references attempt deferrable initially deferred,
  device text,
  computer text,
  reason jsonb not null,
  known jsonb not null,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  resolution jsonb
);
create index attention_open on attention (id) where state = 'open';
create index attention_newest on attention (opened_at desc, id desc);

create table halt (
  id text collate "C" primary key,
  scope text not null,
  by text not null,
  reason text not null,
  at timestamptz not null,
  released_at timestamptz,
  released_by text
);
create index halt_in_force on halt (id) where released_at is null;

create table audit (
  id text collate "C" primary key,
  at timestamptz not null,
  by text not null,
  action text not null,
  subject text not null,
  detail jsonb not null
);
create index audit_newest on audit (at desc, id desc);
create rule audit_is_not_changed as on update to audit do instead nothing;
create rule audit_is_not_deleted as on delete to audit do instead nothing;
`;

export const failures: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(changes).execute(db);
  },
};
