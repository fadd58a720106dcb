// What a campaign with an optimizer adds to the time of its instruments, and how long these wait for the optimizer.
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startServiceStack } from '@lab/testkit';
import { devicesIdle, finish, httpClient, percentile, printMachine, rounded, until } from './harness.mjs';

/** As many as there are instruments. */
const concurrent = 3;
const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '60' },
    /** Seconds that an instrument works for one task; a run has two. */
    seconds: { type: 'string', default: '0.3' },
    /** Completed runs of a campaign that is resumed; 0 leaves this out. */
    resume: { type: 'string', default: '1000' },
  },
});
const runs = Number(flags.runs);
const seconds = Number(flags.seconds);
const resumed = Number(flags.resume);

printMachine();
const stack = await startServiceStack({
  userDir: fileURLToPath(new URL('campaign/packages', import.meta.url)),
});
const client = httpClient(stack.url);
const isOver = ({ state }) => ['completed', 'failed', 'cancelled', 'needs_attention'].includes(state);

/** Runs a campaign and gives its runs in order, with times in milliseconds. */
async function campaign(name, body) {
  const asked = performance.now();
  await client.call('POST', '/api/campaigns', {
    name,
    protocol: 'search',
    max_protocol_runs: runs,
    max_concurrent_protocol_runs: concurrent,
    ...body,
  });
  const accepted = performance.now() - asked;
  const record = await until(() => client.call('GET', `/api/campaigns/${name}`), isOver, 600_000, 250);
  if (record.state !== 'completed')
    throw new Error(`${name} ${record.state}: ${JSON.stringify(record.reason)}`);
  const all = (path) => client.call('GET', `${path}&sort=created_at&limit=500`).then(({ items }) => items);
  const [records, tasks] = await Promise.all([
    all(`/api/campaigns/${name}/runs?`),
    all(`/api/tasks?campaign=${name}&text=second`),
  ]);
  const took = new Map(tasks.map((task) => [task.protocol_run, task.output_parameters.took]));
  const rows = records.map((run) => ({
    begin: Date.parse(run.created_at),
    end: Date.parse(run.ended_at),
    instruments: took.get(run.name),
  }));
  return { accepted, rows, overheads: rows.map(({ begin, end, instruments }) => end - begin - instruments) };
}

/**
 * Share of the time of all places for runs in which one was free although further runs were to come. The first begin and the
 * last count as the ends.
 */
function idleShare(rows) {
  const from = Math.min(...rows.map(({ begin }) => begin));
  const to = Math.max(...rows.map(({ begin }) => begin));
  const busy = rows.reduce((sum, { begin, end }) => sum + Math.min(end, to) - begin, 0);
  return 1 - busy / (concurrent * (to - from));
}

/**
 * Has so many trials measured that the submission gives, cancels the campaign and resumes it.
 *
 * @returns seconds from the resume until the optimizer knows all of them, and until it has proposed the next
 */
async function resume(count) {
  const name = 'resumed';
  await client.call('POST', '/api/campaigns', {
    name,
    protocol: 'search',
    max_protocol_runs: 0,
    max_concurrent_protocol_runs: concurrent,
    optimize: true,
    global_parameters: { first: { seconds: 0 } },
    protocol_run_parameters: Array.from({ length: count }, (_, n) => ({
      first: { x: ((n * 0.618034) % 1).toFixed(6) * 1, y: n / count },
    })),
  });
  const read = () => client.call('GET', `/api/campaigns/${name}`);
  const trials = () =>
    client.call('GET', `/api/campaigns/${name}/trials?after=${count}&limit=10`).then(({ items }) => items);
  await until(read, (record) => record.protocol_runs_completed >= count, 600_000, 1_000);
  await client.call('POST', `/api/campaigns/${name}/cancel`);
  await until(read, isOver, 60_000);
  const known = (await trials()).length;
  const begin = performance.now();
  await client.call('POST', `/api/campaigns/${name}/resume`);
  const state = () => client.call('GET', `/api/campaigns/${name}/optimizer`);
  await until(state, ({ state: now }) => now === 'ready', 120_000, 20);
  const ready = performance.now();
  await until(trials, (list) => list.length > known, 300_000, 50);
  const proposed = performance.now();
  await client.call('POST', `/api/campaigns/${name}/cancel`);
  return { ready: (ready - begin) / 1_000, proposed: (proposed - begin) / 1_000 };
}

try {
  await devicesIdle(client);
  const given = Array.from({ length: runs }, (_, n) => ({ first: { x: n / runs, y: 1 - n / runs } }));
  const global_parameters = { first: { seconds } };
  await campaign('warm', { global_parameters, protocol_run_parameters: given });
  const plain = await campaign('plain', { global_parameters, protocol_run_parameters: given });
  const optimized = await campaign('optimized', { global_parameters, optimize: true });
  for (const [name, { overheads, rows }] of [
    ['without optimizer', plain],
    ['with optimizer', optimized],
  ])
    console.log(
      `${name}: overhead of a run p50 ${rounded(percentile(overheads, 0.5))} ms, p99 ${rounded(percentile(overheads, 0.99))} ms; places free ${rounded(100 * idleShare(rows), 2)} %`,
    );
  const again = resumed === 0 ? undefined : await resume(resumed);
  if (again !== undefined)
    console.log(
      `resume of ${resumed} completed runs: the optimizer knows them after ${rounded(again.ready)} s, and has proposed the next after ${rounded(again.proposed)} s`,
    );
  finish({
    overhead_p50_ms: rounded(percentile(optimized.overheads, 0.5)),
    overhead_p99_ms: rounded(percentile(optimized.overheads, 0.99)),
    overhead_without_optimizer_p50_ms: rounded(percentile(plain.overheads, 0.5)),
    idle_waiting_pct: rounded(100 * idleShare(optimized.rows), 2),
    idle_without_optimizer_pct: rounded(100 * idleShare(plain.rows), 2),
    accepted_ms: rounded(optimized.accepted),
    runs,
    instrument_ms: 2_000 * seconds,
    ...(again === undefined ? {} : { resumed, resume_ready_s: rounded(again.ready) }),
  });
} finally {
  client.close();
  await stack.dispose();
}
