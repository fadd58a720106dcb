// The leading orchestrator is killed, stopped and asked to leave, in turn, under a steady stream of short tasks; then the
// agent is killed. Arguments: rounds of the three (default 7), kills of the agent (default 7).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServiceStack } from '@lab/testkit';
import {
  benchPackages,
  devicesIdle,
  finish,
  httpClient,
  percentile,
  printMachine,
  rounded,
  until,
} from './harness.mjs';

const bounded = (text, fallback, most) =>
  Math.min(most, Math.max(0, Number.parseInt(text ?? '', 10) || fallback));
const rounds = bounded(process.argv[2], 7, 100);
const agentKills = bounded(process.argv[3], 7, 100);
/** Time between two submissions, in milliseconds. */
const streamMs = 50;
const leaseMs = 3_000;
/** What ends sooner is started again more slowly. */
const healthyMs = 10_500;

const stack = await startServiceStack({ userDir: benchPackages, env: { SVC_ORCHESTRATORS: '2' } });
const http = httpClient(stack.url, 256);

/** Every effect on the instrument, by the name of its task: when it happened, in milliseconds since 1970. */
const effects = new Map();
const unexpected = [];
let submitted = 0;

function startStream() {
  const timer = setInterval(() => {
    const name = `touch ${(submitted += 1)}`;
    http
      .call('POST', '/api/tasks', {
        name,
        type: 'touch',
        devices: { probe: { lab_name: 'bench_lab', name: 'probe' } },
      })
      .catch((error) => unexpected.push(String(error)));
  }, streamMs);
  return () => clearInterval(timer);
}

async function readEffects() {
  const { items } = await http.call('GET', '/api/tasks?limit=500&state=completed');
  for (const { name, output_parameters: outputs } of items) effects.set(name, outputs.called_at);
}

/** The processes of the stack by name. */
function processes() {
  const list = JSON.parse(readFileSync(join(stack.dataDir, 'run', 'processes.json'), 'utf8'));
  return new Map(list.map(({ name, pid }) => [name, pid]));
}

/** What the processes of a service have logged, oldest first. */
function logged(service) {
  const folder = join(stack.dataDir, 'logs');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => new RegExp(`^${service}(-\\d+)?\\.log$`).test(file))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
    .sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** The process that leads, once the other one stands by. */
async function leaderWithStandby() {
  const alive = () => {
    const all = processes();
    return [all.get('orchestrator'), all.get('orchestrator-2')].filter((pid) => pid !== undefined);
  };
  return until(
    () => {
      const standing = new Map();
      for (const { pid, msg } of logged('orchestrator'))
        if (['leading', 'standby', 'leads no more'].includes(msg)) standing.set(pid, msg);
      const pids = alive();
      const leader = pids.find((pid) => standing.get(pid) === 'leading');
      const standby = pids.find((pid) => standing.get(pid) === 'standby');
      return { leader, standby };
    },
    ({ leader, standby }) => leader !== undefined && standby !== undefined,
    60_000,
    100,
  );
}

/** The longest time without an effect that began within two seconds before the moment, or after it. */
function gapAround(at) {
  const times = [...effects.values()].filter((time) => time > at - 2_000).sort((a, b) => a - b);
  let gap = 0;
  for (let index = 1; index < times.length; index += 1) gap = Math.max(gap, times[index] - times[index - 1]);
  return gap;
}

const signals = { killed: 'SIGKILL', stopped: 'SIGSTOP', graceful: 'SIGTERM' };

async function failLeader(how) {
  const { leader } = await leaderWithStandby();
  const at = Date.now();
  process.kill(leader, signals[how]);
  await until(
    async () => (await readEffects(), [...effects.values()].filter((time) => time > at + 100).length),
    // Far enough past the gap that no other one can follow from the same failure.
    (count) => count > 20 && [...effects.values()].some((time) => time > at + 6_500),
    60_000,
    500,
  );
  if (how === 'stopped') process.kill(leader, 'SIGCONT');
  return gapAround(at);
}

async function killAgent() {
  await delay(healthyMs);
  const at = Date.now();
  process.kill(processes().get('agent'), 'SIGKILL');
  return until(
    () => logged('orchestrator').find(({ msg, time }) => msg === 'agent registered' && Date.parse(time) > at),
    (line) => line !== undefined,
    60_000,
    50,
  ).then(({ time }) => Date.parse(time) - at);
}

printMachine();
try {
  await devicesIdle(http);
  const stopStream = startStream();
  await until(readEffects, () => effects.size > 40);
  const gaps = { killed: [], stopped: [], graceful: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const how of Object.keys(gaps)) {
      const gap = await failLeader(how);
      gaps[how].push(gap);
      console.log(`${how.padEnd(8)} ${Math.round(gap)} ms without an effect`);
    }
  }
  const online = [];
  for (let kill = 0; kill < agentKills; kill += 1) {
    online.push(await killAgent());
    console.log(`agent    online ${online.at(-1)} ms after it was killed`);
  }
  stopStream();
  const abrupt = [...gaps.killed, ...gaps.stopped];
  const figure = (numbers, p) => (numbers.length === 0 ? null : rounded(percentile(numbers, p), 0));
  finish({
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
} finally {
  http.close();
  await stack.dispose();
}
