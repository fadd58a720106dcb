import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiClient } from '@lab/api-client';
import { freePort, startNats, startServiceStack, type Stack } from '@lab/testkit';
import { writePackage } from '../../shared/folder.js';
import { evenly, rounded, until } from '../../shared/measure.js';
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
  readonly url: string;
  /** Data folder of the service. */
  dataDir: string;
  /** Process id of the service. */
  readonly pid: number;
  natsUrl: string;
  /** Process id of the broker. */
  brokerPid: number;
  /** How many bytes the broker has received and sent so far. */
  brokerBytes(): Promise<number>;
  stations: string[];
  readonly api: ApiClient;
  /** When each visit touched its station, by its key, in milliseconds since 1970. */
  calls: Map<string, number>;
  /** Submits one visit. @returns the time of the submission, in milliseconds since 1970 */
  visit(key: string, station: string, visit?: Visit): Promise<number>;
  memory(): LaboratoryMemory;
  /**
   * Stops the service and starts it again with the same data. The agents run on, and connect to it.
   *
   * @returns seconds of the start until the service is ready, and until all devices are idle
   */
  restart(): Promise<{ ready_s: number; devices_s: number }>;
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
  const monitoring = await freePort();
  const nats = await startNats({ login: 'lab:lab', args: ['-m', String(monitoring)] });
  const dataDir = join(folder, 'data');
  const startStack = (): Promise<Stack> =>
    startServiceStack({
      userDir: join(folder, 'packages'),
      dataDir,
      env: { SVC_NATS_URL: nats.url, SVC_LOG_LEVEL: 'warn', ...env },
      readyMs: 180_000,
    });
  let stack = await startStack();
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
  let api = clientOf(stack.url);
  let sender = new RawSender(stack.url, 128);
  const stations = Array.from({ length: agents * devicesPerAgent }, (_, n) => `station_${n}`);
  const laboratory: Laboratory = {
    get url() {
      return stack.url;
    },
    get pid() {
      return stack.pid;
    },
    get api() {
      return api;
    },
    dataDir,
    natsUrl: nats.url,
    brokerPid: nats.pid,
    async brokerBytes() {
      const answer = await fetch(`http://127.0.0.1:${monitoring}/varz`);
      const { in_bytes, out_bytes } = (await answer.json()) as { in_bytes: number; out_bytes: number };
      return in_bytes + out_bytes;
    },
    stations,
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
      const tree = [stack.pid, nats.pid].flatMap(processTree);
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
    async restart() {
      await stack.stop();
      sender.close();
      const begin = performance.now();
      const elapsed = (): number => rounded((performance.now() - begin) / 1_000);
      stack = await startStack();
      const ready_s = elapsed();
      api = clientOf(stack.url);
      sender = new RawSender(stack.url, 128);
      await devicesIdle(api, stations.length, 180_000);
      return { ready_s, devices_s: elapsed() };
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
  const lost = hosts.map((host) =>
    once(host, 'exit').then(([code]) => {
      throw new Error(`a process of agents has ended with ${code}`);
    }),
  );
  try {
    await Promise.race([devicesIdle(api, stations.length, 180_000), ...lost]);
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
