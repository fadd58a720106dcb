import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentEvents, type JsonObject } from '@lab/contracts';
import { ownKind } from '@lab/definitions/model';
import { startSecuredNats } from '@lab/testkit';
import { withoutPython } from '@lab/testkit/python';
import { Authority } from '@lab/trust/authority';
import { CodeSigner } from '@lab/trust/code-manifest';
import { codeGid as gid, codeUid as uid, codeUser, demandRoot } from './as-root.js';
import { dependencies, greeter, manifest, module, packed, sha256, text } from './greeter.js';
import { Lab, type RunningAgent } from './lab.js';
import { thiefModule } from './modules.js';
import { pythonThief } from './python-modules.js';
import { makePackages, said, unpack, type Machine } from './packaged.js';

/** Author code as another user of this computer. */

let folder: string;
let unpacked: string;
beforeAll(async () => {
  demandRoot();
  folder = await mkdtemp(join(tmpdir(), 'lab-code-user-'));
  // Other users must be able to read the program.
  chmodSync(folder, 0o755);
  const [made] = await makePackages(folder, '--own-node');
  unpacked = await unpack(made?.path ?? '', join(folder, 'program'));
}, 120_000);
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** What the environment of the agent has. The address of a proxy may have a login. */
const env = { PATH: '/usr/bin:/bin', HTTPS_PROXY: 'http://ann:geheim@127.0.0.1:9' };

