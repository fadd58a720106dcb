/** The SQL that writes ended tasks into a database, so that a page has much to show without hours of work. */

/**
 * Ended tasks on demand, the newest a minute ago, evenly over the past part of the day that the schedule shows, and over the
 * stations.
 *
 * @param tasks how many
 * @param lab whose stations they used
 * @param stations how many stations the laboratory has
 */
export const historyOf = (tasks: number, lab: string, stations: number): string => `
insert into definition (hash, kind, body) values ('bench', 'protocol',
  '{"protocol": {"type": "bench"}, "tasks": {"visit": {"type": "visit", "module": {"hash": "bench"}}}}')
  on conflict do nothing;
insert into task_run (id, name, type, owner, priority, state, definition_hash, devices, resources,
  input_parameters, input_files, output_parameters, output_resources, output_files, attempt, failures, failure_policy,
  computer, meta, created_at, queued_at, started_at, ended_at)
select 't' || lpad(n::text, 9, '0'), 'past_' || n, 'visit', 'owner_' || n % 20, 0,
  case when n % 100 = 0 then 'failed' else 'completed' end, 'bench',
  jsonb_build_object('station', jsonb_build_object('lab_name', '${lab}', 'name', 'station_' || n % ${stations})),
  '{}', '{"key": "bench", "stay_s": 1}', '{}', '{}', '{}', '[]', 1, 0, '{}', 'bench_0', '{}', at, at, at,
  at + interval '9 minutes'
from generate_series(1, ${tasks}) n,
  lateral (select now() - interval '10 minutes' - make_interval(secs => n * ${(17 * 3_600) / tasks})) moment(at);
insert into attempt (id, task_run_id, number, state, computer, inc, epoch, devices, created_at, ended_at)
select 'a' || id, id, 1, state, 'bench_0', 1, 1, '{}', created_at, ended_at from task_run where type = 'visit';
analyze;`;
