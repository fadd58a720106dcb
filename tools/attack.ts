// Attacks a running service over its broker with the stolen credentials of one agent: every message of the catalogue in the
// name of another process, calls of devices without an allocation, results and files of other computers. The last line is one
// JSON object; the exit code is 1 when an attack succeeded or was not made.
//
//   npm run attack
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '@lab/api-client';
import { agentEvents, subjectOf, type BodyOf } from '@lab/contracts';
import type { Stack } from '@lab/testkit';
import { issueCredentials, readKeys } from '@lab/trust';
import { attacksOf, type Scene } from './attack/attacks.js';
import { Thief } from './attack/thief.js';
import { printMachine, printResult, until } from './shared/measure.js';
import { withStack } from './shared/stack.js';

const lab = 'multiplication_lab';
const run = 'of_the_victim';
const victim = 'svc_computer';
/** The computer whose credentials are stolen. Its own agent does not run. */
const stolen = 'bench_b';

printMachine();
const { attempted, succeeded } = await withStack({ env: { SVC_LABS: lab } }, attackStack);
printResult({ attempted, succeeded });
process.exitCode = attempted > 0 && succeeded === 0 ? 0 : 1;

async function attackStack(stack: Stack, api: ApiClient): Promise<{ attempted: number; succeeded: number }> {
  await until(
    async () => (await api.get('/api/devices', { query: { limit: 100 } })).items,
    (devices) => devices.some(({ computer, state }) => computer === victim && state === 'idle'),
  );
  const body = {
    name: run,
    type: 'slow_multiplication',
    owner: 'ada',
    parameters: { wait: { seconds: 600 } },
  };
  await api.post('/api/protocols', { body });
  await until(
    async () => (await api.get('/api/tasks', { query: { protocol_run: run, limit: 10 } })).items,
    (tasks) => tasks.some(({ state }) => state === 'running'),
  );
  const secret = (name: string): string => readFileSync(join(stack.dataDir, 'secrets', name), 'utf8').trim();
  const url = secret('nats-url');
  const thief = await Thief.with(
    url,
    await issueCredentials(readKeys(secret('broker-keys')), 'agent', stolen),
    stolen,
  );
  // Every agent hears the heartbeats of the others.
  const heard = (await thief.overhears(subjectOf(agentEvents.heartbeat, { computer: victim }))) as BodyOf<
    typeof agentEvents.heartbeat
  >;
  const scene: Scene = {
    url,
    thief: stolen,
    victim,
    inc: String(heard.inc),
    lab,
    device: 'multiplier_a',
    attempt: heard.attempts[0]?.attempt_id ?? '',
  };
  const before = await sight(api);
  let succeeded = 0;
  const attacks = attacksOf(thief, scene);
  for (const { name, attempt } of attacks) {
    const achieved = await attempt();
    if (achieved === undefined) continue;
    succeeded += 1;
    console.log(`SUCCEEDED: ${name}: ${achieved}`);
  }
  await thief.close();
  const after = await sight(api);
  if (after !== before) {
    succeeded += 1;
    console.log(`SUCCEEDED: the service is not as it was:\n${before}\n${after}`);
  }
  const worked = await works(api).catch((error: unknown) => String(error));
  if (worked !== true) {
    succeeded += 1;
    console.log(`SUCCEEDED: the service does no work any more: ${worked}`);
  }
  return { attempted: attacks.length, succeeded };
}

async function works(api: ApiClient): Promise<true> {
  await api.post('/api/protocols/{protocol_run_name}/cancel', { path: { protocol_run_name: run } });
  const input_parameters = { number: 6, factor: 7 };
  const devices = { multiplier: { lab_name: lab, name: 'multiplier_a' } };
  await api.post('/api/tasks', { body: { name: 'after', type: 'multiply', devices, input_parameters } });
  const read = async () => (await api.get('/api/tasks/{task_name}', { path: { task_name: 'after' } })).state;
  await until(read, (state) => state === 'completed', 30_000);
  return true;
}

/** What a thief must not change, as text. */
async function sight(api: ApiClient): Promise<string> {
  const [tasks, devices, agents, stops, queue] = await Promise.all([
    api.get('/api/tasks', { query: { limit: 100 } }),
    api.get('/api/devices', { query: { limit: 100 } }),
    api.get('/api/agents'),
    api.get('/api/estop', { query: {} }),
    api.get('/api/queue', { query: { limit: 1 } }),
  ]);
  return JSON.stringify({
    tasks: tasks.items.map(({ name, state, attempt }) => ({ name, state, attempt })),
    devices: devices.items.map(({ lab_name, name, state }) => ({ lab_name, name, state })),
    agents: agents.items.map(({ computer, state, incarnation }) => ({ computer, state, incarnation })),
    stops: stops.items,
    paused: queue.paused,
  });
}
