// One large file from a task to the gateway and from there to a client, while the gateway is killed at random points: memory
// that gateway and agent need for it, and whether every byte is intact.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServiceStack } from '@lab/testkit';
import { finish, httpClient, printMachine, rounded, until } from './harness.mjs';

const { values: flags } = parseArgs({
  options: { megabytes: { type: 'string', default: '1024' }, kills: { type: 'string', default: '3' } },
});
const megabytes = Number(flags.megabytes);
const kills = Number(flags.kills);
if (!Number.isInteger(megabytes) || megabytes < 1 || megabytes > 4096)
  throw new Error('--megabytes is a whole number from 1 to 4096');
if (!Number.isInteger(kills) || kills < 0 || kills > 20)
  throw new Error('--kills is a whole number from 0 to 20');

/** The parameter of the task type counts 1024 bytes, and ends below this. */
const mostKilobytes = 1_000_000;
const kilobytes = Math.min(megabytes * 1024, mostKilobytes);

printMachine();
const stack = await startServiceStack({ env: { SVC_LABS: 'multiplication_lab' }, readyMs: 180_000 });
const http = httpClient(stack.url, 4);

function pidOf(service) {
  const list = JSON.parse(readFileSync(join(stack.dataDir, 'run', 'processes.json'), 'utf8'));
  return list.find(({ name }) => name === service)?.pid;
}

/** Resident megabytes of a process; undefined while there is none. */
function residentOf(service) {
  try {
    const status = readFileSync(`/proc/${pidOf(service)}/status`, 'utf8');
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    // A process that was killed has none.
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * How much each of these processes grows over what it had when it could work; a new one begins anew. What a process needs
 * to load its code is no growth, however long that takes on a busy machine.
 */
function watchGrowth(services) {
  const first = new Map();
  const most = Object.fromEntries(services.map((service) => [service, 0]));
  const highest = Object.fromEntries(services.map((service) => [service, 0]));
  const timer = setInterval(() => {
    for (const service of services) {
      const resident = residentOf(service);
      if (resident === undefined) continue;
      const pid = pidOf(service);
      const key = `${service} ${pid}`;
      if (!first.has(key)) {
        first.set(key, { resident, works: false });
        void works(service, pid).then(() => (first.get(key).works = true));
      }
      const begin = first.get(key);
      highest[service] = Math.max(highest[service], resident);
      if (!begin.works) begin.resident = Math.max(begin.resident, resident);
      else most[service] = Math.max(most[service], resident - begin.resident);
    }
  }, 50);
  return { most, highest, stop: () => clearInterval(timer) };
}

/** Resolves once the process has worked: the gateway has answered from the database, an agent was there from the start. */
async function works(service, pid) {
  while (service === 'gateway' && pidOf(service) === pid) {
    const isAnswered = await http.call('GET', '/api/tasks?limit=1').then(
      () => true,
      () => false,
    );
    if (isAnswered) return;
    await pause(50);
  }
}

/** So many places in so many bytes, in their order. */
function randomPoints(count, bytes) {
  return Array.from({ length: count }, () => Math.random() * bytes).sort((a, b) => a - b);
}

/** Bytes of the upload under way. */
function arrived() {
  const folder = join(stack.dataDir, 'files', 'incoming');
  const sizes = readdirSync(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size,
  );
  return Math.max(0, ...sizes.map((size = 0) => size));
}

async function download(path, from) {
  const headers = from === 0 ? {} : { range: `bytes=${from}-` };
  const response = await fetch(`${stack.url}${path}`, { headers });
  if (response.status !== (from === 0 ? 200 : 206)) throw new Error(`answered ${response.status}`);
  return response.body;
}

let killed = 0;
const killGateway = () => {
  process.kill(pidOf('gateway'), 'SIGKILL');
  killed += 1;
};
try {
  await until(
    () => http.call('GET', '/api/devices').catch(() => []),
    (devices) => (devices.items ?? devices).length > 0,
  );
  await pause(3_000);
  const growth = watchGrowth(['gateway', 'agent']);
  const begin = performance.now();
  await http.call('POST', '/api/tasks', {
    name: 'large',
    type: 'write_file',
    input_parameters: { text: 'x', kilobytes },
  });
  const over = ['completed', 'failed', 'cancelled'];
  const task = until(
    () => http.call('GET', '/api/tasks/large').catch(() => ({ state: 'unknown' })),
    ({ state }) => over.includes(state),
    600_000,
    200,
  );
  let isUp = false;
  void task.finally(() => (isUp = true)).catch(() => undefined);
  for (const point of randomPoints(Math.ceil(kills / 2), kilobytes * 1024)) {
    while (!isUp && arrived() < point) await pause(20);
    if (!isUp) killGateway();
  }
  const record = await task;
  if (record.state !== 'completed') throw new Error(`the task ended as ${JSON.stringify(record.reason)}`);
  const upS = (performance.now() - begin) / 1000;
  console.log(`up: ${rounded(upS)} s`);
  const file = record.output_files.find(({ name }) => name === 'large.bin');

  const path = '/api/tasks/large/files/large.bin';
  const hash = createHash('sha256');
  const points = randomPoints(Math.floor(kills / 2), file.size);
  const downBegin = performance.now();
  let got = 0;
  while (got < file.size) {
    try {
      for await (const chunk of await download(path, got)) {
        hash.update(chunk);
        got += chunk.length;
        if (got > (points[0] ?? Infinity)) {
          points.shift();
          killGateway();
        }
      }
    } catch {
      await pause(200);
    }
  }
  const downS = (performance.now() - downBegin) / 1000;
  growth.stop();
  const intact = got === file.size && hash.digest('hex') === file.sha256 && file.size === kilobytes * 1024;
  console.log(`${rounded(file.size / 1e6, 0)} MB, ${killed} kills: down ${rounded(downS)} s`);
  finish({
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
} finally {
  http.close?.();
  await stack.dispose();
}
