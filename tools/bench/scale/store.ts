import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Ended work as the service itself would have left it, written by SQL. */

export const tasksPerRun = 10;
/** Nine tasks belong to a run of a campaign. The tenth was submitted by itself. */
export const runsPerCampaign = 10;
/** Seconds between two tasks. */
const spacingS = 30;
const runsPerBatch = 5_000;
/** Connections that write at once. */
const writers = 3;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const definition = sha256('protocol');

const beginning = `
create function pg_temp.id_of(kind int, n bigint, at timestamptz) returns text language sql immutable as $$
  select substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7' || lpad(to_hex(kind), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0')
  from lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') ms
$$;
insert into definition (hash, kind, body) values ('${definition}', 'protocol',
  '{"protocol": {"type": "assay", "labs": ["load_lab"]}, "tasks": {"visit": {"type": "visit", "module": {"hash": "${sha256('code')}"}}}}')
  on conflict do nothing;`;

/**
 * Runs `first` to `last`, their tasks, attempts, effects and trials, the campaigns that begin there, and the events that stay:
 * the last of each record. One task in ten failed; the owners take turns.
 *
 * @param stations how many stations the laboratory has, and how many agents
 */
const batchOf = (
  first: number,
  last: number,
  { now, runs, agents, stations }: { now: string; runs: number; agents: number; stations: number },
): string => `
create temporary table batch on commit drop as
select n, run, at, at + interval '25 seconds' as ended, 'station_' || n % ${stations} as station,
  'bench_' || n % ${stations} % ${agents} as computer, 'owner_' || run % 20 as owner, pg_temp.id_of(1, campaign, campaign_at) as campaign_id,
  'campaign_' || campaign as campaign, pg_temp.id_of(2, run, run_at) as run_id, 'campaign_' || campaign || '_' || run as run_name,
  pg_temp.id_of(3, n, at) as id, pg_temp.id_of(4, n, at) as attempt_id,
  case when n % ${tasksPerRun} = 0 then 'alone_' || n else 'visit_' || n % ${tasksPerRun} end as name, n % ${tasksPerRun} = 0 as alone,
  case when n % 10 = 3 then 'failed' else 'completed' end as state, run_at, campaign_at
from generate_series(${first}, ${last}) run, generate_series((run - 1)::bigint * ${tasksPerRun} + 1, run::bigint * ${tasksPerRun}) n,
  lateral (select '${now}'::timestamptz - make_interval(secs => (${runs * tasksPerRun}::bigint - n) * ${spacingS}) as at) task_moment,
  lateral (select (run - 1) / ${runsPerCampaign} + 1 as campaign,
    '${now}'::timestamptz - make_interval(secs => (${runs}::bigint - run + 1) * ${tasksPerRun * spacingS}) as run_at) run_moment,
  lateral (select '${now}'::timestamptz
    - make_interval(secs => (${runs}::bigint - (campaign - 1) * ${runsPerCampaign}) * ${tasksPerRun * spacingS}) as campaign_at) campaign_moment;

insert into campaign (id, name, protocol, owner, submission_id, priority, state, max_protocol_runs, max_concurrent_protocol_runs,
  optimize, optimizer_ip, global_parameters, meta, runs_started, runs_completed, runs_failed, on_run_failure, failure_policy,
  definition_hash, created_at, started_at, ended_at)
select distinct campaign_id, campaign, 'assay', owner, gen_random_uuid()::text, 0, 'completed', ${runsPerCampaign}, 4, true, '127.0.0.1', '{}'::jsonb,
  '{}'::jsonb, ${runsPerCampaign}, ${runsPerCampaign}, 0, 'continue', '{}'::jsonb, '${definition}', campaign_at, campaign_at,
  campaign_at + interval '${runsPerCampaign * tasksPerRun * spacingS} seconds'
from batch where n % ${runsPerCampaign * tasksPerRun} = 1;

insert into protocol_run (id, name, type, owner, priority, campaign_id, parameters, failure_policy, meta, state, definition_hash,
  created_at, started_at, ended_at)
select run_id, run_name, 'assay', owner, 0, campaign_id, '{"volume": 0.25, "seconds": 12, "temperature": 37.5}', '{}', '{}', 'completed',
  '${definition}', run_at, run_at, run_at + interval '${tasksPerRun * spacingS} seconds'
from batch where n % ${tasksPerRun} = 1;

insert into trial (id, campaign_id, number, run, source, state, inputs, outputs, additional, note)
select pg_temp.id_of(5, run, run_at), campaign_id, run, run_name, 'optimizer', 'measured', '{"volume": 0.25, "temperature": 37.5}', '{"score": 0.75}', '{}', '{}'
from batch where n % ${tasksPerRun} = 1;

insert into task_run (id, name, type, run_id, owner, submission_id, priority, state, reason, definition_hash, devices, resources,
  input_parameters, input_files, output_parameters, output_resources, output_files, attempt, failures, failure_policy, computer,
  allocation_timeout, meta, created_at, queued_at, started_at, ended_at)
select id, name, 'visit', case when alone then null else run_id end, owner, case when alone then gen_random_uuid()::text end, 0, state,
  case when state = 'failed' then '{"code": "task_failed", "message": "the station reported a fault"}'::jsonb end, '${definition}',
  jsonb_build_object('station', jsonb_build_object('lab_name', 'load_lab', 'name', station)), '{}',
  jsonb_build_object('key', run_name || '_' || n, 'stay_s', 12, 'volume', 0.25, 'temperature', 37.5), '{}',
  '{"score": 0.75, "red": 120, "green": 33, "blue": 77}', '{}', '[]', 1, 0, '{}', computer, null, '{}', at, at, at, ended
from batch order by n;

insert into attempt (id, task_run_id, number, state, computer, inc, epoch, devices, calls, reason, created_at, ended_at)
select attempt_id, id, 1, state, computer, 1, 1,
  jsonb_build_object('station', jsonb_build_object('inc', 1, 'lab', 'load_lab', 'name', station, 'type', 'station', 'fence', n, 'computer', computer)),
  jsonb_build_object('effects', 1, 'in_doubt', null, 'last_confirmed', jsonb_build_object('device', 'load_lab.' || station,
    'call_id', attempt_id || '/1', 'function', 'touch')),
  case when state = 'failed' then '{"code": "task_failed", "message": "the station reported a fault"}'::jsonb end, at, ended
from batch order by n;

insert into effect (id, lab, device, computer, function, kind, arguments, state, attempt_id, task, protocol_run, campaign, code_hash,
  package, package_version, began_at, ended_at, clock_offset_ms)
select attempt_id || '/1', 'load_lab', station, computer, 'touch', 'effect', jsonb_build_object('key', run_name || '_' || n), 'completed',
  attempt_id, name, case when not alone then run_name end, case when not alone then campaign end, '${sha256('code')}', 'load', '1.0.0', at, ended, 1.5
from batch order by n;

insert into outbox (aggregate, seq, type, body, at)
select 'attempt/' || attempt_id, 3, 'attempt.' || state, jsonb_build_object('id', attempt_id, 'labs', '["load_lab"]'::jsonb, 'task', name,
  'owner', owner, 'state', state, 'number', 1, 'reason', null, 'devices', jsonb_build_array('load_lab.' || station), 'campaign', campaign,
  'computer', computer, 'task_run_id', id, 'protocol_run', run_name), ended
from batch
union all
select 'task_run/' || id, 3, 'task_run.' || state, jsonb_build_object('id', id, 'labs', '["load_lab"]'::jsonb, 'name', name, 'owner', owner,
  'state', state, 'reason', null, 'attempt', 1, 'campaign', campaign, 'late_by_s', null, 'task_type', 'visit', 'protocol_run', run_name,
  'cancel_requested', false), ended
from batch
union all
select 'protocol_run/' || run_id, 3, 'protocol_run.completed', jsonb_build_object('id', run_id, 'labs', '["load_lab"]'::jsonb,
  'name', run_name, 'owner', owner, 'state', 'completed', 'reason', null, 'campaign', campaign), run_at
from batch where n % ${tasksPerRun} = 1
order by 5;`;

