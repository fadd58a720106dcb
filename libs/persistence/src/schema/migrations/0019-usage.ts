import { sql, type Kysely, type Migration } from 'kysely';

/** What owners and laboratories store, counted by triggers: see docs/adr/0042. */
const usageSchema = `
-- What an owner or a laboratory stores.
create table usage (
  kind text collate "C" not null,
  name text collate "C" not null,
  records bigint not null,
  files bigint not null,
  bytes bigint not null,
  primary key (kind, name)
) with (fillfactor = 50);

-- The files that a task run has in the store: a row for each attempt that left some.
create table stored_files (
  task_run_id text collate "C" not null references task_run (id),
  files bigint not null,
  bytes bigint not null
);
create index stored_files_of_task on stored_files (task_run_id);

-- The laboratories of the protocol of a definition.
create table definition_lab (
  hash text not null,
  lab text not null,
  primary key (hash, lab)
);

create function note_labs() returns trigger language plpgsql as $function$
begin
  insert into definition_lab (hash, lab)
  select distinct new.hash, lab from json_array_elements_text(new.body->'protocol'->'labs') lab;
  return null;
end
$function$;

-- The laboratories for which a task run counts: those of its protocol, or of the devices and resources of an on-demand task.
create function labs_of_task(run_id text, definition_hash text, devices jsonb, resources jsonb) returns setof text
language sql stable as $function$
  select lab from definition_lab where run_id is not null and hash = definition_hash
  union
  select device.value->>'lab_name' from jsonb_each(devices) device where run_id is null
  union
  select resource.lab from jsonb_each(resources) slot join resource on resource.name = slot.value->>'name'
  where run_id is null
$function$;

-- Every statement that counts locks rows of usage in the order of their keys.
create function count_task_runs() returns trigger language plpgsql as $function$
declare
  factor integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into usage as known (kind, name, records, files, bytes)
  select kind, name, factor * count(*), 0, 0 from (
    select 'owner' as kind, owner as name from changed
    union all
    select 'lab', lab from changed, labs_of_task(changed.run_id, changed.definition_hash, changed.devices, changed.resources) lab
  ) counted group by kind, name order by kind, name
  on conflict (kind, name) do update set records = known.records + excluded.records;
  return null;
end
$function$;

create function count_files() returns trigger language plpgsql as $function$
declare
  factor integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into usage as known (kind, name, records, files, bytes)
  select kind, name, 0, factor * sum(files), factor * sum(bytes) from (
    select 'owner' as kind, task.owner as name, changed.files, changed.bytes
    from changed join task_run task on task.id = changed.task_run_id
    union all
    select 'lab', lab, changed.files, changed.bytes from changed join task_run task on task.id = changed.task_run_id,
      labs_of_task(task.run_id, task.definition_hash, task.devices, task.resources) lab
  ) counted group by kind, name order by kind, name
  on conflict (kind, name) do update set files = known.files + excluded.files, bytes = known.bytes + excluded.bytes;
  return null;
end
$function$;

create function note_files() returns trigger language plpgsql as $function$
begin
  insert into stored_files (task_run_id, files, bytes)
  select new.id, count(*), sum((file->>'size')::bigint) from jsonb_array_elements(new.output_files) file;
  return null;
end
$function$;

-- Replaces the function of 0015: a deletion of files removes them from the count, a portion at a time, and so does a deletion of
-- everything. Before it counts, it locks the row that every commit locks first, so that neither waits for the other in a circle.
create or replace function sweep_deletion(the_deletion text, most integer) returns integer
language plpgsql as $function$
declare
  wanted deletion;
  gone text[];
  runs text[];
  touched integer;
begin
  select deletion.* into wanted from deletion join deletion_files on deletion_files.deletion_id = deletion.id
  where deletion.id = the_deletion and deletion.state = 'running';
  if not found then
    return 0;
  end if;

  if wanted.what = 'files' then
    if wanted.kind = 'task_run' then
      gone := array(select task_run_id from stored_files where task_run_id = wanted.work_id);
    elsif wanted.kind = 'protocol_run' then
      gone := array(select stored_files.task_run_id from task_run join stored_files on stored_files.task_run_id = task_run.id
        where task_run.run_id = wanted.work_id limit most);
    else
      gone := array(select stored_files.task_run_id from protocol_run join task_run on task_run.run_id = protocol_run.id
        join stored_files on stored_files.task_run_id = task_run.id
        where protocol_run.campaign_id = wanted.work_id limit most);
    end if;
    if cardinality(gone) > 0 then
      perform from leadership for update;
      delete from stored_files where task_run_id = any(gone);
    end if;
    return cardinality(gone);
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
    perform from leadership for update;
    delete from stored_files where task_run_id = any(gone);
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
declare
  name text;
begin
  foreach name in array array['note_labs()', 'count_task_runs()', 'count_files()', 'note_files()', 'sweep_deletion(text, integer)'] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', name, current_schema());
  end loop;
end
$definer$;

-- These triggers come before the count of what is there: with them nobody else writes task runs until all is committed.
create trigger note_labs after insert on definition for each row when (new.kind = 'protocol') execute function note_labs();
create trigger task_runs_inserted after insert on task_run referencing new table as changed
  for each statement execute function count_task_runs();
create trigger task_runs_deleted after delete on task_run referencing old table as changed
  for each statement execute function count_task_runs();
create trigger first_files after insert on task_run for each row
  when (new.output_files <> '[]'::jsonb) execute function note_files();
create trigger further_files after update on task_run for each row
  when (new.output_files <> '[]'::jsonb and new.output_files <> old.output_files) execute function note_files();

insert into definition_lab (hash, lab)
select distinct hash, lab from definition, json_array_elements_text(body->'protocol'->'labs') lab where kind = 'protocol';
`;

