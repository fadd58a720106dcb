import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@lab/contracts';
import { Lab } from './lab.js';
import { thiefModule } from './modules.js';
import { makePackages, said, thisMachine, unpack, type Machine } from './packaged.js';

/**
 * Author code as another user of this computer. Only root may become other users, so without root the tests see that an agent
 * refuses to start.
 */

const isRoot = process.getuid?.() === 0;
const codeUser = 'nobody';
const [uid, gid] = ['-u', '-g'].map((flag) =>
  execFileSync('id', [flag, codeUser], { encoding: 'utf8' }).trim(),
);

let folder: string;
let unpacked: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-code-user-'));
  // Other users must be able to read the program.
  chmodSync(folder, 0o755);
  const [made] = await makePackages(folder, '--own-node');
  unpacked = await unpack(made?.path ?? '', join(folder, 'program'));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Joined {
  data: string;
  /** Files and folders that author code must not read, write or list. */
  closed: string[];
}

/** Makes the data folder of an agent that has joined. @param owner user and group of the agent */
async function layOut(lab: Lab, owner: readonly [number, number], user: string): Promise<Joined> {
  chmodSync(lab.dataDir, 0o755);
  const data = join(lab.dataDir, 'data');
  const key = join(data, 'keys', 'broker');
  await mkdir(join(data, 'keys'), { recursive: true });
  writeFileSync(key, lab.natsUrl, { mode: 0o600 });
  const env = { SVC_NATS_URL_FILE: 'keys/broker', SVC_CODE_USER: user };
  writeFileSync(join(data, 'joined.json'), JSON.stringify({ version: 1, computer: 'bench_b', env }), {
    mode: 0o600,
  });
  for (const path of [data, join(data, 'keys'), key, join(data, 'joined.json')]) chownSync(path, ...owner);
  return { data, closed: [data, key, join(data, 'joined.json')] };
}

