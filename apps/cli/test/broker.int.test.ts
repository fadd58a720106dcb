import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@lab/messaging';
import { startNats } from '@lab/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { svcProgram } from '../src/program.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-broker-'));
  vi.stubEnv('SVC_DATA_DIR', join(folder, 'data'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** What `svc broker` prints. */
async function printed(...args: string[]): Promise<string> {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  try {
    await svcProgram().parseAsync(['node', 'svc', 'broker', ...args]);
  } finally {
    write.mockRestore();
  }
  return written.join('');
}

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

it('svc broker says in one sentence why it cannot print', async () => {
  vi.stubEnv('SVC_DATA_DIR', join(folder, 'nats.conf'));
  const errors: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => errors.push(String(text)) > 0);
  await printed('credentials', 'agent', 'bench b');
  write.mockRestore();
  expect(errors.join('')).toMatch(/^[^\n]*nats\.conf[^\n]*\n$/);
  expect(process.exitCode).toBe(1);
  process.exitCode = 0;
});