export interface Store {
  /** Bytes of the whole database, and of these tables with their indexes. */
  bytes: number;
  tables: Record<string, number>;
  /** Number of rows of all tables that hold work. */
  records: number;
}

/** The tables that grow with the work. */
const growing = [
  'task_run',
  'task_device',
  'attempt',
  'effect',
  'outbox',
  'protocol_run',
  'trial',
  'campaign',
];

/** Works as the owner of the tables on the database that the service runs. */
export async function withDatabase<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const address = await readFile(join(dataDir, 'secrets', 'database-owner-url'), 'utf8');
  const client = new pg.Client({ connectionString: address.trim() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Writes ended tasks, the last one now.
 *
 * @param tasks a multiple of 100
 */
export async function fill(
  dataDir: string,
  { tasks, ...laboratory }: { tasks: number; agents: number; stations: number },
): Promise<void> {
  const runs = tasks / tasksPerRun;
  const now = new Date().toISOString();
  let first = 1;
  const write = async (client: pg.Client): Promise<void> => {
    await client.query(beginning);
    while (first <= runs) {
      const last = Math.min(first + runsPerBatch - 1, runs);
      const batch = batchOf(first, last, { now, runs, ...laboratory });
      first = last + 1;
      await client.query(`begin; ${batch} commit;`);
    }
  };
  const definitions = await withDatabase(dataDir, dropIndexes);
  await Promise.all(Array.from({ length: writers }, () => withDatabase(dataDir, write)));
  await withDatabase(dataDir, async (client) => {
    await client.query(`set maintenance_work_mem = '256MB'`);
    for (const definition of definitions) await client.query(definition);
  });
  // What autovacuum does to a store that grew slowly. A scan of an index reads no table only after it.
  await withDatabase(dataDir, (client) => client.query('vacuum analyze'));
}

/**
 * Drops the indexes and foreign keys of the growing tables: to make them at the end is several times faster.
 *
 * @returns the statements that make them again
 */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make from pg_index
      where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select format('alter table %s drop constraint %I', conrelid::regclass, conname),
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where contype = 'f' and conrelid = any($1::regclass[])`,
    [growing],
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ make }) => make);
}

export async function measureStore(client: pg.Client): Promise<Store> {
  const { rows } = await client.query<{ name: string; bytes: string; records: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes, greatest(reltuples, 0) as records
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const database = await client.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  );
  const grown = rows.filter(({ name }) => growing.includes(name));
  return {
    bytes: Number(database.rows[0]?.bytes),
    tables: Object.fromEntries(grown.map(({ name, bytes }) => [name, Number(bytes)])),
    records: grown.reduce((sum, { records }) => sum + Number(records), 0),
  };
}
