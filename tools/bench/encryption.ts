// Measures what encryption and permissions of the broker cost. Three services run side by side and take turns: on a broker with
// one password for everybody, on one with credentials and permissions, and on one with these and TLS. The first is the reference.
import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus } from '@lab/messaging';
import { startNats, startSecuredNats, startServiceStack } from '@lab/testkit';
import { measured, quick, type Pair } from './guard/statistics.js';
import { inFolder, writePackage } from '../shared/folder.js';
import { printMachine, printResult, rounded, timed, until } from '../shared/measure.js';
import { RawSender } from '../shared/raw-sender.js';
import { clientOf, devicesIdle, isOver } from '../shared/stack.js';

const rounds = 31;
/** Single operations of each service in each round. */
const calls = 20;
const connections = 8;
const touches = 6;
const warmingCalls = 1_000;
/** An agent is started in each n-th round alone, because a start takes as long as all other figures. */
const joinEvery = 3;

const lab = 'bench_lab';
const farComputer = 'far_computer';
/** Its agent is started and stopped. */
const lateComputer = 'late_computer';
const figures = ['connect', 'join', 'query', 'first_call', 'task_call', 'far_call'] as const;
type Figure = (typeof figures)[number];

/** How the processes of a service reach its broker. */
interface Broker {
  url: string;
  authorities?: string | undefined;
  /** Text of `secrets/broker-keys`; undefined: the service makes keys that this broker does not know. */
  keys?: string | undefined;
  credentials?: string | undefined;
}

interface Service {
  /** Measures each figure once, in milliseconds. */
  measures: Record<Figure, () => Promise<number>>;
  stop(): Promise<void>;
}

async function startService(folder: string, packages: string, broker: Broker): Promise<Service> {
  const secrets = join(folder, 'secrets');
  await mkdir(secrets, { recursive: true, mode: 0o700 });
  if (broker.keys !== undefined)
    await writeFile(join(secrets, 'broker-keys'), `${broker.keys}\n`, { mode: 0o600 });
  const stack = await startServiceStack({
    dataDir: folder,
    userDir: packages,
    readyMs: 180_000,
    env: {
      SVC_NATS_URL: broker.url,
      ...(broker.authorities === undefined ? {} : { SVC_TLS_CA: broker.authorities }),
    },
  });
  stack.beside('agent', '--computer', farComputer);
  const api = clientOf(stack.url);
  await devicesIdle(api, 2);
  const sender = new RawSender(stack.url);
  let tasks = 0;

  const outputsOf = async (type: string, body: object): Promise<Record<string, unknown>> => {
    const name = `${type}_${(tasks += 1)}`;
    await sender.post('/api/tasks', { name, type, ...body });
    const task = await until(
      () => api.get('/api/tasks/{task_name}', { path: { task_name: name } }),
      isOver,
      30_000,
      5,
    );
    if (task.state !== 'completed')
      throw new Error(`${name} is ${task.state}: ${JSON.stringify(task.reason)}`);
    return task.output_parameters ?? {};
  };
  const near = { lab_name: lab, name: 'probe' };
  const far = { here: near, probe: { lab_name: lab, name: 'far_probe' } };
  const input_parameters = { count: calls };
  const several = async (count: number, work: () => Promise<number>): Promise<number> => {
    const durations: number[] = [];
    for (let index = 0; index < count; index += 1) durations.push(await work());
    return quick(durations);
  };
  const agentIs = (state: string): Promise<unknown> =>
    until(
      () => api.get('/api/agents/{computer}', { path: { computer: lateComputer } }).catch(() => undefined),
      (agent) => agent?.state === state,
      60_000,
      5,
    );
  const query = (): Promise<void> => sender.post('/api/rpc/bench_lab/probe/ping', {});

  const measures: Service['measures'] = {
    connect: () =>
      several(connections, () =>
        timed(async () => {
          const { url, authorities, credentials } = broker;
          const bus = await connectBus({ role: 'tool', name: 'bench', url, authorities, credentials });
          await bus.close();
        }),
      ),
    // From the start of the process until the service lists it as online.
    join: async () => {
      let agent: ChildProcess | undefined;
      const ms = await timed(async () => {
        agent = stack.beside('agent', '--computer', lateComputer);
        await agentIs('online');
      });
      agent?.kill('SIGTERM');
      await agentIs('offline');
      return ms;
    },
    query: () => several(calls, () => timed(query)),
    first_call: () =>
      several(touches, async () => {
        const at = performance.timeOrigin + performance.now();
        return Number((await outputsOf('touch', { devices: { probe: near } }))['called_at']) - at;
      }),
    task_call: async () =>
      Number((await outputsOf('calls', { devices: { probe: near }, input_parameters }))['call_ms']),
    far_call: async () =>
      Number((await outputsOf('far_calls', { devices: far, input_parameters }))['call_ms']),
  };
  for (let call = 0; call < warmingCalls; call += 1) await query();
  for (const figure of figures) for (let round = 0; round < 3; round += 1) await measures[figure]();
  return {
    measures,
    async stop() {
      sender.close();
      await stack.stop();
    },
  };
}

