// Kills, stops and gracefully ends the leading orchestrator in turn under a steady stream of short tasks, and then kills the
// agent. Arguments: rounds of the three (default 7), kills of the agent (default 7).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readFlags, whole } from '../shared/flags.js';
import { percentile, printMachine, printResult, rounded, until } from '../shared/measure.js';
import { benchPackages } from '../shared/paths.js';
import { servicesOf, signal } from '../shared/processes.js';
import { devicesIdle, withStack } from '../shared/stack.js';

const { rounds, agentKills } = readFlags({
  rounds: whole(7, { most: 100, place: 0 }),
  agentKills: whole(7, { most: 100, place: 1 }),
});
/** Time between two submissions, in milliseconds. */
const streamMs = 50;
const leaseMs = 3_000;
/** The supervisor restarts a process more slowly when it ended before this time, in milliseconds. */
const healthyMs = 10_500;

const signals = { killed: 'SIGKILL', stopped: 'SIGSTOP', graceful: 'SIGTERM' } as const;
type Failure = keyof typeof signals;

interface LogLine {
  time: string;
  pid: number;
  msg: string;
}

await withStack({ userDir: benchPackages, env: { SVC_ORCHESTRATORS: '2' } }, async ({ dataDir }, api) => {
  /** When each effect on the instrument happened, by the name of its task, in milliseconds since 1970. */
  const effects = new Map<string, number>();
  const unexpected: string[] = [];
  let submitted = 0;

  const submit = (): void => {
    const name = `touch ${(submitted += 1)}`;
    const devices = { probe: { lab_name: 'bench_lab', name: 'probe' } };
    api
      .post('/api/tasks', { body: { name, type: 'touch', devices } })
      .catch((error: unknown) => unexpected.push(String(error)));
  };

  const readEffects = async (): Promise<void> => {
    const { items } = await api.get('/api/tasks', { query: { limit: 500, state: 'completed' } });
    for (const { name, output_parameters: outputs } of items)
      effects.set(name, Number(outputs?.['called_at']));
  };

  /** All lines that the processes of a service have logged, oldest first. */
  const logged = (service: string): LogLine[] => {
    const folder = join(dataDir, 'logs');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((file) => new RegExp(`^${service}(-\\d+)?\\.log$`).test(file))
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
      .sort((a, b) => (a.time < b.time ? -1 : 1));
  };

  /** The process that leads, once the other one is on standby. */
  const leaderWithStandby = async (): Promise<number> => {
    const { leader } = await until(
      () => {
        const states = new Map<number, string>();
        for (const { pid, msg } of logged('orchestrator'))
          if (['leading', 'standby', 'leads no more'].includes(msg)) states.set(pid, msg);
        const all = servicesOf(dataDir);
        const pids = [all.get('orchestrator'), all.get('orchestrator-2')];
        const inState = (state: string): number | undefined =>
          pids.find((pid) => pid !== undefined && states.get(pid) === state);
        return { leader: inState('leading'), standby: inState('standby') };
      },
      ({ leader, standby }) => leader !== undefined && standby !== undefined,
      60_000,
      100,
    );
    return leader ?? 0;
  };

  /** The longest time without an effect since two seconds before the moment. */
  const gapAround = (at: number): number => {
    const times = [...effects.values()].filter((time) => time > at - 2_000).sort((a, b) => a - b);
    return Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  };

  const failLeader = async (how: Failure): Promise<number> => {
    const leader = await leaderWithStandby();
    const at = Date.now();
    process.kill(leader, signals[how]);
    await until(
      async () => {
        await readEffects();
        return [...effects.values()].filter((time) => time > at + 100);
      },
      // So late that no second gap of the same failure can follow.
      (later) => later.length > 20 && later.some((time) => time > at + 6_500),
      60_000,
      500,
    );
    if (how === 'stopped') process.kill(leader, 'SIGCONT');
    return gapAround(at);
  };

  const killAgent = async (): Promise<number> => {
    await delay(healthyMs);
    const at = Date.now();
    signal(servicesOf(dataDir).get('agent'), 'SIGKILL');
    const line = await until(
      () =>
        logged('orchestrator').find(({ msg, time }) => msg === 'agent registered' && Date.parse(time) > at),
      (found) => found !== undefined,
      60_000,
      50,
    );
    return Date.parse(line?.time ?? '') - at;
  };

  printMachine();
  await devicesIdle(api);
  const stream = setInterval(submit, streamMs);
  await until(readEffects, () => effects.size > 40);
  const gaps: Record<Failure, number[]> = { killed: [], stopped: [], graceful: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const how of Object.keys(gaps) as Failure[]) {
      const gap = await failLeader(how);
      gaps[how].push(gap);
      console.log(`${how.padEnd(8)} ${Math.round(gap)} ms without an effect`);
    }
  }
  const online: number[] = [];
  for (let kill = 0; kill < agentKills; kill += 1) {
    online.push(await killAgent());
    console.log(`agent    online ${online.at(-1)} ms after it was killed`);
  }
  clearInterval(stream);
  const abrupt = [...gaps.killed, ...gaps.stopped];
  const figure = (numbers: number[], p: number): number | null =>
    numbers.length === 0 ? null : rounded(percentile(numbers, p), 0);
  printResult({
    failovers: abrupt.length + gaps.graceful.length,
    failover_p50_ms: figure(abrupt, 0.5),
    failover_p99_ms: figure(abrupt, 0.99),
    graceful_p50_ms: figure(gaps.graceful, 0.5),
    graceful_p99_ms: figure(gaps.graceful, 0.99),
    agent_online_p50_ms: figure(online, 0.5),
    agent_online_p99_ms: figure(online, 0.99),
    submissions: submitted,
    submissions_refused: unexpected.length,
    lease_ms: leaseMs,
  });
  for (const error of new Set(unexpected)) console.error(error);
});
