// Attacks a running service that requires tokens. Over HTTP: without a token, beyond a role, as a person of an identity provider,
// and more. On its database: with the addresses that its services have. Over its broker, with the stolen credentials of one agent:
// every message of the catalogue in the name of another process, calls of devices without an allocation, results and files of
// other computers. The last line is one JSON object; the exit code is 1 when an attack succeeded or was not made.
//
//   npm run attack
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '@lab/api-client';
import { agentEvents, subjectOf, type BodyOf, type Grant } from '@lab/contracts';
import { issueToken, openGatewayStore } from '@lab/persistence';
import type { Stack } from '@lab/testkit';
import { issueCredentials, readKeys } from '@lab/trust';
import { attacksOf, type Attack, type Scene } from './attack/attacks.js';
import { databaseAttacksOf } from './attack/database-attacks.js';
import { httpAttacksOf, type People } from './attack/http-attacks.js';
import { Issuer } from './attack/issuer.js';
import { Thief } from './attack/thief.js';
import { printMachine, printResult, until } from './shared/measure.js';
import { withStack } from './shared/stack.js';

const lab = 'multiplication_lab';
const run = 'of_the_victim';
const runOfSue = 'of_sue';
const victim = 'svc_computer';
/** The computer whose credentials are stolen. Its own agent does not run. */
const stolen = 'bench_b';

printMachine();
const issuer = await Issuer.start();
const folder = mkdtempSync(join(tmpdir(), 'attack-'));
const config = join(folder, 'config.yml');
writeFileSync(
  config,
  `auth: { type: tokens, oidc: { issuer: '${issuer.url}', audience: lab } }\nhttp: { trusted_proxies: [127.0.0.1] }\n` +
    `webhooks: { http: true, ports: [${new URL(issuer.url).port}] }\n`,
);
const { attempted, succeeded } = await withStack(
  { env: { SVC_LABS: lab, SVC_CONFIG: config, SVC_AUTH: 'tokens' } },
  attackStack,
);
await issuer.close();
rmSync(folder, { recursive: true });
printResult({ attempted, succeeded });
process.exitCode = attempted > 0 && succeeded === 0 ? 0 : 1;

async function attackStack(stack: Stack): Promise<{ attempted: number; succeeded: number }> {
  const people = await peopleOf(stack);
  const api = new ApiClient(stack.url, { token: people.root, retries: 0, timeoutMs: 60_000 });
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
  await api.post('/api/protocols', { body: { ...body, name: runOfSue, owner: 'sue' } });
  const overHttp = [
    ...httpAttacksOf({ stack, people, issuer, lab, run, runOfSue }),
    ...databaseAttacksOf(stack),
  ];
  let succeeded = await successes(overHttp);
  await cancelAllBut(api, run);
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
  const attacks = attacksOf(thief, scene);
  succeeded += await successes(attacks);
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
  return { attempted: overHttp.length + attacks.length, succeeded };
}

/** Makes attacks one after the other, and prints those that succeed. @returns their number */
async function successes(attacks: readonly Attack[]): Promise<number> {
  let count = 0;
  for (const { name, attempt } of attacks) {
    const achieved = await attempt();
    if (achieved === undefined) continue;
    count += 1;
    console.log(`SUCCEEDED: ${name}: ${achieved}`);
  }
  return count;
}

/** Makes tokens as the first token of a service is made, directly in its database. */
async function peopleOf(stack: Stack): Promise<People> {
  const url = readFileSync(join(stack.dataDir, 'secrets', 'database-gateway-url'), 'utf8').trim();
  const store = openGatewayStore({ url, poolSize: 1 });
  const grants: Record<keyof People, Grant> = {
    root: { role: 'admin' },
    olga: { role: 'operator' },
    ada: { role: 'submitter' },
    eve: { role: 'viewer' },
    sue: { role: 'submitter' },
    stranger: { role: 'operator', lab: 'color_lab' },
  };
  try {
    const made = Object.entries(grants).map(async ([name, grant]) => {
      const { token, row } = issueToken({ name, grants: [grant] }, 'attack', Date.now());
      await store.tokens.add(row);
      return [name, token];
    });
    return Object.fromEntries(await Promise.all(made)) as People;
  } finally {
    await store.close();
  }
}

/** Cancels the work of the attacks over HTTP, so that the device is free for the run of the victim. */
async function cancelAllBut(api: ApiClient, kept: string): Promise<void> {
  const read = async () => (await api.get('/api/protocols', { query: { limit: 100 } })).items;
  const isOpen = ({ name, state }: { name: string; state: string }): boolean =>
    name !== kept && !['completed', 'failed', 'cancelled'].includes(state);
  for (const { name } of (await read()).filter(isOpen))
    await api.post('/api/protocols/{protocol_run_name}/cancel', { path: { protocol_run_name: name } });
  await until(read, (runs) => !runs.some(isOpen));
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
