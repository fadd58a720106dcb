import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { proxyOf } from '../../src/commands/join.js';
import { writePointer } from '../../src/keeping/index.js';
import { JoinableService } from '../joining/service.js';
import { runCommand, type Outcome } from './program.js';

/** The built program: a child process cannot run sources. */
const program = fileURLToPath(new URL('../../dist/svc-agent.js', import.meta.url));

let service: JoinableService;
let folder: string;

beforeAll(async () => void (service = await JoinableService.start()));
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'lab-commands-'))));
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
});
afterAll(() => service.stack.dispose());

const run = (args: string[], launcher?: string): Promise<Outcome> => runCommand(args, { launcher });
const data = (): string[] => ['--data', folder];

describe('svc-agent join', () => {
  it('joins without a service of the system, and says how to start', async () => {
    const token = await service.invite('bench_a');
    const { text, failure } = await run(['join', service.url, token, '--no-service', ...data()]);
    expect(failure).toBeUndefined();
    expect(text).toMatch(/^Joined as bench_a\. Credentials until .*Z, renewed by the agent\./);
    expect(text).toContain('Start the agent with "svc-agent run".');
  });

  it('does not join a second time by mistake', async () => {
    const join = async (...more: string[]) =>
      run([
        ...['join', service.url, await service.invite('pair_*', { uses: 2 }), '--computer', 'pair_1'],
        ...['--no-service', ...data(), ...more],
      ]);
    await join();
    expect((await join()).failure).toContain('this computer has joined as pair_1');
    // The name is taken: whoever joins again first revokes the agent that had it.
    expect((await join('--again')).failure).toContain('pair_1');
    await service.revoke('pair_1');
    expect((await join('--again')).text).toContain('Joined as pair_1.');
  });

  it('takes the name of the host when the invitation leaves the name open', async () => {
    const token = await service.invite('*', { uses: 2 });
    const { text } = await run(['join', service.url, token, '--no-service', ...data()]);
    expect(text).toContain(`Joined as ${hostname()}.`);
  });

  it('has joined also when no service can be installed, and says so', async () => {
    const { failure } = await run(['join', service.url, await service.invite('bench_e'), ...data()]);
    expect(failure).toMatch(/^This computer has joined, but no service was installed: .*svc-agent run/s);
    expect(existsSync(join(folder, 'joined.json'))).toBe(true);
  });
});

describe('svc-agent doctor', () => {
  it('wants an address before the computer has joined', async () => {
    expect((await run(['doctor', ...data()])).failure).toContain('give the address of one');
  });

  it('prints each layer, and ends with 1 at the one that does not work', async () => {
    const { text, exitCode } = await run(['doctor', service.url, ...data()]);
    expect(text).toMatch(/^svc-agent 1\.2\.3 on Node /);
    expect(text).toMatch(/^ok {4}TCP/m);
    expect(text).toMatch(/^FAIL {2}TLS .*until it has joined$/m);
    expect(exitCode).toBe(1);
  });

  it('examines the service that the computer joined', async () => {
    await run(['join', service.url, await service.invite('bench_c'), '--no-service', ...data()]);
    const { text, exitCode } = await run(['doctor', ...data()]);
    expect(text).toMatch(/^ok {4}credential {2}bench_c is admitted until /m);
    expect(text).toMatch(/^ok {4}broker {6}the broker accepts this agent$/m);
    expect(text).toMatch(
      /^ok {4}release {5}this agent speaks version 1 of the protocol, and the service version 1$/m,
    );
    expect(exitCode).toBeUndefined();
    // Another address is examined without what this computer got from its own service.
    const other = await run(['doctor', 'https://127.0.0.1:1', ...data()]);
    expect(other.text).toMatch(/^FAIL {2}TCP .*127\.0\.0\.1:1/m);
    expect(other.exitCode).toBe(1);
  });
});

describe('svc-agent run', () => {
  it('says that the computer has not joined', async () => {
    const { failure, served } = await run(['run', ...data()]);
    expect(failure).toBe(
      `this computer has not joined a service: ${folder} has no joined.json, and SVC_NATS_URL is not set`,
    );
    expect(served).toBe(0);
  });

  it('refuses a file of the folder that is damaged', async () => {
    writeFileSync(join(folder, 'joined.json'), '{');
    expect((await run(['run', ...data()])).failure).toContain('it is not JSON; join the service again');
  });
});

