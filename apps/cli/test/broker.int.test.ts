import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@lab/messaging';
import { startNats } from '@lab/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { svcHere, type Ran } from './in-process.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-broker-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const broker = (...args: string[]): Promise<Ran> =>
  svcHere(['broker', ...args], { env: { SVC_DATA_DIR: join(folder, 'data') } });
const printed = async (...args: string[]): Promise<string> => (await broker(...args)).out;

it('svc broker makes a nats-server that accepts an agent with its credentials, and nobody else', async () => {
  const config = join(folder, 'nats.conf');
  const accounts = join(folder, 'accounts');
  writeFileSync(config, await printed('config', '--listen', '127.0.0.1:-1', '--accounts', accounts));
  const nats = await startNats({ args: ['-c', config] });
  const credentials = await printed('credentials', 'agent', 'bench b');
  const bus = await connectBus({ url: nats.url, role: 'agent', name: 'bench b', credentials });
  expect(bus.connected).toBe(true);
  const refused = connectBus({ url: nats.url, role: 'agent', name: 'bench b' });
  await expect(refused).rejects.toMatchObject({ code: 'unauthorized' });
  await bus.close();
  await nats.stop();
});

it('svc broker certificate and --tls make a nats-server that everybody must reach encrypted', async () => {
  const out = join(folder, 'certified');
  expect(await printed('certificate', '127.0.0.1', 'lab-server', '--out', out)).toBe(
    `wrote certificate.pem, key.pem and ca.pem to ${out}\n`,
  );
  expect(statSync(join(out, 'key.pem')).mode & 0o777).toBe(0o600);
  const config = join(folder, 'nats-tls.conf');
  const accounts = join(folder, 'accounts-tls');
  const settings = ['--listen', '127.0.0.1:-1', '--accounts', accounts, '--tls', out];
  writeFileSync(config, await printed('config', ...settings));
  const nats = await startNats({ args: ['-c', config] });
  const credentials = await printed('credentials', 'agent', 'bench b');
  const identity = { role: 'agent', name: 'bench b', credentials } as const;
  const url = nats.url.replace('nats://', 'tls://');
  const authorities = readFileSync(join(out, 'ca.pem'), 'utf8');
  const bus = await connectBus({ ...identity, url, authorities });
  expect(bus.connected).toBe(true);
  await bus.close();
  for (const wrong of [{ url: nats.url }, { url }])
    await expect(connectBus({ ...identity, ...wrong, connectTimeoutMs: 300 })).rejects.toThrow();
  await nats.stop();
});

it.each([
  [['credentials', 'agent', 'bench b']],
  [['config', '--listen', '127.0.0.1:4222']],
  [['certificate', 'lab-server', '--out', 'nowhere']],
])('svc broker %j says in one sentence why it cannot use the data folder', async (args) => {
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  const { code, out, err } = await svcHere(['broker', ...args], { env: { SVC_DATA_DIR: file } });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^[^\n]*no-folder[^\n]*\n$/);
});

it('svc broker refuses a kind of process that does not exist, and lists those that do', async () => {
  const { code, err } = await broker('credentials', 'robot', 'bench b');
  expect(code).toBe(2);
  expect(err).toMatch(/robot.*Allowed choices are .*agent/);
});
