import { sql, type Kysely, type Migration } from 'kysely';

/** Deletions of ended work, and legal holds. The indexes find what refers to a removed row. */
const deletionsSchema = `
create table deletion (
  id text collate "C" primary key,
  work_id text collate "C" not null,
  kind text not null,
  name text not null,
  owner text not null,
  labs jsonb not null,
  what text not null,
  state text not null,
  reason text not null,
  by text not null,
  at timestamptz not null,
  due_at timestamptz not null,
  ended_at timestamptz,
  ended_by text,
  removed jsonb
);
create index deletion_newest on deletion (at desc, id desc);
create index deletion_of_work on deletion (work_id);
create index deletion_open on deletion (id) where state in ('planned', 'running');

-- The gateway removes the files of a deletion and notes here that none is left, and how many task runs will be removed.
create table deletion_files (
  deletion_id text collate "C" primary key references deletion (id),
  task_runs bigint not null,
  files bigint not null,
  bytes bigint not null,
  removed_at timestamptz not null default now()
);

create table legal_hold (
  id text collate "C" primary key,
  kind text not null,
  name text not null,
  reason text not null,
  by text not null,
  at timestamptz not null,
  released_at timestamptz,
  released_by text
);

create index attention_of_task on attention (task_run_id) where task_run_id is not null;
create index attention_of_attempt on attention (attempt_id) where attempt_id is not null;

-- Removes a portion of the records of a running deletion: task runs with all that refers to them, then protocol runs, then
-- the trials and the work itself. It returns the number of task runs, runs and trials that it removed, and 0 when nothing is
-- left. Nobody else may remove these rows. The last event of the work stays, because it gives the next one its number. Device
-- calls stay, because they belong to the devices.
create function sweep_deletion(the_deletion text, most integer) returns integer
language plpgsql as $function$
declare
  wanted deletion;
  gone text[];
  runs text[];
  touched integer;
begin
  select deletion.* into wanted from deletion join deletion_files on deletion_files.deletion_id = deletion.id
  where deletion.id = the_deletion and deletion.state = 'running' and deletion.what = 'everything';
  if not found then
    return 0;
  end if;

  if wanted.kind = 'task_run' then
    gone := array(select id from task_run where id = wanted.work_id and run_id is null);
  elsif wanted.kind = 'protocol_run' then
    gone := array(select id from task_run where run_id = wanted.work_id limit most);
  else
    gone := array(select task_run.id from protocol_run join task_run on task_run.run_id = protocol_run.id
      where protocol_run.campaign_id = wanted.work_id limit most);
  end if;
  if cardinality(gone) > 0 then
    delete from log_line where task_run_id = any(gone);
    delete from outbox where aggregate in (
      select 'attempt/' || attempt.id from attempt where attempt.task_run_id = any(gone)
      union all
      select 'attention/' || attention.id from attention where attention.task_run_id = any(gone)
      union all
      select 'task_run/' || task from unnest(gone) task
      where wanted.kind <> 'task_run');
    delete from attention where task_run_id = any(gone);
    delete from attention where attempt_id in (select id from attempt where task_run_id = any(gone));
    delete from attempt where task_run_id = any(gone);
    delete from task_run where id = any(gone);
    if wanted.kind = 'task_run' then
      delete from archive where id = wanted.work_id;
    end if;
    return cardinality(gone);
  end if;

  if wanted.kind = 'campaign' then
    runs := array(select id from protocol_run where campaign_id = wanted.work_id limit most);
  elsif wanted.kind = 'protocol_run' then
    runs := array(select id from protocol_run where id = wanted.work_id);
  else
    return 0;
  end if;
  if cardinality(runs) > 0 then
    delete from log_line where protocol_run in (select name from protocol_run where id = any(runs));
    if wanted.kind = 'campaign' then
      delete from outbox where aggregate in (select 'protocol_run/' || run from unnest(runs) run);
    else
      delete from archive where id = wanted.work_id;
    end if;
    delete from protocol_run where id = any(runs);
    return cardinality(runs);
  end if;
  if wanted.kind = 'protocol_run' then
    return 0;
  end if;

  gone := array(select id from trial where campaign_id = wanted.work_id limit most);
  if cardinality(gone) > 0 then
    delete from outbox where aggregate in (select 'trial/' || trial from unnest(gone) trial);
    delete from trial where id = any(gone);
    return cardinality(gone);
  end if;
  delete from log_line where campaign = wanted.name;
  delete from drain where campaign_id = wanted.work_id;
  delete from archive where id = wanted.work_id;
  delete from campaign where id = wanted.work_id;
  get diagnostics touched = row_count;
  return touched;
end
$function$;

do $definer$
begin
  execute format('alter function sweep_deletion(text, integer) security definer set search_path = %I, pg_temp', current_schema());
end
$definer$;
`;

export const deletions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(deletionsSchema).execute(db);
  },
};