describe('svc-agent stop', () => {
  it('stops an agent in order, which came online although its credentials had ended while it was off', async () => {
    await run(['join', service.url, await service.invite('bench_b'), '--no-service', ...data()]);
    const file = join(folder, 'agent.creds');
    const ended = await service.ending(readFileSync(file, 'utf8'), 'bench_b', -30 * 86_400_000);
    writeFileSync(file, ended);
    const options = { env: { PATH: '' }, stdio: 'ignore' } as const;
    const agent = spawn(process.execPath, [program, 'run', ...data()], options);
    const gone = once(agent, 'exit');
    try {
      await expect.poll(() => service.online(), { timeout: 30_000 }).toContain('bench_b');
      expect(readFileSync(file, 'utf8')).not.toBe(ended);
      expect((await run(['stop', ...data()])).text).toMatch(/^the agent, process \d+, has stopped$/);
      expect(await gone).toEqual([0, null]);
    } finally {
      agent.kill('SIGKILL');
    }
  });

  it('says that no agent runs', async () => {
    expect((await run(['stop', ...data()])).text).toBe(`no agent runs on ${folder}`);
  });
});

describe.runIf(process.platform === 'linux')('svc-agent service', () => {
  const launcher = '/opt/svc-agent/svc-agent';

  it('prints what it would write and run', async () => {
    const { text } = await run(['service', 'install', '--print', ...data()], launcher);
    expect(text).toContain('.config/systemd/user/svc-agent.service');
    expect(text).toContain(`ExecStart=${launcher} run --data ${folder}\n`);
    expect(text).toContain('systemctl --user enable --now svc-agent.service');
    const system = await run(['service', 'install', '--print', '--system'], launcher);
    expect(system.text).toContain('# /etc/systemd/system/svc-agent.service');
  });

  it.each([
    ['without the launcher', [], undefined, 'a service needs the launcher svc-agent of the package'],
    [
      'for the computer with a data folder',
      ['--system', '--data', '/srv'],
      launcher,
      '--data does not go with',
    ],
    [
      'for the computer from a folder that it cannot read',
      ['--system'],
      '/home/ann/svc-agent',
      'unpack the agent outside of home and temporary folders',
    ],
  ])('is not installed %s', async (_what, more, from, reason) => {
    const { failure } = await run(['service', 'install', '--print', ...more], from);
    expect(failure).toContain(reason);
  });
});

describe('svc-agent update', () => {
  it('needs a service that the computer joined', async () => {
    expect((await run(['update', ...data()])).failure).toContain(
      'this computer has not joined a service with an invitation',
    );
  });

  it('asks the service that the computer joined, over its own authority', async () => {
    await run(['join', service.url, await service.invite('bench_d'), '--no-service', ...data()]);
    const { text, failure } = await run(['update', '--check', ...data()]);
    expect(failure).toBeUndefined();
    expect(text).toMatch(/^This computer runs version 1\.2\.3, and the service has no newer one for /);
    expect((await run(['update', '--to', '9.9.9', ...data()])).failure).toMatch(
      /^the service has no version 9\.9\.9 for /,
    );
  });
});

describe('svc-agent version', () => {
  it('prints the versions', async () => {
    expect((await run(['version', ...data()])).text).toMatch(
      /^svc-agent 1\.2\.3, protocol \d+, Node \d+\.\d+\.\d+ \(ABI \d+\), [^\n]*$/,
    );
  });

  it('prints the version that runs, and the update that failed', async () => {
    const failed = { version: '1.4.0', why: 'it ended with exit code 3', at: '2026-03-01T10:00:00.000Z' };
    const pointer = { version: '1.3.0', trial: true, starts: 0, previous: null, failed };
    writePointer(folder, pointer, 'update');
    const { text } = await run(['version', ...data()]);
    expect(text).toContain('"svc-agent run" runs version 1.3.0, which has not served yet');
    expect(text).toContain(
      'the update to 1.4.0 failed at 2026-03-01T10:00:00.000Z: it ended with exit code 3',
    );
    writePointer(folder, { ...pointer, version: null, trial: false }, 'update');
    expect((await run(['version', ...data()])).text).toContain('"svc-agent run" runs version 1.2.3\n');
  });
});

describe('the proxy of an address', () => {
  it('is the one of the system, except for the hosts that the system excepts', () => {
    try {
      vi.stubEnv('HTTPS_PROXY', 'http://proxy:3128');
      vi.stubEnv('NO_PROXY', 'lab-server, .inside.example');
      expect(proxyOf('https://elsewhere:8443')).toBe('http://proxy:3128');
      expect(proxyOf('https://lab-server:8443')).toBeUndefined();
      expect(proxyOf('https://a.inside.example')).toBeUndefined();
      vi.stubEnv('NO_PROXY', '*');
      expect(proxyOf('https://elsewhere:8443')).toBeUndefined();
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
