import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@lab/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BrokerAccess, takesCredentials } from '../../src/stack/broker-access.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'broker-access-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');

it('the keys of a data folder are made once, in a file of this user', async () => {
  expect(BrokerAccess.present(folder)).toBeUndefined();
  await BrokerAccess.kept(folder);
  const keys = secret('broker-keys');
  await BrokerAccess.kept(folder);
  expect(secret('broker-keys')).toBe(keys);
  expect(statSync(join(folder, 'secrets', 'broker-keys')).mode & 0o777).toBe(0o600);
});

it('what was signed is kept until the keys change', async () => {
  const access = await BrokerAccess.kept(folder);
  const settings = await access.serverSettings();
  const path = await access.credentials('agent', 'bench b');
  expect(path).toBe(join(folder, 'secrets', 'nats-credentials-agent-bench%20b'));
  const credentials = readFileSync(path, 'utf8');
  const again = await BrokerAccess.kept(folder);
  expect(await again.serverSettings()).toEqual(settings);
  await again.credentials('agent', 'bench b');
  expect(readFileSync(path, 'utf8')).toBe(credentials);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  rmSync(join(folder, 'secrets', 'broker-keys'));
  const other = await BrokerAccess.kept(folder);
  expect(await other.serverSettings()).not.toEqual(settings);
  await other.credentials('agent', 'bench b');
  expect(readFileSync(path, 'utf8')).not.toBe(credentials);
});

it('credentials of several processes that are made at once are all kept', async () => {
  const access = await BrokerAccess.kept(folder);
  const names = ['gateway', 'orchestrator', 'optimizer'] as const;
  await Promise.all(names.map((role) => access.credentials(role, role)));
  const { credentials } = JSON.parse(secret('broker-access')) as { credentials: Record<string, string> };
  expect(Object.keys(credentials).sort()).toEqual(names.map((role) => `${role} ${role}`).sort());
});

it('a damaged file of what was signed is signed anew, and damaged keys are an error in one sentence', async () => {
  const access = await BrokerAccess.kept(folder);
  await access.serverSettings();
  writeFileSync(join(folder, 'secrets', 'broker-access'), '{"stamp":');
  expect(await access.serverSettings()).not.toEqual([]);
  writeFileSync(join(folder, 'secrets', 'broker-keys'), 'SOSECRET');
  const damaged = await BrokerAccess.kept(folder);
  await expect(damaged.serverSettings()).rejects.toThrow('The file with the keys of the broker is no JSON.');
});

it('the key of the authority is a file of its own for orchestrators', async () => {
  const access = await BrokerAccess.kept(folder);
  const path = access.authorityKey();
  const { authority } = JSON.parse(secret('broker-keys')) as { authority: object };
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(authority);
});

it('an address with a user needs no credentials', () => {
  expect(takesCredentials(undefined)).toBe(true);
  expect(takesCredentials(new Secret('nats://127.0.0.1:4222'))).toBe(true);
  expect(takesCredentials(new Secret('nats://lab:lab@127.0.0.1:4222'))).toBe(false);
});

it('a data folder may have no folder for secrets yet', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  await BrokerAccess.kept(empty);
  expect(BrokerAccess.present(empty)).toBeDefined();
});