printMachine();
await inFolder('encryption', async (folder) => {
  const device = (computer: string) => ({ desc: 'Notes the time of every call', type: 'probe', computer });
  const packages = join(folder, 'packages');
  await writePackage('bench/packages/bench_lab', join(packages, lab), {
    name: lab,
    computers: { [farComputer]: { ip: '192.0.2.10' }, [lateComputer]: { ip: '192.0.2.11' } },
    devices: { probe: device('svc_computer'), far_probe: device(farComputer) },
  });
  const plain = await startNats({ login: 'all:of-them' });
  const closed = await startSecuredNats();
  const encrypted = await startSecuredNats({ tls: true });
  const services: Service[] = [];
  try {
    const securedBroker = async (nats: typeof closed): Promise<Broker> => ({
      url: nats.url,
      authorities: nats.authority,
      keys: JSON.stringify(nats.keys),
      credentials: await nats.credentials('tool', 'bench'),
    });
    const brokers: Broker[] = [
      { url: plain.url },
      await securedBroker(closed),
      await securedBroker(encrypted),
    ];
    for (const [index, broker] of brokers.entries())
      services.push(await startService(join(folder, `service-${index}`), packages, broker));

    const times = services.map(() => new Map<Figure, number[]>(figures.map((figure) => [figure, []])));
    for (let round = 0; round < rounds; round += 1) {
      for (const figure of figures) {
        if (figure === 'join' && round % joinEvery !== 0) continue;
        for (let turn = 0; turn < services.length; turn += 1) {
          // Another service begins each round, so that none is always the first to follow other work.
          const index = (round + turn) % services.length;
          const ms = await services[index]?.measures[figure]();
          times[index]?.get(figure)?.push(ms ?? NaN);
        }
      }
    }
    const result: Record<string, number> = {};
    for (const figure of figures) {
      const [floor = [], ...others] = times.map((each) => each.get(figure) ?? []);
      for (const [index, variant] of (['permissions', 'encryption'] as const).entries()) {
        const pairs = floor.map((ms, round): Pair => ({ ours: others[index]?.[round] ?? NaN, floor: ms }));
        const { ours, floor: reference, ratio, low, high } = measured(pairs);
        console.log(
          `${figure.padEnd(12)} ${variant.padEnd(12)} ${rounded(ours, 3)} ms beside ${rounded(reference, 3)} ms: ` +
            `${rounded(ratio)} (${rounded(low)} to ${rounded(high)})`,
        );
        result[`${figure}_${variant}_ratio`] = rounded(ratio);
        result[`${figure}_${variant}_ms`] = rounded(ours, 3);
        result[`${figure}_ms`] = rounded(reference, 3);
      }
    }
    printResult(result);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all([plain, closed, encrypted].map((nats) => nats.stop()));
  }
});
