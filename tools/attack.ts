// Attacks a running service that requires tokens. Over HTTP: without a token, beyond a role, as a person of an identity provider, at the sign-in there,
// and more. On its database: with the addresses that its services have. Over its broker, with the stolen credentials of one agent:
// every message of the catalogue in the name of another process, calls of devices without an allocation, results and files of
// other computers. With those of an orchestrator: code of the thief on the computers of the lab. On the way in which computers join: with invitations and passes that are of no use, and from a place in between.
// The last line is one JSON object; the exit code is 1 when an attack succeeded or was not made.
//
//   npm run attack
//   npm run attack -- --only 'joining: with a'   those whose name matches: to see one succeed while its defence is taken out
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiClient, ProblemError } from '@lab/api-client';
import { agentEvents, subjectOf, type BodyOf, type Grant, type ProcessRole } from '@lab/contracts';
import { issueToken, openGatewayStore } from '@lab/persistence';
import { freePort, type Stack } from '@lab/testkit';
import { issueCredentials, readKeys } from '@lab/trust';
import { ActSigner } from '@lab/trust/acts';
import { Authority, makeAuthorityKey } from '@lab/trust/authority';
import { CodeSigner } from '@lab/trust/code-manifest';
import { attacksOf, type Attack, type Scene } from './attack/attacks.js';
import { codeAttacksOf, knownModule } from './attack/code-attacks.js';
import { databaseAttacksOf } from './attack/database-attacks.js';
import { enrolmentAttacksOf } from './attack/enrolment-attacks.js';
import { httpAttacksOf } from './attack/http-attacks.js';
import type { People } from './attack/http-scene.js';
import { attacksOnIdentity } from './attack/identities.js';
import { Issuer } from './attack/issuer.js';
import { pipelinesAt } from './attack/pipeline-attacks.js';
import { Thief } from './attack/thief.js';
import { pattern, readFlags } from './shared/flags.js';
import { printMachine, printResult, until } from './shared/measure.js';
import { servicesOf } from './shared/processes.js';
import { withStack } from './shared/stack.js';

const lab = 'multiplication_lab';
const run = 'of_the_victim';
const runOfSue = 'of_sue';
const victim = 'svc_computer';
/** The device that a task calls for as long as the attacks last. */
const held = 'multiplier_c';
/** The computer whose credentials are stolen. Its own agent does not run. */
const stolen = 'bench_b';
/** A computer that runs only code that the lab has signed. Nothing is, so it runs nothing. */
const guarded = 'bench_k';

const { only } = readFlags({ only: pattern });
const isChosen = ({ name }: Attack): boolean => only?.test(name) ?? true;

printMachine();
const [issuer, otherIssuer] = [await Issuer.start(), await Issuer.start()];
const port = await freePort();
const publicUrl = `http://127.0.0.1:${port}`;
const packages = packagesWithHold();
const folder = mkdtempSync(join(tmpdir(), 'attack-'));
const config = join(folder, 'config.yml');
writeFileSync(
  config,
  `auth: { type: tokens, oidc: { issuer: '${issuer.url}', audience: lab, client: { id: page } }, pipelines: ${pipelinesAt(issuer.url, otherIssuer.url, lab)} }\nhttp: { trusted_proxies: [127.0.0.1] }\n` +
    `webhooks: { http: true, ports: [${new URL(issuer.url).port}] }\n`,
);
const { attempted, succeeded } = await withStack(
  {
    env: {
      SVC_LABS: lab,
      SVC_USER_DIR: packages,
      SVC_CONFIG: config,
      SVC_AUTH: 'tokens',
      SVC_HTTP_HOST: '0.0.0.0',
      SVC_HTTP_PORT: String(port),
      SVC_PUBLIC_URL: publicUrl,
    },
  },
  attackStack,
);
await Promise.all([issuer.close(), otherIssuer.close()]);
for (const each of [folder, packages]) rmSync(each, { recursive: true });
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
  const secret = (name: string): string => readFileSync(join(stack.dataDir, 'secrets', name), 'utf8').trim();
  const keys = readKeys(secret('broker-keys'));
  const overHttp = [
    ...httpAttacksOf({ stack, people, issuer, otherIssuer, lab, run, runOfSue }),
    ...databaseAttacksOf(stack),
    ...enrolmentAttacksOf({ url: stack.url, people, keys }),
  ].filter(isChosen);
  let succeeded = await successes(overHttp);
  if (only !== undefined && overHttp.length > 0) return { attempted: overHttp.length, succeeded };
  await cancelAllBut(api, run);
  const devices = { multiplier: { lab_name: lab, name: held } };
  const input_parameters = { seconds: 3_600 };
  await api.post('/api/tasks', { body: { name: 'of_the_caller', type: 'hold', devices, input_parameters } });
  await until(
    async () => (await api.get('/api/devices', { query: { limit: 100 } })).items,
    (all) => all.some(({ name, state }) => name === held && state === 'busy'),
  );
  const url = secret('nats-url');
  const thiefOf = async (role: ProcessRole, name: string): Promise<Thief> =>
    Thief.with(url, await issueCredentials(keys, role, name), role, name);
  const thief = await thiefOf('agent', stolen);
  const thieves = {
    gateway: await thiefOf('gateway', 'thief'),
    optimizer: await thiefOf('optimizer', 'thief'),
    tool: await thiefOf('tool', 'thief'),
    twin: await thiefOf('agent', victim),
  };
  // Every agent hears the heartbeats of the others.
  const heard = (await thief.overhears(subjectOf(agentEvents.heartbeat, { computer: victim }))) as BodyOf<
    typeof agentEvents.heartbeat
  >;
  const calling = heard.devices.find(({ name }) => name === held)?.doing?.attempt_id ?? '';
  if (calling === '') throw new Error(`device ${held} is not called by an attempt`);
  const scene: Scene = {
    url,
    thief: stolen,
    victim,
    inc: String(heard.inc),
    lab,
    device: 'multiplier_a',
    attempt: heard.attempts.find(({ attempt_id: id }) => id !== calling)?.attempt_id ?? '',
    calling,
  };
  const labKey = CodeSigner.ofService(new Authority(makeAuthorityKey())).publicKey;
  stack.besideWith({ SVC_CODE_KEY: labKey }, 'agent', '--computer', guarded);
  await until(
    async () => (await api.get('/api/agents')).items,
    (agents) => agents.some(({ computer, state }) => computer === guarded && state === 'online'),
    30_000,
  );
  const orchestrator = await thiefOf('orchestrator', 'thief');
  const leave = (): Promise<unknown> =>
    Promise.all([thief, orchestrator, ...Object.values(thieves)].map((each) => each.close()));
  const before = await sight(api);
  const attacks = [
    ...attacksOf(thief, scene),
    ...attacksOnIdentity(thieves, scene, ({ ageMs = 0, ...act }) =>
      new ActSigner(secret('act-key'), () => Date.now() - ageMs).sign(act),
    ),
  ].filter(isChosen);
  succeeded += await successes(attacks);
  const checksAll = only === undefined;
  const untold = checksAll ? await untoldTo(api) : [];
  if (untold.length > 0) {
    succeeded += 1;
    console.log(`SUCCEEDED: the operator was not told: ${untold.join(', ')}`);
  }
  const after = checksAll ? await sight(api) : before;
  if (after !== before) {
    succeeded += 1;
    console.log(`SUCCEEDED: the service is not as it was:\n${before}\n${after}`);
  }
  // After the comparison, because the call of the held device ends within a minute.
  const ofCode = codeAttacksOf({
    ...{ orchestrator, agent: thief, victim, guarded },
    known: knownModule(stack.dataDir, 'tasks/multiply/task.ts', lab),
    authority: new Authority(keys.authority),
    withoutLeader: (work) => whileStopped(servicesOf(stack.dataDir).get('orchestrator'), work),
  }).filter(isChosen);
  succeeded += await successes(ofCode);
  await leave();
  const worked = checksAll ? await works(api).catch((error: unknown) => String(error)) : true;
  if (worked !== true) {
    succeeded += 1;
    console.log(`SUCCEEDED: the service does no work any more: ${worked}`);
  }
  return { attempted: overHttp.length + attacks.length + ofCode.length, succeeded };
}

