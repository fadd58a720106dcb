// Backs up a service with many ended tasks, and restores it: how far the backup is behind, what it costs a task, and how long a
// restore takes until the service answers. The floor of the restore is a plain copy of the database files.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ApiClient } from '@lab/api-client';
import pg from 'pg';
import { readFlags, whole } from '../shared/flags.js';
import { percentile, printMachine, printResult, rounded, timed, until } from '../shared/measure.js';
import { benchPackages, svc as program } from '../shared/paths.js';
import { devicesIdle, isOver, withStack } from '../shared/stack.js';
import { historyOf } from './web/history.js';

const { tasks, samples } = readFlags({
  tasks: whole(100_000, { most: 1_000_000 }),
  samples: whole(60, { most: 1_000 }),
});

const svc = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [program, ...args])).stdout;

/** Milliseconds from the submission of a short task to its end, for one task after the other. */
async function taskTimes(api: ApiClient, prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < samples; n += 1) {
    const name = `${prefix}_${n}`;
    const devices = { probe: { lab_name: 'bench_lab', name: 'probe' } };
    times.push(
      await timed(async () => {
        await api.post('/api/tasks', { body: { name, type: 'touch', devices } });
        await until(
          () => api.get('/api/tasks/{task_name}', { path: { task_name: name } }),
          isOver,
          10_000,
          2,
        );
      }),
    );
  }
  return times;
}

/** The last moment that the backup can restore, in milliseconds since 1970. */
async function reachOf(vault: string): Promise<number> {
  const out = await svc('backup', 'list', vault).catch(() => '');
  return Date.parse((/to (\S+ \S+Z)\n/.exec(out)?.[1] ?? '').replace(' ', 'T'));
}

printMachine();
const root = await mkdtemp(join(tmpdir(), 'svc-bench-backup-'));
try {
  const [vault, dataDir, key, config] = ['vault', 'data', 'key.txt', 'config.yml'].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  await Promise.all([vault, dataDir].map((folder) => mkdir(folder)));
  const options = { userDir: benchPackages, dataDir, env: { SVC_LABS: 'bench_lab' } };
  const without = await withStack(options, async (_stack, api) => {
    await devicesIdle(api);
    await taskTimes(api, 'warm');
    return taskTimes(api, 'without');
  });

  const recipient = (await svc('backup', 'key', '--out', key)).trim();
  await writeFile(config, `backup: { to: ${vault}, recipient: ${recipient} }\n`);
  const backedUp = { ...options, env: { ...options.env, SVC_CONFIG: config } };
  const figures = await withStack(backedUp, async (_stack, api) => {
    await devicesIdle(api);
    const client = new pg.Client({
      connectionString: (await readFile(join(dataDir, 'secrets', 'database-superuser-url'), 'utf8')).trim(),
    });
    await client.connect();
    await client.query(historyOf(tasks, 'bench_lab', 10));
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_database_size(current_database()) as bytes',
    );
    await client.end();
    await until(
      () => reachOf(vault),
      (reach) => Date.now() - reach < 10_000,
      300_000,
      1_000,
    );
    await taskTimes(api, 'warm_again');
    const during = await taskTimes(api, 'with');
    const behind: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      behind.push((Date.now() - (await reachOf(vault))) / 1_000);
      await delay(1_500);
    }
    return { during, behind, database: Number(rows[0]?.bytes) };
  });

  await rename(dataDir, `${dataDir}-before`);
  const restoring = await timed(() => svc('backup', 'restore', vault, '--key', key, '--data-dir', dataDir));
  const plainCopy = await timed(() =>
    cp(join(`${dataDir}-before`, 'postgres'), join(root, 'plain'), { recursive: true }),
  );
  const begin = performance.now();
  const answersMs = await withStack(backedUp, async (_stack, api) => {
    const { items } = await api.get('/api/tasks', { query: { limit: 1 } });
    if (items.length === 0) throw new Error('the restored service has no tasks');
    return performance.now() - begin;
  });
  printResult({
    tasks,
    database_mib: rounded(figures.database / 2 ** 20, 0),
    behind_most_s: rounded(Math.max(...figures.behind), 1),
    task_p50_ms: rounded(percentile(figures.during, 0.5), 1),
    task_without_p50_ms: rounded(percentile(without, 0.5), 1),
    restore_s: rounded(restoring / 1_000, 1),
    plain_copy_s: rounded(plainCopy / 1_000, 1),
    answers_s: rounded((restoring + answersMs) / 1_000, 1),
  });
} finally {
  await rm(root, { recursive: true, force: true });
}
