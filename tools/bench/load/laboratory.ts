import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiClient } from '@lab/api-client';
import { startNats, startServiceStack } from '@lab/testkit';
import { writePackage } from '../../shared/folder.js';
import { evenly, until } from '../../shared/measure.js';
import { privateMb, processTree, residentMb } from '../../shared/processes.js';
import { RawSender } from '../../shared/raw-sender.js';
import { clientOf, devicesIdle } from '../../shared/stack.js';

/** A laboratory with many agents, several in one process, and four simulated stations for each. */

const devicesPerAgent = 4;
const lab = 'load_lab';

/** @param target folder of the package */
async function writeLaboratory(target: string, agents: number): Promise<void> {
  const table = (count: number, row: (n: number) => [string, object]): Record<string, object> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => row(n)));
  await writePackage('bench/load/packages/load', target, {
    name: lab,
    computers: table(agents, (n) => [`bench_${n}`, { ip: `10.0.0.${n + 1}` }]),
    devices: table(agents * devicesPerAgent, (n) => [
      `station_${n}`,
      { desc: 'Simulated', type: 'station', computer: `bench_${n % agents}` },
    ]),
  });
}

/**
 * Memory in MB by kind of process: resident, and for the database what its processes share with no other. `agents`: the
 * mean of the processes with agents.
 */
export type LaboratoryMemory = Record<(typeof measuredProcesses)[number], number>;

export const measuredProcesses = [
  'orchestrator',
  'gateway',
  'optimizer',
  'svc',
  'broker',
  'database',
  'agents',
] as const;

export interface Visit {
  /** How long the visit stays at its station, in seconds. */
  stay_s?: number;
  owner?: string;
}

export interface Laboratory {
  /** Address of the service. */
  url: string;
  natsUrl: string;
  stations: string[];
  api: ApiClient;
  /** When each visit touched its station, by its key, in milliseconds since 1970. */
  calls: Map<string, number>;
  /** Submits one visit. @returns the time of the submission, in milliseconds since 1970 */
  visit(key: string, station: string, visit?: Visit): Promise<number>;
  memory(): LaboratoryMemory;
  stop(): Promise<void>;
}

/**
 * Starts the service and the agents.
 *
 * @param processes number of processes that share the agents
 * @param tasks most task processes of one agent
 * @param env further variables of the service
 */
export async function startLaboratory({
  agents,
  processes,
  tasks = 2,
  env = {},
}: {
  agents: number;
  processes: number;
  env?: Readonly<Record<string, string>>;
  tasks?: number;
}): Promise<Laboratory> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-load-'));
  await writeLaboratory(join(folder, 'packages', 'load'), agents);
  const nats = await startNats({ login: 'lab:lab' });
  const stack = await startServiceStack({
    userDir: join(folder, 'packages'),
    env: { SVC_NATS_URL: nats.url, SVC_LOG_LEVEL: 'warn', ...env },
    readyMs: 180_000,
  });
  const calls = new Map<string, number>();
  const share = Math.ceil(agents / processes);
  const hosts = Array.from({ length: processes }, (_, index) => {
    const first = index * share;
    const host = fork(
      fileURLToPath(new URL('agents.js', import.meta.url)),
      [String(first), String(Math.min(share, agents - first))],
      {
        // The service runs its agents with the same options.
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
    host.on('message', (message: 'ready' | [key: string, at: number][]) => {
      if (message !== 'ready') for (const [key, at] of message) calls.set(key, at);
    });
    return host;
  });
  const api = clientOf(stack.url);
  const sender = new RawSender(stack.url, 128);
  const stations = Array.from({ length: agents * devicesPerAgent }, (_, n) => `station_${n}`);
  const laboratory: Laboratory = {
    url: stack.url,
    natsUrl: nats.url,
    stations,
    api,
    calls,
    async visit(key, station, { stay_s = 0, owner = 'load' } = {}) {
      const at = performance.timeOrigin + performance.now();
      await sender.post('/api/tasks', {
        name: key,
        type: 'visit',
        owner,
        devices: { station: { lab_name: lab, name: station } },
        input_parameters: { key, stay_s },
        allocation_timeout: 100_000,
      });
      return at;
    },
    memory() {
      const tree = processTree(process.pid);
      const of = (part: string, mb: (pid: number) => number | undefined = residentMb): number => {
        const found = tree.filter(({ command }) => command.includes(part));
        return found.length === 0 ? NaN : found.reduce((sum, { pid }) => sum + (mb(pid) ?? NaN), 0);
      };
      const hostsMb = hosts.map((host) => residentMb(host.pid ?? 0) ?? NaN);
      return {
        orchestrator: of('apps/orchestrator/'),
        gateway: of('apps/gateway/'),
        optimizer: of('apps/optimizer/'),
        svc: of('apps/cli/'),
        broker: of('nats-server'),
        database: of('postgres', privateMb),
        agents: hostsMb.reduce((sum, each) => sum + each, 0) / hostsMb.length,
      };
    },
    async stop() {
      for (const host of hosts) if (host.connected) host.disconnect();
      await Promise.all(hosts.map((host) => (host.exitCode === null ? once(host, 'exit') : undefined)));
      sender.close();
      await stack.dispose();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await devicesIdle(api, stations.length, 180_000);
    return laboratory;
  } catch (error) {
    await laboratory.stop();
    throw error;
  }
}

export interface EvenVisits extends Visit {
  /** Of the keys of the visits. */
  prefix: string;
  perSecond: number;
  seconds: number;
  /** The visits go to each station in turn. */
  stations: readonly string[];
}

/**
 * Makes visits at an even rate, whether or not earlier ones are answered.
 *
 * @returns milliseconds from each submission to the call of its station, refused submissions, and visits without a call
 */
export async function visitEvenly(
  laboratory: Laboratory,
  { prefix, perSecond, seconds, stations, ...visit }: EvenVisits,
): Promise<{ durations: number[]; refused: number; missing: number }> {
  const submitted = new Map<string, number>();
  let refused = 0;
  await evenly(perSecond * seconds, perSecond, (index) => {
    const key = `${prefix}_${index}`;
    return laboratory.visit(key, stations[index % stations.length] ?? '', visit).then(
      (at) => submitted.set(key, at),
      () => (refused += 1),
    );
  });
  const isSeen = (): boolean => [...submitted.keys()].every((key) => laboratory.calls.has(key));
  // Visits without a call are counted.
  await until(isSeen, Boolean, 60_000, 100).catch(() => undefined);
  const durations = [...submitted].flatMap(([key, at]) => {
    const call = laboratory.calls.get(key);
    return call === undefined ? [] : [call - at];
  });
  for (const key of submitted.keys()) laboratory.calls.delete(key);
  return { durations, refused, missing: submitted.size - durations.length };
}
