import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processEnvironment } from '@lab/runtime';
import { decode } from '@nats-io/jwt';
import { partsOf } from '@lab/trust/nkeys';
import { JoinableService } from './service.js';

/** The key that admits agents is replaced while a real agent works at a real service. */

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
  spawn(process.execPath, [agent, 'run', '--data', data()], { stdio: 'ignore' });
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
const rotate = async (...flags: string[]): Promise<string> =>
  (await run(process.execPath, [svc, 'keys', 'rotate', 'agent-issuer', ...flags], { env: env() })).stdout;

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
