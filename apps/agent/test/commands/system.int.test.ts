import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify, processEnvironment } from '@lab/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StandIn } from '../joining/stand-in.js';
import { runCommand, type Outcome } from './program.js';

const launcher = '/opt/svc-agent/svc-agent';
let folder: string;
let gateway: StandIn;
let environment: Record<string, string | undefined>;
const children: ChildProcess[] = [];

beforeAll(async () => void (gateway = await StandIn.start()));
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.answers['/agents/join'] = ({ key }) => gateway.admission(key, 'bench_a');
  folder = mkdtempSync(join(tmpdir(), 'lab-system-'));
  environment = processEnvironment();
  mkdirSync(join(folder, 'bin'));
  vi.stubEnv('PATH', join(folder, 'bin'));
  vi.stubEnv('HOME', folder);
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  // "run" sets variables for the agent.
  for (const name of Object.keys(processEnvironment())) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const data = (): string => join(folder, 'data');
const unit = (): string => join(folder, 'config', 'systemd', 'user', 'svc-agent.service');
const run = (...args: string[]): Promise<Outcome> =>
  runCommand([...args, '--data', data()], { launcher, platform: 'linux' });

/** A program on the PATH that keeps what it was called with. @param script what else it does */
function program(name: string, script = ''): () => string[] {
  const path = join(folder, 'bin', name);
  const calls = join(folder, `${name}-calls`);
  writeFileSync(path, `#!/bin/sh\necho "$*" >> ${calls}\n${script}\n`);
  chmodSync(path, 0o755);
  return () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
}

/** A process that has a data folder like an agent, and ends when it is asked to. @returns its number */
async function runningAgent(): Promise<number> {
  mkdirSync(data(), { recursive: true });
  const request = join(data(), 'stop-requested');
  const child = spawn('/bin/sh', ['-c', `while [ ! -e ${request} ]; do /bin/sleep 0.05; done`]);
  children.push(child);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  writeFileSync(join(data(), 'svc-agent.lock'), `${JSON.stringify(identify(pid))}\n`);
  return pid;
}

describe('svc-agent service on Linux', () => {
  it('is written and started, and removed without the data', async () => {
    const calls = program('systemctl');
    mkdirSync(data());
    const installed = await run('service', 'install');
    expect(installed).toMatchObject({
      failure: undefined,
      text: `wrote ${unit()}\nThe service runs while you are logged in. To let it run always: loginctl enable-linger`,
    });
    expect(readFileSync(unit(), 'utf8')).toContain(`\nExecStart=${launcher} run --data ${data()}\n`);
    expect(calls()).toEqual(['--user daemon-reload', '--user enable --now svc-agent.service']);
    expect((await run('service', 'uninstall')).text).toBe(`removed ${unit()}`);
    expect(calls().at(-1)).toBe('--user disable --now svc-agent.service');
    expect([existsSync(unit()), existsSync(data())]).toEqual([false, true]);
  });

  it('fails with the command that failed', async () => {
    program('systemctl', 'exit 4');
    expect((await run('service', 'install')).failure).toBe(
      '"systemctl --user daemon-reload" ended with 4; its output above says why',
    );
    expect((await run('service', 'uninstall')).failure).toContain('ended with 4');
    // The service stays until the system has stopped it.
    expect(existsSync(unit())).toBe(true);
  });

  it('fails on a computer without systemd', async () => {
    expect((await run('service', 'install')).failure).toBe(
      '"systemctl" cannot be run: spawnSync systemctl ENOENT',
    );
  });

  it('that a signal ended counts as failed', async () => {
    program('systemctl', 'kill -9 $$');
    expect((await run('service', 'install')).failure).toContain('ended with 1');
  });

  it('has the status that the system gives', async () => {
    const calls = program('systemctl', 'exit 3');
    expect((await run('service', 'status')).exitCode).toBe(3);
    expect(calls()).toEqual(['--user --no-pager status svc-agent.service']);
  });
});

describe('svc-agent service on other systems', () => {
  const printed = (platform: NodeJS.Platform, ...args: string[]): Promise<Outcome> =>
    runCommand(['service', 'install', '--print', ...args], { launcher, platform });

  it('is a launch agent on macOS, and a task of its user on Windows', async () => {
    const mac = await printed('darwin', '--data', data());
    expect(mac.text).toContain(`# ${folder}/Library/LaunchAgents/svc-agent.plist`);
    expect(mac.text).toMatch(/\nlaunchctl bootstrap gui\/\d+ /);
    vi.stubEnv('USERDOMAIN', 'LAB');
    vi.stubEnv('USERNAME', 'ann');
    const windows = await printed('win32', '--data', data());
    expect(windows.text).toContain(String.raw`<UserId>LAB\ann</UserId>`);
    expect(windows.text).toContain('schtasks /run /tn svc-agent');
  });

  it('says where there is none', async () => {
    expect((await printed('darwin', '--system')).failure).toBe(
      '--system is for Linux, and this is darwin; leave it out to install for this user',
    );
    expect((await printed('freebsd')).failure).toContain('there is no service for freebsd');
  });
});

