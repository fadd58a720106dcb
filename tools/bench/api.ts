// Measures lists of 100 and submissions while the database holds 100,000 ended task runs. Beside each request, in turn, run
// the bare query of 100 rows and a request that reaches neither database nor orchestrator. On a machine with other work
// they show what a figure is worth.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '@lab/persistence/embedded';
import { readFlags, whole } from '../shared/flags.js';
import { p50AndP99Text, percentile, printMachine, printResult, rounded, timed } from '../shared/measure.js';
import { processorTimes } from '../shared/processes.js';
import { RawSender } from '../shared/raw-sender.js';
import { withStack } from '../shared/stack.js';

const range = { least: 10, most: 1_000_000 };
const { tasks, rounds } = readFlags({ tasks: whole(100_000, range), rounds: whole(40, range) });

const tasksPerRun = 3;
const runsPerCampaign = 100;
const runs = Math.ceil(tasks / tasksPerRun);
const campaigns = Math.ceil(runs / runsPerCampaign);

/** Ended task runs, one second apart, with runs and attempts. One in 100 failed; one in 1,000 belongs to the owner `rare`. */
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

printMachine();
const folder = await mkdtemp(join(tmpdir(), 'svc-api-'));
const database = await startPostgres({ dataDir: join(folder, 'data') });
const connection = new pg.Client({ connectionString: database.url });
try {
  const env = { SVC_DATABASE_URL: database.urls.owner, SVC_LABS: 'multiplication_lab' };
  await withStack({ env }, async (stack, api) => {
    await connection.connect();
    await connection.query(history);
    const sender = new RawSender(stack.url, 1);
    const list = (query: string): Promise<void> => sender.get(`/api/tasks?limit=100${query}`);
    const page = await api.get('/api/tasks', { query: { limit: 100, until: middle } });
    const lists = {
      plain: '',
      state: '&state=failed',
      owner: '&owner=owner_7',
      rare_owner: '&owner=rare',
      text: '&text=MIX_1',
      campaign: `&campaign=campaign_${Math.ceil(campaigns / 2)}`,
      deep_page: `&until=${middle}&cursor=${page.next_cursor}`,
      text_of_none: '&text=zebra',
    };
    // Paused work does not start, so that only the acceptance is measured.
    await api.post('/api/queue/pause', { body: {} });
    const durations: Record<string, number[]> = { bare_query: [], bare_request: [], submit: [] };
    const measure = async (name: string, work: (round: number) => Promise<unknown>): Promise<void> => {
      const before = processorTimes(stack.pid);
      const own: number[] = (durations[name] = []);
      for (let round = 0; round < rounds; round += 1) {
        own.push(await timed(() => work(round)));
        durations['bare_query']?.push(await timed(() => connection.query(bareQuery)));
        durations['bare_request']?.push(await timed(() => sender.get('/health/live')));
      }
      const after = processorTimes(stack.pid);
      const spent = (kind: string): number =>
        rounded((((after.get(kind) ?? 0) - (before.get(kind) ?? 0)) * 1_000) / rounds, 1);
      console.log(
        `${name}: ${p50AndP99Text(own)}; processor time of the gateway ${spent('gateway')} ms, ` +
          `of the orchestrator ${spent('orchestrator')} ms, each with a bare request`,
      );
    };
    for (const [name, query] of Object.entries(lists)) {
      for (let warm = 0; warm < 10; warm += 1) await list(query);
      await measure(name, () => list(query));
    }
    const submit = (name: string): Promise<void> =>
      sender.post('/api/tasks', { name, type: 'write_file', input_parameters: { text: 'x' } });
    for (let warm = 0; warm < 30; warm += 1) await submit(`warm_${warm}`);
    await measure('submit', (round) => submit(`bench_${round}`));
    sender.close();
    const loads = loadavg().map((each) => rounded(each, 1));
    console.log(`load average ${loads.join(', ')}`);
    const medians = Object.entries(durations).map(([name, each]) => [
      `${name}_p50_ms`,
      rounded(percentile(each, 0.5)),
    ]);
    printResult({ tasks, ...(Object.fromEntries(medians) as object) });
  });
} finally {
  await connection.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
