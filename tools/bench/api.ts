// What the interface takes for reading and for accepting work while the database holds 100,000 task runs that are over:
// lists of 100, and submissions. Beside each request, in turn, stand the bare query of 100 rows and a request that
// reaches neither database nor orchestrator: on a machine that has other work they say what a figure is worth.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '@lab/persistence/embedded';
import { startServiceStack } from '@lab/testkit';
import { processorTimes } from '../fuzz/processor-time.mjs';
import { finish, httpClient, percentile, printMachine, rounded } from './harness.mjs';

const { values: flags } = parseArgs({
  options: { tasks: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '40' } },
});
const [tasks, rounds] = [flags.tasks, flags.rounds].map(Number);
if (![tasks, rounds].every((value) => Number.isInteger(value) && value >= 10 && value <= 1_000_000))
  throw new Error('every option is a whole number from 10 to 1000000');

const tasksPerRun = 3;
const runsPerCampaign = 100;
const runs = Math.ceil(tasks / tasksPerRun);
const campaigns = Math.ceil(runs / runsPerCampaign);

/** Task runs that are over, one second apart, with runs and attempts: of every hundred one failed, of a thousand one is rare's. */
const history = `
insert into definition (hash, kind, body) values ('bench', 'protocol',
  '{"protocol": {"type": "bench"}, "tasks": {"mix": {"type": "mix", "module": {"hash": "bench"}}}}');
insert into campaign (id, name, protocol, owner, priority, state, max_protocol_runs, max_concurrent_protocol_runs,
  optimize, optimizer_ip, global_parameters, meta, runs_started, runs_completed, runs_failed, on_run_failure,
  failure_policy, definition_hash, created_at, started_at, ended_at)
select 'c' || lpad(n::text, 9, '0'), 'campaign_' || n, 'bench', 'owner_' || n % 20, 0, 'completed', ${runsPerCampaign}, 4,
  false, '127.0.0.1', '{}', '{}', ${runsPerCampaign}, ${runsPerCampaign}, 0, 'continue', '{}', 'bench', at, at, at
from generate_series(1, ${campaigns}) n,
  lateral (select now() - make_interval(secs => ${tasks} - n * ${tasksPerRun * runsPerCampaign})) moment(at);
insert into protocol_run (id, name, type, owner, priority, campaign_id, parameters, failure_policy, meta, state,
  definition_hash, created_at, started_at, ended_at)
select 'r' || lpad(n::text, 9, '0'), 'run_' || n, 'bench', 'owner_' || n % 20, 0,
  'c' || lpad((1 + (n - 1) / ${runsPerCampaign})::text, 9, '0'), '{}', '{}', '{}', 'completed', 'bench', at, at, at
from generate_series(1, ${runs}) n, lateral (select now() - make_interval(secs => ${tasks} - n * ${tasksPerRun})) moment(at);
insert into task_run (id, name, type, run_id, owner, priority, state, definition_hash, devices, resources,
  input_parameters, input_files, output_parameters, output_resources, output_files, attempt, failures, failure_policy,
  computer, meta, created_at, queued_at, started_at, ended_at)
select 't' || lpad(n::text, 9, '0'), 'mix_' || n % ${tasksPerRun}, 'mix',
  'r' || lpad((1 + (n - 1) / ${tasksPerRun})::text, 9, '0'),
  case when n % 1000 = 0 then 'rare' else 'owner_' || n % 20 end, 0,
  case when n % 100 = 0 then 'failed' else 'completed' end, 'bench',
  '{"station": {"lab_name": "color_lab", "name": "station_1"}}',
  '{"beaker": {"name": "beaker_1", "type": "beaker", "meta": {}}}',
  '{"cyan": 0.25, "magenta": 0.5, "yellow": 0.125, "seconds": 12}', '{}',
  '{"score": 0.75, "red": 120, "green": 33, "blue": 77}',
  '{}', '[]', 1, 0, '{}', 'svc_computer', '{}', at, at, at, at
from generate_series(1, ${tasks}) n, lateral (select now() - make_interval(secs => ${tasks} - n)) moment(at);
insert into attempt (id, task_run_id, number, state, computer, inc, epoch, devices, created_at, ended_at)
select 'a' || id, id, 1, state, 'svc_computer', 1, 1, '{}', created_at, ended_at from task_run where type = 'mix';
analyze;`;

const bareQuery = 'select * from task_run order by created_at desc, id desc limit 100';
const middle = new Date(Date.now() - (tasks / 2) * 1_000).toISOString();

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

const median = (numbers) => rounded(percentile(numbers, 0.5));

printMachine();
const folder = await mkdtemp(join(tmpdir(), 'svc-api-'));
const database = await startPostgres({ dataDir: join(folder, 'data') });
const connection = new pg.Client({ connectionString: database.url });
let stack;
try {
  stack = await startServiceStack({
    env: { SVC_DATABASE_URL: database.url, SVC_LABS: 'multiplication_lab' },
  });
  await connection.connect();
  await connection.query(history);
  const client = httpClient(stack.url, 1);
  const list = (query) => client.call('GET', `/api/tasks?limit=100${query}`);
  const { next_cursor: deep } = await list(`&until=${middle}`);
  const lists = {
    plain: '',
    state: '&state=failed',
    owner: '&owner=owner_7',
    rare_owner: '&owner=rare',
    text: '&text=MIX_1',
    campaign: `&campaign=campaign_${Math.ceil(campaigns / 2)}`,
    deep_page: `&until=${middle}&cursor=${deep}`,
    text_of_none: '&text=zebra',
  };
  // What is submitted waits, so that accepting it is all that happens.
  await client.call('POST', '/api/queue/pause', {});
  const durations = { bare_query: [], bare_request: [], submit: [] };
  for (const name of Object.keys(lists)) durations[name] = [];
  const spent = new Map();
  const within = async (name, work) => {
    const before = processorTimes(stack.pid);
    for (let round = 0; round < rounds; round += 1) {
      durations[name].push(await timed(() => work(round)));
      durations.bare_query.push(await timed(() => connection.query(bareQuery)));
      durations.bare_request.push(await timed(() => client.call('GET', '/health/live')));
    }
    const after = processorTimes(stack.pid);
    const of = (kind) => rounded((((after.get(kind) ?? 0) - (before.get(kind) ?? 0)) * 1_000) / rounds, 1);
    spent.set(name, { gateway: of('gateway'), orchestrator: of('orchestrator') });
  };
  for (const [name, query] of Object.entries(lists)) {
    for (let warm = 0; warm < 10; warm += 1) await list(query);
    await within(name, () => list(query));
  }
  const submit = (name) =>
    client.call('POST', '/api/tasks', { name, type: 'write_file', input_parameters: { text: 'x' } });
  for (let warm = 0; warm < 30; warm += 1) await submit(`warm_${warm}`);
  await within('submit', (round) => submit(`bench_${round}`));
  for (const [name, { gateway, orchestrator }] of spent)
    console.log(
      `${name}: p50 ${median(durations[name])} ms, p99 ${rounded(percentile(durations[name], 0.99))} ms; ` +
        `processor time of the gateway ${gateway} ms, of the orchestrator ${orchestrator} ms, each with a bare request`,
    );
  console.log(
    `load average ${loadavg()
      .map((each) => rounded(each, 1))
      .join(', ')}`,
  );
  client.close();
  finish({
    tasks,
    ...Object.fromEntries(Object.entries(durations).map(([name, each]) => [`${name}_p50_ms`, median(each)])),
  });
} finally {
  await stack?.dispose();
  await connection.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