/** The same program under another user who may become others, as systemd starts it. */
function capableMachine(user: string): Machine {
  const capabilities = '+setuid,+setgid,+kill';
  const bounds = [
    '--inh-caps',
    capabilities,
    '--ambient-caps',
    capabilities,
    '--bounding-set',
    `-all,${capabilities}`,
  ];
  const identity = ['--reuid', user, '--regid', user, '--groups', String(gid), ...bounds, '--'];
  return {
    start: (args) =>
      spawn('setpriv', [...identity, join(unpacked, 'svc-agent'), ...args], {
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    kill: (pid) => Promise.resolve(void process.kill(pid, 'SIGKILL')),
  };
}

const agents: [string, readonly [number, number], () => Machine][] = isRoot
  ? [
      ['root', [0, 0], () => thisMachine(unpacked)],
      ['a user who may become others', [1, 1], () => capableMachine('daemon')],
    ]
  : [];

describe.each(agents)('the code of an agent that runs as %s', (_who, owner, machineOf) => {
  it('works as the code user, and can neither read nor change nor end what is not its own', async () => {
    const lab = await Lab.open();
    lab.modules.set(thiefModule.reference.hash, thiefModule);
    const machine = machineOf();
    try {
      const { data, closed } = await layOut(lab, owner, codeUser);
      const thief = {
        lab: 'lab',
        name: 'thief',
        type: 'thief',
        module: thiefModule.reference,
        init_parameters: {},
      };
      lab.assigned.set('bench_b', [lab.device('arm'), thief]);
      const agent = lab.adopt(machine.start(['run', '--data', data]));
      await lab.until('the agent is online', () => lab.online.has('bench_b'), 60_000);
      for (const device of ['arm', 'thief']) await lab.deviceIs(device, 'idle');

      const call = async (name: string, on: string, args: JsonObject = {}): Promise<unknown> => {
        const task = lab.task(
          { mode: 'call', function: name, args },
          { arm: { computer: 'bench_b', name: on } },
        );
        await lab.start(task, 'bench_b');
        const outcome = await lab.outcome(task.attempt_id, 60_000);
        return outcome.kind === 'completed' ? outcome.output_parameters['said'] : outcome;
      };
      // What a lab needs works: calls, tasks and their files, a crash.
      expect(await call('move', 'arm', { to: 'a3' })).toEqual({ at: 'a3' });
      const file = lab.task({ mode: 'file', size: 5_000 });
      await lab.start(file, 'bench_b');
      expect(await lab.outcome(file.attempt_id)).toMatchObject({ kind: 'completed' });
      expect([...lab.stored.values()].map(({ length }) => length)).toContain(5_000);
      const armPid = (await call('where', 'arm')) as number;
      const before = lab.changes.length;
      process.kill(armPid, 'SIGKILL');
      await lab.until('the arm is lost and comes back', () => {
        const states = lab.changes
          .slice(before)
          .flatMap(({ name, state }) => (name === 'arm' ? [state] : []));
        return states.some((state) => state !== 'idle') && states.at(-1) === 'idle';
      });

      const status = (await call('status', 'thief')) as Record<string, string>;
      expect(status).toMatchObject({
        ...{ Uid: [uid, uid, uid, uid].join(' '), NoNewPrivs: '1' },
        ...{ CapInh: none, CapPrm: none, CapEff: none, CapAmb: none },
      });
      const own = join(data, 'agents', 'bench_b');
      const agentPid = pidOf(data);
      const read = [...closed, own, join(own, 'spool'), `/proc/${agentPid}/environ`, ...ledgerFiles(own)];
      expect(read.length).toBeGreaterThan(6);
      for (const path of read) expect(await call('read', 'thief', { path }), path).toMatch(/^E(ACCES|PERM)$/);
      const modules = join(own, 'modules');
      for (const path of [
        join(data, 'x'),
        join(own, 'x'),
        join(modules, 'x'),
        join(modules, `${thiefModule.reference.hash}.mjs`),
      ])
        expect(await call('write', 'thief', { path }), path).toMatch(/^E(ACCES|PERM)$/);
      expect(await call('end', 'thief', { pid: agentPid })).toBe('EPERM');
      expect(await call('become', 'thief', { uid: 0 })).toBe('EPERM');
      expect(await call('become', 'thief', { uid: owner[0] === 0 ? 2 : owner[0] })).toBe('EPERM');
      expect(statSync(join(modules, `${thiefModule.reference.hash}.mjs`)).mode & 0o777).toBe(0o640);

      await said(machine, 'stop', '--data', data);
      expect(await agent.gone).toEqual([0, null]);
      expect(readdirSync(join(own, 'spool'))).toEqual([]);
    } finally {
      await lab.close();
    }
  });

  it('does not start when the code user is unknown, root, or the agent itself', async () => {
    const lab = await Lab.open();
    try {
      for (const [user, reason] of [
        [
          'svc-nobody-here',
          'this computer has no such user; make it: useradd --system --user-group svc-nobody-here',
        ],
        ['root', 'must not be root'],
        ...(owner[0] === 0 ? [] : [['daemon', 'the user of the agent itself']]),
      ] as [string, string][]) {
        const { data } = await layOut(lab, owner, user);
        const agent = lab.adopt(machineOf().start(['run', '--data', data]));
        expect(await agent.gone, user).toEqual([1, null]);
        expect(agent.lines.join('\n')).toContain(reason);
      }
    } finally {
      await lab.close();
    }
  });
});

it('an agent without the right to become another user does not start', async () => {
  const lab = await Lab.open();
  try {
    const owner = isRoot ? ([1, 1] as const) : ([process.getuid?.() ?? 0, process.getgid?.() ?? 0] as const);
    const { data } = await layOut(lab, owner, codeUser);
    const plain = ['--reuid', 'daemon', '--regid', 'daemon', '--clear-groups', '--'];
    const command = [
      ...(isRoot ? ['setpriv', ...plain] : []),
      join(unpacked, 'svc-agent'),
      'run',
      '--data',
      data,
    ];
    const child = spawn(command[0] ?? '', command.slice(1), { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    const agent = lab.adopt(child);
    expect(await agent.gone).toEqual([1, null]);
    expect(agent.lines.join('\n')).toMatch(
      /this agent may not start processes as nobody \(SVC_CODE_USER\): setpriv: .*; it must be root, or have the capabilities/,
    );
  } finally {
    await lab.close();
  }
});

const none = '0'.repeat(16);

const ledgerFiles = (own: string): string[] =>
  readdirSync(own, { withFileTypes: true }).flatMap((each) => (each.isFile() ? [join(own, each.name)] : []));

/** The process of the agent, which its lock names. */
function pidOf(data: string): number {
  return (JSON.parse(readFileSync(join(data, 'agents', 'bench_b', 'lock'), 'utf8')) as { pid: number }).pid;
}
