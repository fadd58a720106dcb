import { sql, type Kysely, type Migration } from 'kysely';

/** The calls of devices that may change something. */
export const effectsSchema = `
-- Where code came from when a leader loaded it: a row whenever that differs from the row before.
create table code_origin (
  hash text collate "C" not null,
  package text collate "C" not null,
  version text collate "C",
  commit text collate "C",
  modified boolean,
  loaded_at timestamptz not null,
  primary key (hash, package, loaded_at)
);

create table effect (
  id text collate "C" primary key,
  lab text collate "C" not null,
  device text collate "C" not null,
  computer text collate "C" not null,
  function text collate "C" not null,
  kind text not null,
  arguments jsonb not null,
  state text not null,
  result jsonb,
  error jsonb,
  person text collate "C",
  attempt_id text collate "C",
  task text collate "C",
  protocol_run text collate "C",
  campaign text collate "C",
  code_hash text collate "C",
  package text collate "C",
  package_version text collate "C",
  package_commit text collate "C",
  package_modified boolean,
  began_at timestamptz not null,
  ended_at timestamptz,
  clock_offset_ms double precision not null
);
create index effect_newest on effect (began_at, id);
create index effect_of_device on effect (lab, device, began_at, id);
create index effect_of_person on effect (person, began_at, id) where person is not null;
create index effect_of_attempt on effect (attempt_id, began_at, id) where attempt_id is not null;
create index effect_of_task on effect (task, began_at, id) where task is not null;
create index effect_of_run on effect (protocol_run, began_at, id) where protocol_run is not null;
create index effect_of_campaign on effect (campaign, began_at, id) where campaign is not null;
create index effect_of_code on effect (code_hash, began_at, id) where code_hash is not null;
create index effect_running on effect (began_at, id) where state = 'running';

-- Stores a batch of calls of one computer. A call is stored once: its end replaces its beginning, and nothing replaces
-- its end. Each gets the names of the work that its attempt belongs to, and the origin of its code: the last that was
-- loaded before the call. Times are corrected by the offset of the clock.
create function effect_append(from_computer text, offset_ms double precision, calls jsonb) returns void
language sql as $function$
  insert into effect (id, lab, device, computer, function, kind, arguments, state, result, error, person, attempt_id,
    task, protocol_run, campaign, code_hash, package, package_version, package_commit, package_modified, began_at,
    ended_at, clock_offset_ms)
  select call.call_id, call.lab, call.device, from_computer, call.function, call.kind, call.arguments, call.state,
    call.result, call.error, call.person, call.attempt_id, task_run.name, protocol_run.name, campaign.name,
    call.code_hash, origin.package, origin.version, origin.commit, origin.modified,
    to_timestamp((call.began_ms - offset_ms) / 1000.0), to_timestamp((call.ended_ms - offset_ms) / 1000.0), offset_ms
  from jsonb_to_recordset(calls) as call (
    call_id text, lab text, device text, function text, kind text, arguments jsonb, state text, result jsonb,
    error jsonb, person text, attempt_id text, code_hash text, began_ms double precision, ended_ms double precision)
  left join attempt on attempt.id = call.attempt_id
  left join task_run on task_run.id = attempt.task_run_id
  left join protocol_run on protocol_run.id = task_run.run_id
  left join campaign on campaign.id = protocol_run.campaign_id
  left join lateral (
    select code_origin.* from code_origin where hash = call.code_hash
    order by loaded_at <= to_timestamp((call.began_ms - offset_ms) / 1000.0) desc,
      abs(extract(epoch from loaded_at) - (call.began_ms - offset_ms) / 1000.0)
    limit 1) origin on true
  order by call.call_id
  on conflict (id) do update set state = excluded.state, result = excluded.result, error = excluded.error,
    began_at = excluded.began_at, ended_at = excluded.ended_at, clock_offset_ms = excluded.clock_offset_ms
  where effect.state = 'running'
$function$;
`;

export const effects: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(effectsSchema).execute(db);
  },
};
