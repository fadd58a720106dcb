// Measures the answer to "who moved the arm at 14:02" while the database holds a million recorded calls. Beside each request,
// in turn, run a bare query by the primary key and a request that reaches neither database nor orchestrator.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '@lab/persistence/embedded';
import { readFlags, whole } from '../shared/flags.js';
import { p50AndP99Text, percentile, printMachine, printResult, rounded, timed } from '../shared/measure.js';
import { RawSender } from '../shared/raw-sender.js';
import { withStack } from '../shared/stack.js';

const { effects, rounds } = readFlags({
  effects: whole(1_000_000, { least: 1_000, most: 10_000_000 }),
  rounds: whole(40, { least: 10, most: 1_000_000 }),
});

/** One call each second, on twenty devices, of tasks and, one in a hundred, of people. */
const history = `
insert into effect (id, lab, device, computer, function, kind, arguments, state, result, person, attempt_id, task,
  protocol_run, campaign, code_hash, began_at, ended_at, clock_offset_ms)
select 'e' || lpad(n::text, 9, '0'), 'lab', 'arm_' || n % 20, 'bench_' || n % 4, 'move', 'effect',
  '{"to": "rack", "speed": 0.5}', 'completed', '{"at": "rack"}',
  case when n % 100 = 0 then 'ann' end, case when n % 100 <> 0 then 'a' || n / 10 end,
  case when n % 100 <> 0 then 'carry_' || n % 3 end, case when n % 100 <> 0 then 'run_' || n / 30 end,
  case when n % 100 <> 0 then 'campaign_' || n / 3000 end, 'hash_' || n % 5, at, at + interval '0.5 s', 3
from generate_series(1, ${effects}) n, lateral (select now() - make_interval(secs => ${effects} - n)) moment(at);
analyze effect;`;

const middle = Date.now() - (effects / 2) * 1_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const around = `&since=${iso(middle - 600_000)}&until=${iso(middle + 600_000)}`;
const bareQuery = `select * from effect where id = 'e${String(Math.ceil(effects / 2)).padStart(9, '0')}'`;

printMachine();
const folder = await mkdtemp(join(tmpdir(), 'svc-effects-'));
const database = await startPostgres({ dataDir: join(folder, 'data') });
const connection = new pg.Client({ connectionString: database.url });
try {
  const env = { SVC_DATABASE_URL: database.urls.owner, SVC_LABS: 'multiplication_lab' };
  await withStack({ env }, async (stack) => {
    await connection.connect();
    await connection.query(history);
    const sender = new RawSender(stack.url, 1);
    const questions = {
      device_around: `&lab=lab&device=arm_7${around}`,
      everything_around: around,
      person: '&person=ann',
      run: `&protocol_run=run_${Math.ceil(effects / 60)}`,
      device_and_function_of_none: '&lab=lab&device=arm_7&function=none&since=' + iso(middle),
      latest: '',
    };
    const durations: Record<string, number[]> = { bare_query: [], bare_request: [] };
    for (const [name, query] of Object.entries(questions)) {
      const ask = (): Promise<void> => sender.get(`/api/effects?limit=100${query}`);
      for (let warm = 0; warm < 10; warm += 1) await ask();
      const own: number[] = (durations[name] = []);
      for (let round = 0; round < rounds; round += 1) {
        own.push(await timed(ask));
        durations['bare_query']?.push(await timed(() => connection.query(bareQuery)));
        durations['bare_request']?.push(await timed(() => sender.get('/health/live')));
      }
      console.log(`${name}: ${p50AndP99Text(own)}`);
    }
    sender.close();
    console.log(
      `load average ${loadavg()
        .map((each) => rounded(each, 1))
        .join(', ')}`,
    );
    const medians = Object.entries(durations).map(([name, each]) => [
      `${name}_p50_ms`,
      rounded(percentile(each, 0.5)),
    ]);
    printResult({ effects, ...(Object.fromEntries(medians) as object) });
  });
} finally {
  await connection.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
