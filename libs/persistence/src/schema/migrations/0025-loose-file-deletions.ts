import { sql, type Kysely, type Migration } from 'kysely';

/** Loose files of instruments can be deleted, and all files of instruments count for quotas. */
const looseFileDeletionsSchema = `
alter table device_file
  add column delete_at timestamptz,
  add column delete_by text,
  add column delete_reason text,
  -- Somebody took its deletion back, so age deletes it no more.
  add column kept boolean not null default false,
  -- Its deletion has begun: its bytes may be gone, and nobody sees it any more.
  add column removing boolean not null default false;
create index device_file_to_delete on device_file (delete_at) where delete_at is not null;
create index device_file_loose on device_file (stored_at) where task_run_id is null and delete_at is null and not kept;

-- Adds a file to what the laboratory of its device and the owner of its task store, or takes it away. Whoever calls it holds the
-- row of the leadership. Rows of usage are locked in the order of their keys.
create function count_device_file(file device_file, factor integer) returns void language sql as $function$
  insert into usage as known (kind, name, records, files, bytes)
  select counted.kind, counted.name, 0, factor, factor * file.size from (
    select 'owner' as kind, owner as name from task_run where id = file.task_run_id
    union all
    select 'lab', file.lab
  ) counted order by kind, name
  on conflict (kind, name) do update set files = known.files + excluded.files, bytes = known.bytes + excluded.bytes
$function$;

create function count_device_files() returns trigger language plpgsql as $function$
begin
  if tg_op <> 'INSERT' then
    perform count_device_file(old, -1);
  end if;
  if tg_op <> 'DELETE' then
    perform count_device_file(new, 1);
  end if;
  return null;
end
$function$;

create trigger device_files_stored after insert or delete on device_file
  for each row execute function count_device_files();
create trigger device_files_attached after update on device_file
  for each row when (new.task_run_id is distinct from old.task_run_id) execute function count_device_files();

insert into usage as known (kind, name, records, files, bytes)
select kind, name, 0, count(*), sum(size) from (
  select 'owner' as kind, task_run.owner as name, file.size from device_file file join task_run on task_run.id = file.task_run_id
  union all
  select 'lab', lab, size from device_file
) counted group by kind, name
on conflict (kind, name) do update set files = known.files + excluded.files, bytes = known.bytes + excluded.bytes;

create function lab_is_held(the_lab text) returns boolean language sql stable as $function$
  select exists (select from legal_hold where kind = 'lab' and name = the_lab and released_at is null)
$function$;

-- Replaces the function of 0023: a file that is attached has no deletion any more, and one whose deletion has begun cannot be attached.
create or replace function device_file_attach(the_file text, of_lab text, of_device text, to_task_run text, by text, why text)
returns boolean language plpgsql as $function$
declare
  changed device_file;
begin
  perform from leadership for update;
  update device_file file set matched = 'person', attached_by = by, reason = why, attempt_id = latest.attempt_id,
    task_run_id = to_task_run, task = latest.task, protocol_run = latest.protocol_run, campaign = latest.campaign,
    delete_at = null, delete_by = null, delete_reason = null
  from (
    select attempt.id as attempt_id, task_run.name as task, protocol_run.name as protocol_run, campaign.name as campaign
    from attempt join task_run on task_run.id = attempt.task_run_id
    left join protocol_run on protocol_run.id = task_run.run_id
    left join campaign on campaign.id = protocol_run.campaign_id
    where task_run.id = to_task_run order by attempt.number desc limit 1) latest
  where file.id = the_file and file.lab = of_lab and file.device = of_device and not file.removing
  returning file.* into changed;
  if changed.id is null then
    return false;
  end if;
  perform tell_of_device_file(changed, 'attached');
  return true;
end
$function$;

-- Plans the deletion of a loose file. What stands in its way otherwise: 'missing', 'attached', 'planned' or 'held'; null: nothing.
create function device_file_delete(the_file text, person text, why text, undo interval) returns text
language plpgsql as $function$
declare
  file device_file;
begin
  perform from leadership for update;
  select * into file from device_file where id = the_file and not removing;
  if file.id is null then
    return 'missing';
  elsif file.task_run_id is not null then
    return 'attached';
  elsif file.delete_at is not null then
    return 'planned';
  elsif lab_is_held(file.lab) then
    return 'held';
  end if;
  update device_file set delete_at = clock_timestamp() + undo, delete_by = person, delete_reason = why where id = the_file;
  return null;
end
$function$;

-- Takes the deletion of a file back. False: it has none, or it has begun.
create function device_file_keep(the_file text) returns boolean language plpgsql as $function$
begin
  perform from leadership for update;
  update device_file set delete_at = null, delete_by = null, delete_reason = null, kept = true
  where id = the_file and delete_at is not null and not removing;
  return found;
end
$function$;

-- Plans the deletion of a portion of the loose files that were stored some days ago. It returns how many.
create function device_files_delete_old(days integer, undo interval, most integer) returns integer
language plpgsql as $function$
declare
  planned integer;
begin
  perform from leadership for update;
  update device_file set delete_at = clock_timestamp() + undo, delete_by = 'service',
    delete_reason = 'it was stored more than ' || days || ' days ago'
  where id in (
    select id from device_file where task_run_id is null and delete_at is null and not kept
      and stored_at < clock_timestamp() - make_interval(days => days) and not lab_is_held(lab)
    order by stored_at limit most);
  get diagnostics planned = row_count;
  return planned;
end
$function$;

-- Begins the deletions that are due, each with its entry in the audit, and takes back those of a held laboratory. It returns a
-- portion of the files whose bytes must be removed, those of earlier calls included.
create function device_files_begin_deletion(most integer) returns table (id text, size bigint) language plpgsql as $function$
begin
  -- Each gateway asks every few seconds, and mostly nothing is due: commits must not wait for that.
  if not exists (select from device_file file where file.delete_at is not null
      and (file.delete_at <= clock_timestamp() or lab_is_held(file.lab))) then
    return;
  end if;
  perform from leadership for update;
  update device_file file set delete_at = null, delete_by = null, delete_reason = null
  where file.delete_at is not null and not file.removing and lab_is_held(file.lab);
  with begun as (
    update device_file file set removing = true
    where file.id in (select due.id from device_file due
      where due.delete_at <= clock_timestamp() and not due.removing and due.task_run_id is null
      order by due.delete_at limit most)
    returning file.*)
  insert into audit (id, at, by, kind, action, subject, detail, request_id, ip)
  select gen_random_uuid()::text, now(), begun.delete_by, null, 'device_file.remove', 'device_file/' || begun.id,
    jsonb_build_object('lab', begun.lab, 'device', begun.device, 'path', begun.path, 'size', begun.size,
      'sha256', begun.sha256, 'reason', begun.delete_reason), null, null
  from begun order by begun.delete_at;
  return query select file.id, file.size from device_file file where file.removing order by file.delete_at limit most;
end
$function$;

-- Removes the record of a file whose bytes are removed, with its events.
create function device_file_removed(the_file text) returns void language plpgsql as $function$
begin
  perform from leadership for update;
  delete from device_file where id = the_file and removing;
  if found then
    delete from outbox where aggregate = 'device_file/' || the_file;
  end if;
end
$function$;

do $definer$
declare
  name text;
begin
  foreach name in array array['count_device_files()', 'device_file_attach(text, text, text, text, text, text)',
    'device_file_delete(text, text, text, interval)', 'device_file_keep(text)',
    'device_files_delete_old(integer, interval, integer)', 'device_files_begin_deletion(integer)',
    'device_file_removed(text)'] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', name, current_schema());
  end loop;
end
$definer$;
`;

export const looseFileDeletions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(looseFileDeletionsSchema).execute(db);
  },
};
