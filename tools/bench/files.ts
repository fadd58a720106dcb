// Moves one large file from a task to the gateway and on to a client while the gateway is killed at random points. Measures
// the memory that gateway and agent need, and checks every byte.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readFlags, whole } from '../shared/flags.js';
import { printMachine, printResult, rounded, until } from '../shared/measure.js';
import { residentMb, servicesOf, signal } from '../shared/processes.js';
import { isOver, withStack } from '../shared/stack.js';

const { megabytes, kills } = readFlags({
  megabytes: whole(1_024, { least: 1, most: 4_096 }),
  kills: whole(3, { most: 20 }),
});

/** The parameter of the task type counts units of 1024 bytes, up to this number. */
const mostKilobytes = 1_000_000;
const kilobytes = Math.min(megabytes * 1_024, mostKilobytes);
const bytes = kilobytes * 1_024;

/** `count` random positions in `size` bytes, in their order. */
const randomPoints = (count: number, size: number): number[] =>
  Array.from({ length: count }, () => Math.random() * size).sort((a, b) => a - b);

const watched = ['gateway', 'agent'] as const;
type Service = (typeof watched)[number];

/**
 * Measures how much each process grows from the moment when it works. Memory for loading code is not growth. A new process
 * begins anew.
 *
 * @param works resolves when a process has worked
 */
function watchGrowth(pidOf: (service: Service) => number | undefined, works: (pid: number) => Promise<void>) {
  const first = new Map<number, { resident: number; works: boolean }>();
  const most = { gateway: 0, agent: 0 };
  const highest = { gateway: 0, agent: 0 };
  const timer = setInterval(() => {
    for (const service of watched) {
      const pid = pidOf(service);
      const resident = pid === undefined ? undefined : residentMb(pid);
      if (pid === undefined || resident === undefined) continue;
      let begin = first.get(pid);
      if (begin === undefined) {
        const entry = { resident, works: service === 'agent' };
        first.set(pid, entry);
        if (service === 'gateway') void works(pid).then(() => (entry.works = true));
        begin = entry;
      }
      highest[service] = Math.max(highest[service], resident);
      if (begin.works) most[service] = Math.max(most[service], resident - begin.resident);
      else begin.resident = Math.max(begin.resident, resident);
    }
  }, 50);
  return { most, highest, stop: () => clearInterval(timer) };
}

printMachine();
await withStack({ env: { SVC_LABS: 'multiplication_lab' } }, async (stack, api) => {
  const pidOf = (service: Service): number | undefined => servicesOf(stack.dataDir).get(service);
  let killed = 0;
  const killGateway = (): void => {
    signal(pidOf('gateway'), 'SIGKILL');
    killed += 1;
  };
  /** Resolves when the gateway has answered from the database. */
  const works = async (pid: number): Promise<void> => {
    while (pidOf('gateway') === pid) {
      const isAnswered = await api.get('/api/tasks', { query: { limit: 1 } }).then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
      await delay(50);
    }
  };
  /** Size of the unfinished upload. */
  const arrived = (): number => {
    const folder = join(stack.dataDir, 'files', 'incoming');
    const sizes = readdirSync(folder).map(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    return Math.max(0, ...sizes);
  };
  const download = async (path: string, from: number) => {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
    const response = await fetch(`${stack.url}${path}`, { headers });
    if (response.status !== (from === 0 ? 200 : 206) || response.body === null)
      throw new Error(`the status of the download is ${response.status}`);
    return response.body;
  };

  await until(
    () => api.get('/api/devices').then(({ items }) => items.length),
    (count) => count > 0,
  );
  await delay(3_000);
  const growth = watchGrowth(pidOf, works);
  const begin = performance.now();
  await api.post('/api/tasks', {
    body: { name: 'large', type: 'write_file', input_parameters: { text: 'x', kilobytes } },
  });
  const path = { task_name: 'large' };
  const task = until(
    () => api.get('/api/tasks/{task_name}', { path }).catch(() => undefined),
    (record) => record !== undefined && isOver(record),
    600_000,
    200,
  );
  let isUp = false;
  void task.finally(() => (isUp = true)).catch(() => undefined);
  for (const point of randomPoints(Math.ceil(kills / 2), bytes)) {
    while (!isUp && arrived() < point) await delay(20);
    if (!isUp) killGateway();
  }
  const record = await task;
  if (record?.state !== 'completed') throw new Error(`the task ended: ${JSON.stringify(record?.reason)}`);
  const upS = (performance.now() - begin) / 1_000;
  const file = record.output_files?.find(({ name }) => name === 'large.bin');
  if (file === undefined) throw new Error('the task has no file large.bin');

  const hash = createHash('sha256');
  const points = randomPoints(Math.floor(kills / 2), file.size);
  const downBegin = performance.now();
  let got = 0;
  while (got < file.size) {
    try {
      for await (const chunk of await download('/api/tasks/large/files/large.bin', got)) {
        hash.update(chunk);
        got += chunk.length;
        if (got > (points[0] ?? Infinity)) {
          points.shift();
          killGateway();
        }
      }
    } catch {
      // The gateway was killed: the download continues where it broke off.
      await delay(200);
    }
  }
  const downS = (performance.now() - downBegin) / 1_000;
  growth.stop();
  const intact = got === file.size && hash.digest('hex') === file.sha256 && file.size === bytes;
  printResult({
    megabytes: rounded(file.size / 1e6, 0),
    kills: killed,
    intact,
    gateway_growth_mb: rounded(growth.most.gateway, 1),
    agent_growth_mb: rounded(growth.most.agent, 1),
    gateway_highest_mb: rounded(growth.highest.gateway, 1),
    agent_highest_mb: rounded(growth.highest.agent, 1),
    up_s: rounded(upS),
    down_s: rounded(downS),
  });
  if (!intact) process.exitCode = 1;
});
