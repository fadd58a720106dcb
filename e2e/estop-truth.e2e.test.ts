import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DeviceRecord, EmergencyStopReport } from '@lab/contracts';
import { actKeys, freePort, Link, startNats, type NatsFixture } from '@lab/testkit';
import { testPostgres } from '@lab/testkit/testing';
import { Api, eventually } from './api.js';
import { faultyLab } from './lab.js';

/** What `svc estop` says while one part of the service cannot hear it. Each process runs by itself. */

const svc = fileURLToPath(new URL('../apps/cli/bin/svc.mjs', import.meta.url));
const lab = 'two_benches';

let nats: NatsFixture;
let postgres: Awaited<ReturnType<typeof testPostgres>>;
/** The connection of the computer `far`. */
let cable: Link;
let folder = '';
let api: Api;
const env: Record<string, string> = {};
const processes = new Map<string, ChildProcess>();

function start(name: string, args: string[], more: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [svc, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env, ...more },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  processes.set(name, child);
  return child;
}

async function end(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const child = processes.get(name);
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  await gone;
}

interface Said {
  code: number;
  out: string;
  err: string;
  seconds: number;
}

const say = (...args: string[]): Promise<Said> => sayAnd(args, () => undefined);

/**
 * Runs `svc` as an operator does. The time is that until its first word, and includes the start of the process.
 *
 * @param onWord called at the first word
 */
function sayAnd(args: readonly string[], onWord: () => void): Promise<Said> {
  const since = performance.now();
  return new Promise((resolve) => {
    let seconds = Infinity;
    const heard = (): void => {
      if (seconds === Infinity) onWord();
      seconds = Math.min(seconds, (performance.now() - since) / 1_000);
    };
    const command = [svc, ...args, '--url', api.url];
    const child = execFile(process.execPath, command, { cwd: folder }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err, seconds }),
    );
    child.stdout?.on('data', heard);
    child.stderr?.on('data', heard);
  });
}

/** The state of each device, by name. */
const statesOf = (report: EmergencyStopReport): Record<string, string> =>
  Object.fromEntries(report.devices.map(({ name, state }) => [name, state]));

const devicesAre = (state: DeviceRecord['state']): Promise<DeviceRecord[]> =>
  eventually(
    () => api.devices().catch(() => []),
    (devices) => devices.length === 2 && devices.every((each) => each.state === state),
    60_000,
  );

/** Makes the device of `far` move for a minute. */
async function moveFar(): Promise<void> {
  // A gateway that has just lost its connection refuses the call.
  await eventually(
    async () => {
      const call = api.rpc(lab, 'far_arm', 'step', { seconds: 60 }).catch(() => undefined);
      return Promise.race([call, sleep(500, 'moves')]);
    },
    (seen) => seen === 'moves',
  );
  await eventually(
    () => api.device('far_arm'),
    ({ doing }) => doing?.function === 'step',
  );
}

beforeAll(async () => {
  [nats, postgres] = await Promise.all([startNats({ login: 'lab:lab' }), testPostgres()]);
  cable = await Link.open(Number(new URL(nats.url).port));
  const { url: databaseUrl } = await postgres.freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'svc-estop-truth-'));
  const packages = join(folder, 'packages');
  await cp(faultyLab, join(packages, 'faulty_lab'), { recursive: true });
  const labFolder = join(packages, 'faulty_lab', 'laboratories', lab);
  await mkdir(labFolder);
  const device = (computer: string): string =>
    `    desc: Fails on request\n    type: brittle\n    computer: ${computer}\n`;
  await writeFile(
    join(labFolder, 'lab.yml'),
    `name: ${lab}\ndesc: Two computers\ncomputers:\n  far:\n    desc: Another room\n    ip: 192.0.2.11\n` +
      `devices:\n  near_arm:\n${device('svc_computer')}  far_arm:\n${device('far')}`,
  );
  const port = String(await freePort());
  Object.assign(env, {
    SVC_NATS_URL: nats.url,
    SVC_DATABASE_URL: databaseUrl,
    SVC_UPLOAD_SECRET: 'a secret of this test, long enough to be one',
    ...actKeys(),
    SVC_HTTP_PORT: port,
    SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SVC_DATA_DIR: join(folder, 'central'),
    SVC_USER_DIR: packages,
    SVC_LABS: lab,
  });
  api = new Api(`http://127.0.0.1:${port}`);
  start('orchestrator', ['orchestrator']);
  start('gateway', ['gateway']);
  start('near', ['agent', '--computer', 'svc_computer'], { SVC_DATA_DIR: join(folder, 'near') });
  start('far', ['agent', '--computer', 'far'], {
    SVC_DATA_DIR: join(folder, 'far'),
    SVC_NATS_URL: `nats://lab:lab@127.0.0.1:${cable.port}`,
  });
  await devicesAre('idle');
});

afterEach(async () => {
  cable.heal({ reset: true });
  nats.resume();
  for (const child of processes.values()) child.kill('SIGCONT');
  await eventually(
    () => say('estop', 'release'),
    ({ code }) => code === 0,
  );
  for (const item of await api.attention()) await api.resolve(item.id, { action: 'idle', by: 'ada' });
  await devicesAre('idle');
});