describe('svc-agent join', () => {
  it('installs the service and starts it', async () => {
    const calls = program('systemctl');
    const { text, failure } = await run('join', gateway.url, gateway.token);
    expect(failure).toBeUndefined();
    expect(text).toMatch(/^Joined as bench_a\. .*\nwrote .*svc-agent\.service\n/);
    expect(calls()).toEqual(['--user daemon-reload', '--user enable --now svc-agent.service']);
  });

  it('stops the agent that runs with the old credentials before it starts the service again', async () => {
    const calls = program('systemctl');
    await run('join', gateway.url, gateway.token);
    const pid = await runningAgent();
    const { text, failure } = await run('join', gateway.url, gateway.token, '--again');
    expect(failure).toBeUndefined();
    expect(text).toContain(`\nThe agent that ran before, process ${pid}, has stopped.\nwrote `);
    expect(calls()).toHaveLength(4);
  });

  it('says that it waits, and fails with the sentence of the service', async () => {
    let asked = 0;
    gateway.answers['/agents/join'] = () =>
      asked++ === 0 ? { status: 202, body: {} } : { status: 403, body: { detail: 'Not this computer.' } };
    const { text, failure } = await run('join', gateway.url, gateway.token, '--no-service');
    expect(text).toBe('Waiting until an administrator approves this computer (svc agent approve) ...');
    expect(failure).toBe('Not this computer.');
  });
});

describe('svc-agent doctor', () => {
  it.each([
    [['lab-server:8443'], 'must begin with https://'],
    [['https://lab-server', '--proxy', 'socks5://proxy'], 'must look like http://proxy.example.org:3128'],
  ])('refuses the address in %s', async (args, sentence) => {
    expect((await run('doctor', ...args)).failure).toContain(sentence);
  });

  it('wants an address also when the settings were not made by an invitation', async () => {
    mkdirSync(data());
    const env = { SVC_NATS_URL: 'nats://127.0.0.1:4222' };
    writeFileSync(join(data(), 'joined.json'), JSON.stringify({ version: 1, computer: 'b', env }));
    expect((await run('doctor')).failure).toContain('give the address of one: svc-agent doctor https:');
  });
});

describe('svc-agent run', () => {
  const joined = { version: 1, computer: 'bench_a', env: { SVC_NATS_URL: 'wss://lab:8443/agents/broker' } };

  it('serves with what the computer got when it joined, until it is asked to stop', async () => {
    mkdirSync(data());
    writeFileSync(join(data(), 'joined.json'), JSON.stringify(joined));
    let ends = 0;
    const served: (string | undefined)[] = [];
    const serve = (): Promise<void> => {
      const env = processEnvironment();
      served.push(env['SVC_COMPUTER'], env['SVC_NATS_URL'], env['SVC_DATA_DIR']);
      return Promise.resolve();
    };
    const end = (): void => void (ends += 1);
    const { failure } = await runCommand(['run', '--data', data()], { serve, end });
    expect([failure, served]).toEqual([undefined, ['bench_a', 'wss://lab:8443/agents/broker', data()]]);
    expect(ends).toBe(0);
    writeFileSync(join(data(), 'stop-requested'), '');
    await expect.poll(() => ends).toBe(1);
    expect((await runCommand(['run', '--data', data()])).failure).toContain(
      'an agent runs already as process',
    );
  });

  it('takes another name from the command, and the broker from the environment', async () => {
    vi.stubEnv('SVC_NATS_URL', 'nats://127.0.0.1:4222');
    let name: string | undefined;
    const serve = (): Promise<void> => Promise.resolve(void (name = processEnvironment()['SVC_COMPUTER']));
    await runCommand(['run', '--data', data(), '--computer', 'bench_z'], { serve });
    expect(name).toBe('bench_z');
  });
});

describe('svc-agent stop', () => {
  it('waits until the agent has ended', async () => {
    const pid = await runningAgent();
    expect((await run('stop')).text).toBe(`the agent, process ${pid}, has stopped`);
  });
});
