import { sql, type Kysely, type Migration } from 'kysely';

/** What executed the code of attempts and of recorded calls. An agent of the release before does not say it. */
const runtimesSchema = `
alter table attempt add column runtime jsonb;
alter table effect add column runtime jsonb;

create or replace function effect_append(from_computer text, offset_ms double precision, calls jsonb) returns void
language sql as $function$
  insert into effect (id, lab, device, computer, function, kind, arguments, state, result, error, person, attempt_id,
    task, protocol_run, campaign, code_hash, runtime, package, package_version, package_commit, package_modified, began_at,
    ended_at, clock_offset_ms)
  select call.call_id, call.lab, call.device, from_computer, call.function, call.kind, call.arguments, call.state,
    call.result, call.error, call.person, call.attempt_id, task_run.name, protocol_run.name, campaign.name,
    call.code_hash, call.runtime, origin.package, origin.version, origin.commit, origin.modified,
    to_timestamp((call.began_ms - offset_ms) / 1000.0), to_timestamp((call.ended_ms - offset_ms) / 1000.0), offset_ms
  from jsonb_to_recordset(calls) as call (
    call_id text, lab text, device text, function text, kind text, arguments jsonb, state text, result jsonb,
    error jsonb, person text, attempt_id text, code_hash text, runtime jsonb, began_ms double precision,
    ended_ms double precision)
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

-- A function that is replaced loses both.
do $definer$
begin
  execute format('alter function effect_append(text, double precision, jsonb) security definer set search_path = %I, pg_temp',
    current_schema());
end
$definer$;
`;

export const runtimes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(runtimesSchema).execute(db);
  },
};
