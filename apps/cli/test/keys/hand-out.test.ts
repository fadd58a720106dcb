import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@lab/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { handOut } from '../../src/keys/index.js';
import { OwnAuthority } from '../../src/stack/own-authority.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hand-out-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const data = (): string => join(folder, 'data');
const out = (...path: string[]): string => join(folder, 'out', ...path);
const text = (...path: string[]): string => readFileSync(out(...path), 'utf8').trim();

it('each process gets what its role needs, in files that only this user reads, and nothing else', async () => {
  await OwnAuthority.kept(data());
  const paths = await handOut(data(), out(), 'svc_computer');
  const files = Object.fromEntries(readdirSync(out()).map((name) => [name, readdirSync(out(name)).sort()]));
  expect(files).toEqual({
    gateway: ['act-key', 'agent-issuer', 'ca.pem', 'nats-credentials', 'secrets-key', 'upload-secret'],
    orchestrator: [
      ...['act-public-key', 'authority-key', 'broker-keys'],
      ...['ca.pem', 'nats-credentials', 'upload-secret'],
    ],
    optimizer: ['ca.pem', 'nats-credentials', 'secrets-key'],
    agent: ['ca.pem', 'nats-credentials'],
  });
  expect(new Set(paths.map((path) => statSync(path).mode & 0o777))).toEqual(new Set([0o600]));
  expect(text('gateway', 'upload-secret')).toBe(text('orchestrator', 'upload-secret'));
  expect(text('gateway', 'secrets-key')).toBe(text('optimizer', 'secrets-key'));
  const { x } = JSON.parse(text('gateway', 'act-key')) as { x: string };
  expect(text('orchestrator', 'act-public-key')).toBe(x);
});

it('the same keys are handed out again', async () => {
  const first = await handOut(data(), out(), 'svc_computer');
  const before = first.map((path) => readFileSync(path, 'utf8'));
  const second = await handOut(data(), out(), 'svc_computer');
  expect(second.map((path) => readFileSync(path, 'utf8'))).toEqual(before);
});

it('a secret of the configuration is handed out in place of one of the data folder', async () => {
  const given = { uploadSecret: new Secret('the secret of the configuration, long enough') };
  await handOut(data(), out(), 'svc_computer', given);
  expect(text('gateway', 'upload-secret')).toBe(given.uploadSecret.reveal());
  expect(text('orchestrator', 'upload-secret')).toBe(given.uploadSecret.reveal());
});
