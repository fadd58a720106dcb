// Measures the time that a campaign with an optimizer adds to the time of its instruments, and how long instruments wait for
// the optimizer.
import type { ApiClient } from '@lab/api-client';
import { isolation } from '@lab/contracts';
import { fraction, oneOf, readFlags, whole } from '../shared/flags.js';
import {
  p50AndP99,
  percentile,
  printMachine,
  printResult,
  rounded,
  timed,
  until,
} from '../shared/measure.js';
import { copyPackages, inFolder } from '../shared/folder.js';
import { devicesIdle, isOver, withStack } from '../shared/stack.js';

/** Runs at the same time: one for each instrument. */
const concurrent = 3;
/**
 * `seconds`: working time of an instrument for one of the two tasks of a run. `resume`: number of completed runs of the
 * campaign that is resumed; 0 skips this part. `isolation`: that of the tasks.
 */
const {
  runs,
  seconds,
  resume: resumed,
  isolation: chosen,
} = readFlags({
  runs: whole(60, { least: 1 }),
  seconds: fraction(0.3),
  resume: whole(1_000),
  isolation: oneOf('thread', isolation.options),
});

interface Campaign {
  acceptedMs: number;
  /** Begin and end of each run, in milliseconds since 1970. */
  rows: { begin: number; end: number }[];
  /** Milliseconds of each run without the time of its instruments. */
  overheads: number[];
}

/** Share of the time in which a place for a run is free although further runs follow, between the first and last begin. */
function idleShare({ rows }: Campaign): number {
  const from = Math.min(...rows.map(({ begin }) => begin));
  const to = Math.max(...rows.map(({ begin }) => begin));
  const busy = rows.reduce((sum, { begin, end }) => sum + Math.min(end, to) - begin, 0);
  return 1 - busy / (concurrent * (to - from));
}

printMachine();
await inFolder('campaign', async (packages) => {
  await copyPackages('bench/campaign/packages', packages, chosen);
  await withStack({ userDir: packages }, measure);
});

async function measure(_stack: unknown, api: ApiClient): Promise<void> {
  const usual = { protocol: 'search', max_concurrent_protocol_runs: concurrent };
  const read = (name: string) => () =>
    api.get('/api/campaigns/{campaign_name}', { path: { campaign_name: name } });

  const run = async (name: string, body: object): Promise<Campaign> => {
    const acceptedMs = await timed(() =>
      api.post('/api/campaigns', { body: { ...usual, name, max_protocol_runs: runs, ...body } }),
    );
    const record = await until(read(name), isOver, 600_000, 250);
    if (record.state !== 'completed')
      throw new Error(`${name} is ${record.state}: ${JSON.stringify(record.reason)}`);
    const [records, tasks] = await Promise.all([
      api.get('/api/campaigns/{campaign_name}/runs', {
        path: { campaign_name: name },
        query: { sort: 'created_at', limit: 500 },
      }),
      api.get('/api/tasks', { query: { campaign: name, text: 'second', sort: 'created_at', limit: 500 } }),
    ]);
    const took = new Map(
      tasks.items.map((task) => [task.protocol_run, Number(task.output_parameters?.['took'])]),
    );
    const rows = records.items.map(({ name: runName, created_at, ended_at }) => ({
      begin: Date.parse(created_at),
      end: Date.parse(ended_at ?? ''),
      instruments: took.get(runName) ?? NaN,
    }));
    return {
      acceptedMs,
      rows,
      overheads: rows.map(({ begin, end, instruments }) => end - begin - instruments),
    };
  };

  /**
   * Cancels a campaign after `count` completed runs with given parameters, and resumes it.
   *
   * @returns seconds from the resumption until the optimizer knows all runs, and until it has proposed the next one
   */
  const resume = async (count: number): Promise<{ ready: number; proposed: number }> => {
    const name = 'resumed';
    const path = { campaign_name: name };
    await api.post('/api/campaigns', {
      body: {
        ...usual,
        name,
        max_protocol_runs: 0,
        optimize: true,
        global_parameters: { first: { seconds: 0 } },
        protocol_run_parameters: Array.from({ length: count }, (_, n) => ({
          first: { x: Number(((n * 0.618034) % 1).toFixed(6)), y: n / count },
        })),
      },
    });
    const trials = async (): Promise<number> =>
      (await api.get('/api/campaigns/{campaign_name}/trials', { path, query: { after: count, limit: 10 } }))
        .items.length;
    await until(read(name), (record) => record.protocol_runs_completed >= count, 600_000, 1_000);
    await api.post('/api/campaigns/{campaign_name}/cancel', { path });
    await until(read(name), isOver);
    const known = await trials();
    const begin = performance.now();
    await api.post('/api/campaigns/{campaign_name}/resume', { path });
    const optimizer = () => api.get('/api/campaigns/{campaign_name}/optimizer', { path });
    await until(optimizer, ({ state }) => state === 'ready', 120_000, 20);
    const ready = performance.now();
    await until(trials, (all) => all > known, 300_000, 50);
    const proposed = performance.now();
    await api.post('/api/campaigns/{campaign_name}/cancel', { path });
    return { ready: (ready - begin) / 1_000, proposed: (proposed - begin) / 1_000 };
  };

  await devicesIdle(api);
  const given = Array.from({ length: runs }, (_, n) => ({ first: { x: n / runs, y: 1 - n / runs } }));
  const global_parameters = { first: { seconds } };
  await run('warm', { global_parameters, protocol_run_parameters: given });
  const plain = await run('plain', { global_parameters, protocol_run_parameters: given });
  const optimized = await run('optimized', { global_parameters, optimize: true });
  const again = resumed === 0 ? undefined : await resume(resumed);
  printResult({
    ...p50AndP99('overhead_', optimized.overheads),
    overhead_without_optimizer_p50_ms: rounded(percentile(plain.overheads, 0.5)),
    idle_waiting_pct: rounded(100 * idleShare(optimized)),
    idle_without_optimizer_pct: rounded(100 * idleShare(plain)),
    accepted_ms: rounded(optimized.acceptedMs),
    runs,
    instrument_ms: 2_000 * seconds,
    ...(again === undefined
      ? {}
      : { resumed, resume_ready_s: rounded(again.ready), resume_proposed_s: rounded(again.proposed) }),
  });
}
