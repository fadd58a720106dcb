import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Files that instruments wrote into folders. Gateways store them through functions, because an event belongs to each, and only
 * whoever locks the row of the leadership may number events.
 */
const deviceFilesSchema = `
create table device_file (
  id text collate "C" primary key,
  place bigint generated always as identity,
  lab text collate "C" not null,
  device text collate "C" not null,
  computer text collate "C" not null,
  name text not null,
  path text not null,
  size bigint not null,
  sha256 text not null,
  made_at timestamptz not null,
  modified_at timestamptz not null,
  stored_at timestamptz not null default clock_timestamp(),
  matched text collate "C",
  attached_by text,
  reason text,
  attempt_id text collate "C",
  task_run_id text collate "C",
  task text collate "C",
  protocol_run text collate "C",
  campaign text collate "C"
);
create index device_file_newest on device_file (made_at, id);
create index device_file_of_device on device_file (lab, device, made_at, id);
create index device_file_of_attempt on device_file (attempt_id, place) where attempt_id is not null;
create index device_file_of_task_run on device_file (task_run_id) where task_run_id is not null;
create index device_file_of_task on device_file (task, made_at, id) where task is not null;
create index device_file_of_run on device_file (protocol_run, made_at, id) where protocol_run is not null;
create index device_file_of_campaign on device_file (campaign, made_at, id) where campaign is not null;

-- The attempt that a file belongs to; null: none. Only attempts count that had the device on the
-- computer of the file and had begun when the file was made:
-- of the latest 2,000 tasks that have it, and of the latest 200 calls of it, because a task that began again has another device.
create function attempt_of_file(of_lab text, of_device text, from_computer text, wanted jsonb, made timestamptz) returns text
language sql stable as $function$
  select attempt.id
  from (
    (select effect.attempt_id as id from effect
      where effect.lab = of_lab and effect.device = of_device and effect.began_at <= made + interval '2 seconds'
        and effect.attempt_id is not null
      order by effect.began_at desc limit 200)
    union
    (select had.id from task_device join attempt had on had.task_run_id = task_device.task_run_id
      where task_device.device = of_lab || '.' || of_device and had.created_at <= made + interval '2 seconds'
      order by task_device.created_at desc limit 2000)
  ) candidate
  join attempt on attempt.id = candidate.id
  join task_run on task_run.id = attempt.task_run_id
  where attempt.created_at <= made + interval '2 seconds'
    and exists (select from jsonb_each(attempt.devices) slot
      where slot.value->>'lab' = of_lab and slot.value->>'name' = of_device and slot.value->>'computer' = from_computer)
    and case
      when wanted->>'by' = 'time' then
        attempt.ended_at is null or attempt.ended_at + make_interval(secs => (wanted->>'grace_s')::double precision) >= made
      when wanted->>'by' <> 'name' then false
      when wanted->>'key' = 'task' then wanted->>'value' in (attempt.id, task_run.id, task_run.name)
      else task_run.input_parameters->>(wanted->>'key') = wanted->>'value'
        or exists (select from effect where effect.attempt_id = attempt.id and effect.lab = of_lab
          and effect.device = of_device and effect.arguments->>(wanted->>'key') = wanted->>'value')
    end
  order by attempt.created_at desc, attempt.id desc limit 1
$function$;

-- Tells what happened to a file. Whoever calls it holds the row of the leadership.
create function tell_of_device_file(file device_file, what text) returns void language plpgsql as $function$
begin
  insert into outbox (aggregate, seq, type, body, at)
  values ('device_file/' || file.id,
    coalesce((select max(seq) from outbox where aggregate = 'device_file/' || file.id), 0) + 1,
    'device_file.' || what,
    jsonb_build_object('labs', jsonb_build_array(file.lab), 'lab', file.lab, 'device', file.device, 'name', file.name,
      'path', file.path, 'size', file.size, 'sha256', file.sha256, 'matched', file.matched, 'task_run_id', file.task_run_id,
      'task', file.task, 'protocol_run', file.protocol_run, 'campaign', file.campaign),
    clock_timestamp());
  notify svc_events;
end
$function$;

-- Stores the record of a file once, by its id. Times are corrected by the offset of the clock.
create function device_file_store(from_computer text, offset_ms double precision, file jsonb) returns void
language plpgsql as $function$
declare
  made timestamptz := to_timestamp(((file->>'made_ms')::double precision - offset_ms) / 1000.0);
  owner_id text;
  stored device_file;
begin
  if exists (select from device_file where id = file->>'id') then
    return;
  end if;
  perform from leadership for update;
  owner_id := attempt_of_file(file->>'lab', file->>'device', from_computer, file->'owner', made);
  insert into device_file (id, lab, device, computer, name, path, size, sha256, made_at, modified_at, matched, attempt_id,
    task_run_id, task, protocol_run, campaign)
  select file->>'id', file->>'lab', file->>'device', from_computer, file->>'name', file->>'path', (file->>'size')::bigint,
    file->>'sha256', made, to_timestamp(((file->>'modified_ms')::double precision - offset_ms) / 1000.0),
    case when attempt.id is not null then file->'owner'->>'by' end, attempt.id, task_run.id, task_run.name,
    protocol_run.name, campaign.name
  from (select) one
  left join attempt on attempt.id = owner_id
  left join task_run on task_run.id = attempt.task_run_id
  left join protocol_run on protocol_run.id = task_run.run_id
  left join campaign on campaign.id = protocol_run.campaign_id
  on conflict (id) do nothing
  returning * into stored;
  if stored.id is not null then
    perform tell_of_device_file(stored, 'stored');
  end if;
end
$function$;

-- Attaches a file to the latest attempt of a task. False: there is no such file of the device, or the task has no attempt.
create function device_file_attach(the_file text, of_lab text, of_device text, to_task_run text, by text, why text)
returns boolean language plpgsql as $function$
declare
  changed device_file;
begin
  perform from leadership for update;
  update device_file file set matched = 'person', attached_by = by, reason = why, attempt_id = latest.attempt_id,
    task_run_id = to_task_run, task = latest.task, protocol_run = latest.protocol_run, campaign = latest.campaign
  from (
    select attempt.id as attempt_id, task_run.name as task, protocol_run.name as protocol_run, campaign.name as campaign
    from attempt join task_run on task_run.id = attempt.task_run_id
    left join protocol_run on protocol_run.id = task_run.run_id
    left join campaign on campaign.id = protocol_run.campaign_id
    where task_run.id = to_task_run order by attempt.number desc limit 1) latest
  where file.id = the_file and file.lab = of_lab and file.device = of_device
  returning file.* into changed;
  if changed.id is null then
    return false;
  end if;
  perform tell_of_device_file(changed, 'attached');
  return true;
end
$function$;

-- Removes the record of a file of a task whose deletion runs, with its events.
create function device_file_remove(the_file text) returns void language plpgsql as $function$
begin
  perform from leadership for update;
  delete from device_file file using task_run left join protocol_run on protocol_run.id = task_run.run_id, deletion
  where file.id = the_file and task_run.id = file.task_run_id and deletion.state = 'running'
    and deletion.work_id in (task_run.id, task_run.run_id, protocol_run.campaign_id);
  if found then
    delete from outbox where aggregate = 'device_file/' || the_file;
  end if;
end
$function$;

do $definer$
declare
  name text;
begin
  foreach name in array array['device_file_store(text, double precision, jsonb)',
    'device_file_attach(text, text, text, text, text, text)', 'device_file_remove(text)'] loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', name, current_schema());
  end loop;
end
$definer$;
`;

export const deviceFiles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(deviceFilesSchema).execute(db);
  },
};
