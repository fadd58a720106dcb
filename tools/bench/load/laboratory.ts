import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNats, startServiceStack } from '@lab/testkit';
import { httpClient, processTree, until } from '../harness.mjs';

const devicesPerAgent = 4;
const lab = 'load_lab';

const device = `import { BaseDevice, effect } from '@lab/sdk';

export default class Station extends BaseDevice {
  _initialize() {}
  _cleanup() {}
  _report() {
    return {};
  }
  @effect()
  touch(_arguments: { key: string }) {}
}
`;

const task = `import { setTimeout as delay } from 'node:timers/promises';
import { BaseTask, type TaskResult } from '@lab/sdk';
import type Station from '../../devices/station/device.js';

export default class Visit extends BaseTask<{ station: Station }, { key: string; stay_s: number }> {
  async _execute(devices: this['devices'], { key, stay_s }: { key: string; stay_s: number }): Promise<TaskResult> {
    await devices.station.touch({ key });
    if (stay_s > 0) await delay(stay_s * 1000, undefined, { signal: this.signal });
    return [{}, {}, {}];
  }
}
`;

const taskFile = `type: visit
desc: Touches a station and stays a while
devices:
  station: {type: station}
input_parameters:
  key: {type: str, desc: What the station notes}
  stay_s: {type: float, unit: s, desc: How long it stays, value: 0.0}
isolation: reusable
`;

function labFile(agents) {
  const computers = Array.from(
    { length: agents },
    (_, n) => `  bench_${n}: {desc: Computer, ip: 10.0.0.${n + 1}}`,
  );
  const devices = Array.from(
    { length: agents * devicesPerAgent },
    (_, n) => `  station_${n}: {desc: Simulated, type: station, computer: bench_${n % agents}}`,
  );
  return [
    'name: load_lab',
    'desc: Many stations',
    'computers:',
    ...computers,
    'devices:',
    ...devices,
    '',
  ].join('\n');
}

async function writePackage(userDir, agents) {
  const files = {
    'package.json': JSON.stringify({ name: 'load', version: '1.0.0', private: true, type: 'module' }),
    'devices/station/device.yml': 'type: station\ndesc: A station\n',
    'devices/station/device.ts': device,
    'tasks/visit/task.yml': taskFile,
    'tasks/visit/task.ts': task,
    'laboratories/load_lab/lab.yml': labFile(agents),
  };
  for (const [path, text] of Object.entries(files)) {
    const target = join(userDir, 'load', path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/**
 * The real service with many agents, several in a process, and four simulated stations to each.
 *
 * @param agents how many @param processes in how many processes @param tasks task processes of an agent at most
 */
export async function startLaboratory({ agents, processes, tasks = 2 }) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-load-'));
  await writePackage(join(folder, 'packages'), agents);
  const nats = await startNats();
  const stack = await startServiceStack({
    userDir: join(folder, 'packages'),
    env: { SVC_NATS_URL: nats.url, SVC_LOG_LEVEL: 'warn' },
    readyMs: 180_000,
  });
  const calls = new Map();
  const share = Math.ceil(agents / processes);
  const hosts = Array.from({ length: processes }, (_, index) => {
    const first = index * share;
    const host = fork(
      fileURLToPath(new URL('agents.mjs', import.meta.url)),
      [String(first), String(Math.min(share, agents - first))],
      {
        // As the service runs its agents.
        execArgv: ['--max-semi-space-size=2'],
        env: {
          MALLOC_ARENA_MAX: '2',
          ...process.env,
          LOAD_NATS_URL: nats.url,
          LOAD_DATA_DIR: join(folder, 'agents'),
          LOAD_POOL_MAX: String(tasks),
        },
      },
    );
    host.on('message', (message) => {
      if (message !== 'ready') for (const [key, at] of message) calls.set(key, at);
    });
    return host;
  });
  const client = httpClient(stack.url, 128);
  const stations = Array.from({ length: agents * devicesPerAgent }, (_, n) => `station_${n}`);
  const laboratory = {
    url: stack.url,
    natsUrl: nats.url,
    stations,
    client,
    /** Key of a visit to the moment at which its station was touched, in milliseconds since 1970. */
    calls,
    /** Submits one visit. @returns when it was submitted, in milliseconds since 1970 */
    async visit(key, station, { stay_s = 0, owner = 'load' } = {}) {
      const at = performance.timeOrigin + performance.now();
      await client.call('POST', '/api/tasks', {
        name: key,
        type: 'visit',
        owner,
        devices: { station: { lab_name: lab, name: station } },
        input_parameters: { key, stay_s },
        allocation_timeout: 100_000,
      });
      return at;
    },
    /** Resident memory in MB: of the orchestrator, the gateway, and the mean of the processes with agents. */
    memory() {
      const tree = processTree(stack.pid);
      const of = (name) => tree.find(({ command }) => command.includes(`apps/${name}/`))?.pid;
      const hostsMb = hosts.map((host) => residentMb(host.pid));
      return {
        orchestrator: residentMb(of('orchestrator')),
        gateway: residentMb(of('gateway')),
        agents: hostsMb.reduce((sum, each) => sum + each, 0) / hostsMb.length,
      };
    },
    async stop() {
      for (const host of hosts) if (host.connected) host.disconnect();
      await Promise.all(hosts.map((host) => (host.exitCode === null ? once(host, 'exit') : undefined)));
      client.close();
      await stack.dispose();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await until(
      () => client.call('GET', '/api/devices?limit=500'),
      ({ items }) => items.filter((each) => each.state === 'idle').length === stations.length,
      180_000,
      500,
    );
    return laboratory;
  } catch (error) {
    await laboratory.stop();
    throw error;
  }
}

function residentMb(pid) {
  if (pid === undefined) return NaN;
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;
}

/**
 * Visits at an even rate, whether or not the earlier ones have been answered, each station in turn.
 *
 * @param stay_s how long each visit stays
 * @returns milliseconds from each submission to the call of its station; refused submissions; visits never seen
 */
export async function visitEvenly(laboratory, { prefix, perSecond, seconds, stations, stay_s = 0 }) {
  const submitted = new Map();
  let refused = 0;
  const begin = performance.now();
  const pending = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const wait = begin + (index / perSecond) * 1000 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const key = `${prefix}_${index}`;
    pending.push(
      laboratory.visit(key, stations[index % stations.length], { stay_s }).then(
        (at) => submitted.set(key, at),
        () => (refused += 1),
      ),
    );
  }
  await Promise.all(pending);
  const seen = () => [...submitted.keys()].every((key) => laboratory.calls.has(key));
  await until(seen, Boolean, 60_000, 100).catch(() => undefined);
  const durations = [...submitted].flatMap(([key, at]) =>
    laboratory.calls.has(key) ? [laboratory.calls.get(key) - at] : [],
  );
  const missing = submitted.size - durations.length;
  for (const key of submitted.keys()) laboratory.calls.delete(key);
  return { durations, refused, missing };
}