/** Counts the task runs after an id that were stored before the triggers, in order, and returns the last id; null: none is left. */
const countPortion = (after: string, most: number) => sql<{ last: string | null }>`
  with task as (
    select task_run.id, task_run.owner, task_run.run_id, task_run.definition_hash, task_run.devices, task_run.resources,
      case when exists (select from deletion
        where deletion.what = 'files' and deletion.state = 'done'
          and deletion.work_id in (task_run.id, task_run.run_id, protocol_run.campaign_id)) then '[]'::jsonb
        else task_run.output_files end as output_files
    from task_run left join protocol_run on protocol_run.id = task_run.run_id
    where task_run.id > ${after} order by task_run.id limit ${most}),
  portion as materialized (
    select task.*, stored.files, stored.bytes from task, lateral (
      select count(*) as files, coalesce(sum((file->>'size')::bigint), 0) as bytes
      from jsonb_array_elements(task.output_files) file) stored),
  noted as (insert into stored_files (task_run_id, files, bytes) select id, files, bytes from portion where files > 0),
  counted as (
    insert into usage as known (kind, name, records, files, bytes)
    select kind, name, sum(records), sum(files), sum(bytes) from (
      select 'owner' as kind, owner as name, 1 as records, files, bytes from portion
      union all
      select 'lab', lab, records, files, bytes from (
        select definition_hash, count(*) as records, sum(files) as files, sum(bytes) as bytes
        from portion where run_id is not null group by definition_hash
      ) of_definition join definition_lab on hash = definition_hash
      union all
      select 'lab', lab, 1, files, bytes
      from portion, labs_of_task(run_id, definition_hash, devices, resources) lab where run_id is null
    ) used group by kind, name
    on conflict (kind, name) do update set records = known.records + excluded.records,
      files = known.files + excluded.files, bytes = known.bytes + excluded.bytes)
  select max(id) as last from portion`;

const filesSchema = `
create trigger files_inserted after insert on stored_files referencing new table as changed
  for each statement execute function count_files();
create trigger files_deleted after delete on stored_files referencing old table as changed
  for each statement execute function count_files();
`;

/** Task runs in one statement, which takes well under the time limit of a statement. */
const portion = 10_000;

export const usage: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(usageSchema).execute(db);
    for (let after: string | null = ''; after !== null;) {
      const { rows }: { rows: { last: string | null }[] } = await countPortion(after, portion).execute(db);
      after = rows[0]?.last ?? null;
    }
    await sql.raw(filesSchema).execute(db);
  },
};