/** Does work while a process stands still. */
async function whileStopped<T>(pid: number | undefined, work: () => Promise<T>): Promise<T> {
  if (pid === undefined) throw new Error('the orchestrator does not run');
  process.kill(pid, 'SIGSTOP');
  // Its threads stop one after the other.
  await wait(20);
  try {
    return await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
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

/** What a thief has done without an attention item for the operator. */
async function untoldTo(api: ApiClient): Promise<string[]> {
  const missing = async (): Promise<string[]> => {
    const { items } = await api.get('/api/attention', { query: { limit: 100 } });
    const told = new Set(items.map(({ reason }) => reason.code));
    return ['second_agent', 'messages_refused'].filter((code) => !told.has(code));
  };
  await until(missing, (codes) => codes.length === 0, 10_000).catch(() => undefined);
  return missing();
}

/** The packages of the service, with one more device and computer, and a task whose call of it takes as long as the task says. */
function packagesWithHold(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attack-'));
  cpSync('lab-packages', folder, { recursive: true });
  const labFile = join(folder, lab, 'laboratories', lab, 'lab.yml');
  const more = `devices:\n  ${held}:\n    desc: Held\n    type: multiplier\n    computer: ${victim}\n`;
  const computer = `computers:\n  ${guarded}:\n    desc: Guarded\n    ip: 127.0.0.3\n`;
  const text = readFileSync(labFile, 'utf8');
  writeFileSync(labFile, text.replace('devices:\n', more).replace('computers:\n', computer));
  const task = join(folder, lab, 'tasks', 'hold');
  mkdirSync(task);
  writeFileSync(
    join(task, 'task.yml'),
    'type: hold\ndesc: Holds a device\ndevices:\n  multiplier:\n    type: multiplier\n' +
      'input_parameters:\n  seconds:\n    type: int\n    unit: s\n    desc: How long\n',
  );
  writeFileSync(
    join(task, 'task.ts'),
    "import { BaseTask, type TaskResult } from '@lab/sdk';\n" +
      'export default class Hold extends BaseTask<{ multiplier: any }, { seconds: number }> {\n' +
      "  async _execute(devices: this['devices'], given: { seconds: number }): Promise<TaskResult> {\n" +
      '    await devices.multiplier.hold(given);\n    return [{}, {}, {}];\n  }\n}\n',
  );
  return folder;
}

async function works(api: ApiClient): Promise<true> {
  // The orchestrator stood still during an attack. Until it leads again it refuses, on a busy machine for some seconds.
  const retries = 6;
  const cancel = () =>
    api.post('/api/protocols/{protocol_run_name}/cancel', { path: { protocol_run_name: run }, retries });
  await cancel().catch((error: unknown) => {
    // An attempt broke off. A second cancellation changes nothing.
    if (error instanceof ProblemError && error.code === 'outcome_unknown') return cancel();
    throw error;
  });
  const input_parameters = { number: 6, factor: 7 };
  const devices = { multiplier: { lab_name: lab, name: 'multiplier_a' } };
  const body = { name: 'after', type: 'multiply', devices, input_parameters };
  await api.post('/api/tasks', { body, retries });
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