afterAll(async () => {
  cable?.close();
  nats?.resume();
  await Promise.all([...processes.keys()].map((name) => end(name)));
  await Promise.all([nats?.stop(), postgres?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** Longest time of the command, with the start of its process on a busy machine, in seconds. */
const longestS = 8;

describe('svc cancel', () => {
  it('does not claim that a task on a computer that is cut off was stopped', async () => {
    const brittle = { brittle: { lab_name: lab, name: 'far_arm' } };
    const task = {
      name: 'far',
      type: 'misbehave',
      devices: brittle,
      input_parameters: { mode: 'long_step' },
    };
    expect((await api.submit('tasks', task)).status).toBe(201);
    await eventually(
      () => api.device('far_arm'),
      ({ doing }) => doing?.attempt_id !== undefined,
    );
    cable.silence('up', 'down');
    await eventually(
      () => api.device('far_arm'),
      ({ state }) => state === 'unreachable',
    );
    const said = await say('cancel', 'task', 'far');
    expect([said.code, said.out]).toEqual([3, 'far: running\n']);
    expect(said.err).toMatch(/^NOT CONFIRMED: far may go on\. Computer far is not heard since /);
    cable.heal({ reset: true });
    await eventually(
      () => api.task('far'),
      ({ state }) => state === 'cancelled',
    );
  });
});

describe('svc estop', () => {
  it('confirms what the agents confirm, and waits for what still moves', async () => {
    await moveFar();
    const said = await say('estop', '--wait', '--json');
    expect([said.code, said.err]).toEqual([0, '']);
    const report = JSON.parse(said.out) as EmergencyStopReport;
    expect(report).toMatchObject({ confirmed: true, complete: true, scope: 'all' });
    expect(statesOf(report)).toEqual({ far_arm: 'stopped', near_arm: 'stopped' });
  });

  it('names the arm that moves on a computer that is cut off', async () => {
    await moveFar();
    cable.silence('up', 'down');
    const said = await say('estop', '--reason', 'spill');
    expect(said.code).toBe(3);
    expect(said.seconds).toBeLessThan(longestS);
    expect(said.err).toMatch(/^NOT CONFIRMED: 1 of 2 devices\. Use the hardware switch/);
    expect(said.out).toMatch(
      /two_benches\.far_arm +far +not_reached +busy at .*: step \{"seconds":60\} since/,
    );
    expect(said.out).toMatch(/two_benches\.near_arm +svc_computer +stopped\n/);
    const arm = await eventually(
      () => api.device('far_arm'),
      ({ state }) => state === 'unreachable',
    );
    expect(arm).toMatchObject({ last_known: { state: 'busy' }, doing: { function: 'step' } });
  });

  it('names the devices of an agent that is suspended', async () => {
    processes.get('near')?.kill('SIGSTOP');
    const said = await say('estop', '--json');
    expect([said.code, said.seconds < longestS]).toEqual([3, true]);
    const report = JSON.parse(said.out) as EmergencyStopReport;
    expect(statesOf(report)).toEqual({ far_arm: 'stopped', near_arm: 'not_reached' });
  });

  it('says that nobody was told when the broker is frozen', async () => {
    await moveFar();
    // The gateway looks every 2 s at what the devices do.
    await sleep(3_000);
    await nats.pause();
    const said = await say('estop');
    expect([said.code, said.seconds < longestS]).toEqual([3, true]);
    expect(said.err).toMatch(/^NOT CONFIRMED: .*Every device may be moving/);
    expect(said.err).toContain(
      'two_benches.far_arm: on computer far, may be moving: step {"seconds":60} since ',
    );
  });

  it('confirms the devices while no orchestrator and no database answers', async () => {
    await moveFar();
    processes.get('orchestrator')?.kill('SIGSTOP');
    const said = await say('estop', '--json');
    expect([said.code, said.seconds < longestS]).toEqual([0, true]);
    const report = JSON.parse(said.out) as EmergencyStopReport;
    expect([report.engaged_at, report.confirmed]).toEqual([null, true]);
    processes.get('orchestrator')?.kill('SIGCONT');
    await eventually(
      async () => (await api.call<EmergencyStopReport>('GET', `/api/estop/${report.id}`)).body,
      ({ engaged_at: at }) => at !== null,
    );
  });

  it('names the devices when the gateway answers late', async () => {
    processes.get('gateway')?.kill('SIGSTOP');
    const said = await sayAnd(['estop'], () => processes.get('gateway')?.kill('SIGCONT'));
    expect([said.code, said.seconds < longestS]).toEqual([0, true]);
    expect(said.err).toMatch(/^NOT CONFIRMED: .*Every device may be moving\..* has not answered yet/);
    expect(said.out).toMatch(/^stopped: all /);
    expect(said.out).toMatch(/^two_benches\.far_arm +far +stopped$/m);
  });

  it('says that nothing is known when the gateway is suspended or dead', async () => {
    processes.get('gateway')?.kill('SIGSTOP');
    const silent = await say('estop');
    processes.get('gateway')?.kill('SIGCONT');
    await end('gateway', 'SIGKILL');
    const dead = await say('estop');
    start('gateway', ['gateway']);
    for (const said of [silent, dead]) {
      expect([said.code, said.seconds < longestS]).toEqual([3, true]);
      expect(said.err).toMatch(/^NOT CONFIRMED: .*Every device may be moving\. Use the hardware switches\./);
    }
  });
});
