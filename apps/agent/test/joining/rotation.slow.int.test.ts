import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processEnvironment } from '@lab/runtime';
import { decode } from '@nats-io/jwt';
import { partsOf } from '@lab/trust/nkeys';
import { JoinableService } from './service.js';

/** Keys of a real service are replaced while a real agent works. */

const run = promisify(execFile);
const svc = fileURLToPath(new URL('../../../cli/bin/svc.mjs', import.meta.url));
const agent = fileURLToPath(new URL('../../dist/svc-agent.js', import.meta.url));

/** Declares bench_c. */
const laboratory = fileURLToPath(new URL('../../../../e2e/fixtures/two_computers', import.meta.url));

let service: JoinableService;
let folder: string;
let child: ChildProcess;
const data = (): string => join(folder, 'data');
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lab-rotation-'));
  const packages = join(folder, 'packages');
  cpSync(laboratory, join(packages, 'two_computers'), { recursive: true });
  service = await JoinableService.start('two_computers', packages);
  await run(process.execPath, [
    agent,
    'join',
    service.url,
    await service.invite('bench_c'),
    '--data',
    data(),
    '--no-service',
  ]);
  child = start();
}, 120_000);
afterAll(async () => {
  await end();
  await service?.stack.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): ChildProcess =>
  spawn(process.execPath, [agent, 'run', '--data', data()], { stdio: 'ignore', cwd: folder });
async function end(): Promise<void> {
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Public key of the service that signed the credentials of the agent. */
const issuer = (): string => decode(partsOf(readFileSync(join(data(), 'agent.creds'), 'utf8')).statement).iss;
const isOnline = (computer: string): Promise<unknown> =>
  expect.poll(async () => (await service.online()).includes(computer), { timeout: 60_000 }).toBe(true);
const env = () => ({ ...processEnvironment(), SVC_DATA_DIR: service.stack.dataDir });
const replace = async (key: string, ...flags: string[]): Promise<string> =>
  (await run(process.execPath, [svc, 'keys', 'rotate', key, ...flags], { env: env() })).stdout;
const rotate = (...flags: string[]): Promise<string> => replace('agent-issuer', ...flags);

/** Waits until the gateway shows a certificate of the present authority, and no other one. */
const certified = (): Promise<unknown> =>
  expect
    .poll(() => service.read('/health/live').catch(() => undefined), { timeout: 60_000, interval: 500 })
    .toBeDefined();

/** Runs a task on bench_c whose file goes to the gateway over a new connection. */
async function carry(name: string): Promise<void> {
  const devices = { arm: { lab_name: 'two_computers', name: 'far_arm' } };
  await service.ask('/api/tasks', {
    ...{ name, type: 'carry', devices, input_parameters: { seconds: 0, to: name } },
  });
  const state = async (): Promise<unknown> => {
    const task = await service.read<{ state: string; output_files: unknown[] }>(`/api/tasks/${name}`);
    return [task.state, task.output_files.length];
  };
  await expect.poll(state, { timeout: 60_000, interval: 200 }).toEqual(['completed', 1]);
}

const trusted = (): string => readFileSync(join(data(), 'ca.pem'), 'utf8');

const keyFile = (): string => join(data(), 'service-keys');
const believed = (): string[] => {
  const { keys } = JSON.parse(readFileSync(keyFile(), 'utf8')) as { keys: { x: string }[] };
  return keys.map(({ x }) => x);
};
/** The newest key of the service. */
const newest = (): string => {
  const ring = JSON.parse(readFileSync(join(service.stack.dataDir, 'secrets', 'authority-key'), 'utf8')) as {
    keys: { key: { x: string } }[];
  };
  return ring.keys[0]?.key.x ?? '';
};

describe('a new certificate authority and a new key of the service', () => {
  it('with an overlap disturb no agent, and are known to it before they sign', async () => {
    await isOnline('bench_c');
    expect(await replace('ca', '--overlap', '2d')).toMatch(/ca is new, and signs from .* on\./);
    expect(await replace('authority', '--overlap', '2d')).toMatch(/authority is new, and signs from .* on\./);
    await carry('overlap');
    expect(trusted()).toBe(service.authority);
    await end();
    child = start();
    await isOnline('bench_c');
    await expect
      .poll(trusted, { timeout: 30_000 })
      .toBe(readFileSync(join(service.stack.dataDir, 'ca.pem'), 'utf8'));
    expect(trusted()).toContain(service.authority);
    expect(believed()).toHaveLength(2);
    await carry('known');
  });

  it('at once are taken by an agent that needs a new connection and signed code, which loses no file', async () => {
    expect(await replace('authority', '--now')).toContain('Agents believe nothing that is signed with');
    await replace('ca', '--now');
    await certified();
    await carry('at_once');
    await expect.poll(believed, { timeout: 45_000 }).toEqual([newest()]);
    expect(trusted()).not.toContain(service.authority);
  });

  it('while an agent is off, also several times, are taken when it starts again', async () => {
    await end();
    const before = trusted();
    for (const key of ['authority', 'ca', 'authority']) await replace(key, '--now');
    await certified();
    child = start();
    await isOnline('bench_c');
    expect(trusted()).not.toBe(before);
    await carry('off');
    expect(believed()).toEqual([newest()]);
  });
});

describe('new keys of the processes of the service', () => {
  it('let the service go on, with an overlap and at once', async () => {
    expect(await replace('process-issuer', '--overlap', '1d')).toContain('process-issuer is new.');
    await carry('process_overlap');
    expect(await replace('process-issuer', '--now')).toContain('cuts off processes');
    // Longer than the leading orchestrator needs to tell the broker.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    for (const computer of ['bench_c', 'svc_computer']) await isOnline(computer);
    await carry('process_at_once');
  });
});

describe('a new key that admits agents', () => {
  it('with an overlap disturbs no agent', async () => {
    await isOnline('bench_c');
    const before = issuer();
    expect(await rotate('--overlap', '8d')).toMatch(
      /agent-issuer is new, and signs from .* on\. The key before is accepted until /,
    );
    await expect(rotate('--overlap', '1d')).rejects.toMatchObject({
      stderr: expect.stringContaining('Give --overlap 7d or more') as string,
    });
    // Longer than the orchestrator needs to tell the broker.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect([...(await service.online())].sort()).toEqual(['bench_c', 'svc_computer']);
    expect(issuer()).toBe(before);
    const update = await run(process.execPath, [agent, 'update', '--check', '--data', data()]);
    expect(update.stdout).toContain('This computer runs version');
  });

  it('at once cuts every agent off, and all that joined renew and come back by themselves', async () => {
    const before = issuer();
    expect(await rotate('--now')).toContain('The broker refuses credentials of the key before within 10 s.');
    await expect.poll(issuer, { timeout: 90_000, interval: 500 }).not.toBe(before);
    for (const computer of ['bench_c', 'svc_computer']) await isOnline(computer);
  });

  it('while an agent is off lets it renew when it starts again', async () => {
    await end();
    const before = issuer();
    await rotate('--now');
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    child = start();
    await expect.poll(issuer, { timeout: 90_000, interval: 500 }).not.toBe(before);
    await isOnline('bench_c');
  });

  it('is not possible for a computer that was revoked', async () => {
    await service.revoke('bench_c');
    const before = issuer();
    await rotate('--now');
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    expect(issuer()).toBe(before);
    expect(await service.online()).not.toContain('bench_c');
  });
});
