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
  },
});
const runs = Number(flags.runs);
const seconds = Number(flags.seconds);

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
  const rows = record.protocol_runs.map((run) => ({
    begin: Date.parse(run.created_at),
    end: Date.parse(run.ended_at),
    instruments: run.tasks.find((task) => task.name === 'second').output_parameters.took,
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
  finish({
    overhead_p50_ms: rounded(percentile(optimized.overheads, 0.5)),
    overhead_p99_ms: rounded(percentile(optimized.overheads, 0.99)),
    overhead_without_optimizer_p50_ms: rounded(percentile(plain.overheads, 0.5)),
    idle_waiting_pct: rounded(100 * idleShare(optimized.rows), 2),
    idle_without_optimizer_pct: rounded(100 * idleShare(plain.rows), 2),
    accepted_ms: rounded(optimized.accepted),
    runs,
    instrument_ms: 2_000 * seconds,
  });
} finally {
  client.close();
  await stack.dispose();
}