/** The program under a user, as systemd starts it. @param identity options of setpriv */
function machineAs(...identity: string[]): Machine {
  const options = { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  return {
    start: (args) => spawn('setpriv', [...identity, '--', join(unpacked, 'svc-agent'), ...args], options),
    kill: (pid) => Promise.resolve(void process.kill(pid, 'SIGKILL')),
  };
}

const capabilities = '+setuid,+setgid,+kill';
const capable = [
  ...['--reuid', 'daemon', '--regid', 'daemon', '--groups', String(gid), '--no-new-privs'],
  ...['--inh-caps', capabilities, '--ambient-caps', capabilities, '--bounding-set', `-all,${capabilities}`],
];

const agents: [string, readonly [number, number], Machine][] = [
  ['root', [0, 0], machineAs('--reuid', '0')],
  ['a user who may become others', [1, 1], machineAs(...capable)],
];

let lab: Lab;
beforeEach(async () => {
  lab = await Lab.open();
  for (const thief of [thiefModule, pythonThief]) lab.modules.set(thief.reference.hash, thief);
});
afterEach(() => lab.close());

/** Makes the data folder of an agent that has joined. @param owner user and group of the agent */
async function layOut(
  owner: readonly [number, number],
  user = codeUser,
  more: Record<string, string> = {},
): Promise<string> {
  chmodSync(lab.dataDir, 0o755);
  const data = join(lab.dataDir, 'data');
  const modules = join(data, 'agents', 'bench_b', 'modules');
  for (const each of [join(data, 'keys'), modules]) await mkdir(each, { recursive: true, mode: 0o700 });
  const joined = {
    version: 1,
    computer: 'bench_b',
    env: { SVC_NATS_URL_FILE: 'keys/broker', SVC_CODE_USER: user, SVC_DEVICE_CALL_TIMEOUT_S: '3', ...more },
  };
  for (const [path, text] of [
    ['keys/broker', lab.natsUrl],
    ['joined.json', JSON.stringify(joined)],
    ['agent.creds', 'what the agent got when it joined'],
    // From before the code had a user of its own.
    [`agents/bench_b/modules/${thiefModule.reference.hash}.mjs`, thiefModule.text],
  ] as const)
    writeFileSync(join(data, path), text, { mode: 0o600 });
  for (const path of ['.', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
    chownSync(join(data, path), ...owner);
  return data;
}

/** Starts the agent and waits for its devices. */
async function begin(machine: Machine, data: string, ...devices: string[]): Promise<RunningAgent> {
  const before = lab.inc('bench_b');
  const changes = lab.changes.length;
  const agent = lab.adopt(machine.start(['run', '--data', data]));
  await lab.until('the agent is online', () => (lab.online.get('bench_b') ?? 0) > before, 60_000);
  for (const device of devices)
    await lab.until(`${device} is idle`, () =>
      lab.changes.slice(changes).some(({ name, state }) => name === device && state === 'idle'),
    );
  return agent;
}

async function call(name: string, on: string, args: JsonObject = {}): Promise<unknown> {
  const parameters = { mode: 'call', function: name, args };
  const task = lab.task(parameters, { arm: { computer: 'bench_b', name: on } });
  await lab.start(task, 'bench_b');
  const outcome = await lab.outcome(task.attempt_id, 60_000);
  return outcome.kind === 'completed' ? outcome.output_parameters['said'] : outcome;
}

async function run(...given: Parameters<Lab['task']>): Promise<unknown> {
  const task = lab.task(...given);
  await lab.start(task, 'bench_b');
  return lab.outcome(task.attempt_id, 60_000);
}

const thieves = [
  { language: 'TypeScript', module: thiefModule.reference, ending: 'mjs' },
  ...(withoutPython() ? [] : [{ language: 'Python', module: pythonThief.reference, ending: 'json' }]),
];

describe.each(agents)('the code of an agent that runs as %s', (_who, owner, machine) => {
  it.each(thieves)(
    'can neither read nor change nor end what is not its own ($language)',
    async ({ module: code, ending }) => {
      const data = await layOut(owner);
      const thief = { lab: 'lab', name: 'thief', type: 'thief', module: code, init_parameters: {} };
      lab.assigned.set('bench_b', [lab.device('arm'), thief]);
      const agent = await begin(machine, data, 'arm', 'thief');
      expect(agent.lines.join()).toContain('the code of devices and tasks runs as another user');

      const status = (await call('status', 'thief')) as Record<string, string>;
      expect(status).toMatchObject({
        ...{ Uid: Array(4).fill(uid).join(' '), Gid: Array(4).fill(gid).join(' '), NoNewPrivs: '1' },
        ...{ CapInh: none, CapPrm: none, CapEff: none, CapAmb: none },
      });
      // In a session of its own, it cannot type into the terminal of the agent.
      expect(status['NSsid']).toBe(status['Pid']);
      const environment = (await call('environment', 'thief')) as Record<string, string>;
      expect(environment).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:9', USER: codeUser });
      expect(Object.keys(environment).filter((name) => name.startsWith('SVC_'))).toEqual([]);

      // A task that waits, and so has a folder.
      const other = lab.task({ mode: 'wait', ms: 20_000 });
      await lab.start(other, 'bench_b');
      await lab.until('it runs', () => agent.lines.some((line) => line.includes('doing wait')));

      const own = join(data, 'agents', 'bench_b');
      const modules = join(own, 'modules');
      const module = join(modules, `${code.hash}.${ending}`);
      const agentPid = pidOf(data);
      const closed = ['', 'keys', 'keys/broker', 'agent.creds', 'joined.json'].map((path) =>
        join(data, path),
      );
      const lists = ['', 'spool'].map((name) => join(own, name));
      const read = [...closed, ...lists, `/proc/${agentPid}/environ`, ...filesIn(own)];
      expect(filesIn(own).some((path) => path.includes('ledger'))).toBe(true);
      for (const path of read) expect(await call('read', 'thief', { path }), path).toMatch(/^E(ACCES|PERM)$/);
      for (const path of [
        join(data, 'x'),
        join(own, 'x'),
        join(own, 'spool', 'x'),
        join(modules, 'x'),
        module,
      ])
        expect(await call('write', 'thief', { path }), path).toMatch(/^E(ACCES|PERM)$/);
      expect(await call('read', 'thief', { path: module })).toBe('done');
      expect(await call('end', 'thief', { pid: agentPid })).toBe('EPERM');
      expect(await call('become', 'thief', { uid: 0 })).toBe('EPERM');
      expect(await call('become', 'thief', { uid: owner[0] === 0 ? 2 : owner[0] })).toBe('EPERM');
      expect(openToCode(data)).toEqual(
        [...new Set([...onlyCode, `agents/bench_b/modules/*.${ending} r`])].sort(),
      );

      await said(machine, 'stop', '--data', data);
      expect(await agent.gone).toEqual([0, null]);
    },
  );

  it('calls devices, reads and writes files, and ends by force and in order', async () => {
    const data = await layOut(owner);
    const shared = join(lab.dataDir, 'shared');
    await mkdir(shared);
    chmodSync(shared, 0o777);
    const trace = join(shared, 'trace');
    lab.assigned.set('bench_b', [lab.device('arm', { trace }), lab.device('leg')]);
    let agent = await begin(machine, data, 'arm', 'leg');
    expect(await call('move', 'arm', { to: 'a3' })).toEqual({ at: 'a3' });
    expect(await run({ mode: 'wait', ms: 1 }, { isolation: 'thread' })).toMatchObject({ kind: 'completed' });

    const bytes = Buffer.from('numbers, the end');
    lab.fetched = (_request, response) => void response.writeHead(200).end(bytes);
    const file = {
      ...{ name: 'raw.csv', size: bytes.length, task_run_id: 't1', attempt: 1 },
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
    expect(await run({ mode: 'read' }, { files: { raw: file } })).toMatchObject({
      output_parameters: { text: 'he end', ending: '.csv' },
    });
    expect(await run({ mode: 'file', size: 5_000 })).toMatchObject({ kind: 'completed' });
    expect([...lab.stored.values()].map(({ length }) => length)).toContain(5_000);
    // A folder that nobody but the code may enter is removed as well.
    expect(await run({ mode: 'litter' }, { files: { raw: file } })).toMatchObject({ kind: 'completed' });
    const spool = join(data, 'agents', 'bench_b', 'spool');
    await lab.until('the folders of tasks are gone', () => readdirSync(spool).length === 0);

    expect(openToCode(data)).toEqual(onlyCode);

    process.kill((await call('where', 'leg')) as number, 'SIGKILL');
    await comesBack('leg');

    // The time limit of calls ends a process that hangs.
    const hanging = (await call('where', 'leg')) as number;
    expect(await call('hang', 'leg')).toMatchObject({ kind: 'unknown' });
    await lab.until('the process has ended', () => !isAlive(hanging), 40_000);

    // A killed agent leaves a process that hangs. The next agent finds and kills it.
    const orphan = (await call('where', 'arm')) as number;
    process.kill(orphan, 'SIGSTOP');
    process.kill(pidOf(data), 'SIGKILL');
    await agent.gone;
    expect(isAlive(orphan)).toBe(true);
    agent = await begin(machine, data, 'arm');
    expect(isAlive(orphan)).toBe(false);
    expect(agent.lines.join()).toContain('killing a device process');

    writeFileSync(trace, '');
    const last = (await call('where', 'arm')) as number;
    await said(machine, 'stop', '--data', data);
    expect(await agent.gone).toEqual([0, null]);
    expect(readFileSync(trace, 'utf8')).toBe('cleaned up\n');
    expect(isAlive(last)).toBe(false);

    // An emergency stop ends the process of a device that cannot stop by itself.
    agent = await begin(machine, data, 'arm');
    const moving = (await call('where', 'arm')) as number;
    const arm = { computer: 'bench_b', name: 'arm' };
    const args = { to: 'b1', ms: 60_000 };
    await lab.start(lab.task({ mode: 'call', function: 'move', args }, { arm }), 'bench_b');
    await lab.until('the arm moves', () => readFileSync(trace, 'utf8').includes('move b1'));
    const halt = { id: 'halt-1', scope: 'lab:lab', by: 'ann', reason: 'a hand is in it' };
    lab.bus.publish(agentEvents.emergencyStop, {}, halt);
    await lab.until('the process has ended', () => !isAlive(moving));
    await said(machine, 'stop', '--data', data);
    expect(await agent.gone).toEqual([0, null]);
  });

  it('does not start when the code user is unknown, root, or the agent itself', async () => {
    for (const [user, reason] of [
      [
        'svc-nobody-here',
        'this computer has no such user; make it: useradd --system --user-group svc-nobody-here',
      ],
      ['root', 'must not be root'],
      ...(owner[0] === 0 ? [] : [['daemon', 'the user of the agent itself']]),
    ] as [string, string][]) {
      const data = await layOut(owner, user);
      const agent = lab.adopt(machine.start(['run', '--data', data]));
      expect(await agent.gone, user).toEqual([1, null]);
      expect(agent.lines.join('\n')).toContain(reason);
    }
  });
});

it.each(agents)(
  'packed npm packages are read and not changed by the code of an agent that runs as %s',
  async (_who, owner, machine) => {
    const nats = await startSecuredNats();
    await lab.close();
    lab = await Lab.open(nats, await nats.credentials('orchestrator', 'stand-in'));
    const content = await packed(greeter);
    const archive = { dependencies, ...ownKind(), sha256: sha256(content), size: content.length };
    lab.archives.set(archive.sha256, content);
    lab.modules.set(module.hash, { reference: module, text });
    const signer = CodeSigner.ofService(new Authority(nats.keys.authority));
    lab.signed = () => ({ manifest: manifest(signer, [archive]) });
    lab.assigned.set('bench_b', [{ ...lab.device('meter'), module }]);
    const data = await layOut(owner, codeUser, { SVC_NATS_CREDENTIALS_FILE: 'agent.creds' });
    writeFileSync(join(data, 'agent.creds'), await nats.credentials('agent', 'bench_b'));
    const agent = await begin(machine, data, 'meter');
    expect(agent.lines.some((line) => line.includes('said: good morning'))).toBe(true);
    const packages = join(data, 'agents', 'bench_b', 'packages');
    const found = readdirSync(packages, { recursive: true, encoding: 'utf8' });
    expect(found.some((path) => path.endsWith('node_modules/greeter/lib/a.js'))).toBe(true);
    const changeable = found.filter((path) => {
      const { mode, uid: by, gid: group } = statSync(join(packages, path));
      return by !== owner[0] || (mode & 0o002) !== 0 || (group === gid && (mode & 0o020) !== 0);
    });
    expect(changeable).toEqual([]);
  },
);

it('an agent without the right to become another user does not start', async () => {
  const data = await layOut([1, 1]);
  const machine = machineAs('--reuid', 'daemon', '--regid', 'daemon', '--clear-groups');
  const agent = lab.adopt(machine.start(['run', '--data', data]));
  expect(await agent.gone).toEqual([1, null]);
  expect(agent.lines.join('\n')).toMatch(
    /this agent may not start processes as nobody \(SVC_CODE_USER\): setpriv: .*; it must be root, or have the capabilities/,
  );
});

it('an agent that may not end the device process of an agent with a code user before it says so', async () => {
  const data = await layOut([1, 1]);
  lab.assigned.set('bench_b', [lab.device('arm')]);
  const agent = await begin(machineAs(...capable), data, 'arm');
  const orphan = (await call('where', 'arm')) as number;
  process.kill(orphan, 'SIGSTOP');
  process.kill(pidOf(data), 'SIGKILL');
  await agent.gone;
  try {
    const joined = { version: 1, computer: 'bench_b', env: { SVC_NATS_URL_FILE: 'keys/broker' } };
    writeFileSync(join(data, 'joined.json'), JSON.stringify(joined));
    const machine = machineAs('--reuid', 'daemon', '--regid', 'daemon', '--clear-groups');
    const next = lab.adopt(machine.start(['run', '--data', data]));
    expect(await next.gone).toEqual([1, null]);
    expect(next.lines.join('\n')).toContain(
      `process ${orphan} of an earlier agent still holds a device and cannot be ended; end it, or restart the computer`,
    );
  } finally {
    process.kill(orphan, 'SIGKILL');
  }
});

const none = '0'.repeat(16);

/** Waits until a device is lost and then idle again. */
async function comesBack(device: string): Promise<void> {
  const before = lab.changes.length;
  await lab.until(`${device} is lost and comes back`, () => {
    const states = lab.changes.slice(before).flatMap(({ name, state }) => (name === device ? [state] : []));
    return states.some((state) => state !== 'idle') && states.at(-1) === 'idle';
  });
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((each) =>
    each.isFile() ? [join(path, each.name)] : [],
  );

/**
 * What the modes let the code user do in a data folder with what it can reach, except in the folders of devices and tasks:
 * `r`, `w` or both. A module counts once.
 */
function openToCode(data: string): string[] {
  const open = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^agents\/[^/]+\/(devices|spool)\//.test(path))
    .flatMap((path) => {
      const { mode, gid: group } = statSync(join(data, path));
      const bits = mode | (group === gid ? mode >> 3 : 0);
      const may = `${bits & 4 ? 'r' : ''}${bits & 2 ? 'w' : ''}`;
      return may === '' ? [] : [`${path.replace(/[0-9a-f]{64}\./, '*.')} ${may}`];
    });
  return [...new Set(open)].sort();
}

const onlyCode = ['devices rw', 'environments r', 'modules r', 'modules/*.mjs r', 'packages r'].map(
  (each) => `agents/bench_b/${each}`,
);

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process of the agent, which its lock names. */
function pidOf(data: string): number {
  return (JSON.parse(readFileSync(join(data, 'agents', 'bench_b', 'lock'), 'utf8')) as { pid: number }).pid;
}
