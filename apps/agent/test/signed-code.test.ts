import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleReference } from '@lab/contracts';
import { Authority, makeAuthorityKey } from '@lab/trust/authority';
import { CodeSigner, type CodeManifest } from '@lab/trust/code-manifest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SignedCode, type CodeKeys } from '../src/signed-code.js';

const signer = (): CodeSigner => CodeSigner.ofService(new Authority(makeAuthorityKey()));
const [service, lab, stranger] = [signer(), signer(), signer()];
const module: ModuleReference = { hash: 'a'.repeat(64), package: 'my_lab', source: 'devices/pump/device.ts' };
const manifest: CodeManifest = {
  ...{
    version: 1,
    package: 'my_lab',
    package_version: null,
    lock: null,
    made_at: '2026-03-01T10:00:00.000Z',
  },
  modules: [{ source: module.source, sha256: module.hash, dependencies: [] }],
};
const signed = (by: CodeSigner, change: Partial<CodeManifest> = {}): string =>
  by.sign({ ...manifest, ...change });

let folder: string;
let warnings: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signed-code-'));
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function check(keys: Partial<CodeKeys> = {}): SignedCode {
  const silent = (): void => undefined;
  const log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (text: string) => void warnings.push(text),
  };
  return new SignedCode(
    join(folder, 'manifests'),
    { service: () => [service.publicKey], isPromised: () => true, lab: undefined, ...keys },
    { ...log, child: () => log } as never,
  );
}

it('allows a module that the pinned key has signed, also after a restart without asking again', async () => {
  const code = check();
  expect(await code.allows(module)).toBe(false);
  await code.demand(module, { manifest: signed(service) });
  expect(await code.allows(module)).toBe(true);
  expect(await check().allows(module)).toBe(true);
  expect(await check({ service: () => [stranger.publicKey] }).allows(module)).toBe(false);
});

it.each([
  [
    'nothing',
    {},
    'service_unavailable',
    'the orchestrator has sent no signed manifest for my_lab/devices/pump/device.ts',
  ],
  ['a stranger', { manifest: signed(stranger) }, 'forbidden', 'has not signed the manifest of my_lab'],
  ['nobody who can be read', { manifest: 'a.b' }, 'forbidden', 'the manifest of my_lab is damaged'],
  [
    'it for another package',
    { manifest: signed(service, { package: 'p' }) },
    'forbidden',
    'that of the package p',
  ],
  [
    'other code',
    { manifest: signed(service, { modules: [] }) },
    'forbidden',
    'is not in the signed manifest',
  ],
])('refuses a module when %s has signed it, and keeps nothing', async (_, given, code, message) => {
  await expect(check().demand(module, given)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  await expect(readdir(join(folder, 'manifests'))).rejects.toThrow('ENOENT');
  expect(await check().allows(module)).toBe(false);
});

it('demands the code key of the lab in addition to that of the service', async () => {
  const keys = { lab: lab.publicKey };
  await expect(check(keys).demand(module, { manifest: signed(service) })).rejects.toMatchObject({
    code: 'forbidden',
    message: `the package my_lab is not signed, and this computer runs only code that the code key ${lab.publicKey} has signed (SVC_CODE_KEY). Sign the package: svc pkg sign my_lab --key FILE; then load it again`,
  });
  const byService = { manifest: signed(service), lab_manifest: signed(service) };
  await expect(check(keys).demand(module, byService)).rejects.toThrow(
    'the manifest of my_lab is not signed with the code key of this computer',
  );
  await expect(check(keys).demand(module, { lab_manifest: signed(lab) })).rejects.toThrow();
  await check(keys).demand(module, { manifest: signed(service), lab_manifest: signed(lab) });
  expect(await check(keys).allows(module)).toBe(true);
});

it('lets code of an orchestrator of an earlier release run until the service has signed once', async () => {
  const keys = { isPromised: () => false };
  await check(keys).demand(module, {});
  expect(warnings).toEqual([
    'the orchestrator signs no code, so code runs without a signature of the service',
  ]);
  await expect(check(keys).demand(module, { manifest: signed(stranger) })).rejects.toThrow('has not signed');
  await check(keys).demand(module, { manifest: signed(service) });
  const other = { ...module, source: 'tasks/fill/task.ts' };
  await expect(check(keys).demand(other, {})).rejects.toThrow('has sent no signed manifest');
});

it('asks whether the service has a new key before it refuses a manifest, and forgets what an ended key has signed', async () => {
  let believed = [service.publicKey];
  const code = check({
    service: () => believed,
    doubt: async () => void (believed = [stranger.publicKey, service.publicKey]),
  });
  await code.demand(module, { manifest: signed(service) });
  expect(believed).toHaveLength(1);
  const next = { ...module, hash: 'b'.repeat(64) };
  const modules = [{ source: next.source, sha256: next.hash, dependencies: [] }];
  await code.demand(next, { manifest: signed(stranger, { modules }) });
  expect([await code.allows(module), await code.allows(next)]).toEqual([true, true]);
  believed = [stranger.publicKey];
  expect([await code.allows(module), await code.allows(next)]).toEqual([false, true]);
  await expect(code.demand(module, { manifest: signed(service) })).resolves.toBeUndefined();
  const deaf = check({ service: () => [lab.publicKey] });
  await expect(deaf.demand(module, { manifest: signed(service) })).rejects.toMatchObject({
    code: 'forbidden',
  });
});

it('demands nothing of a computer that knows no key', async () => {
  expect(await check({ service: undefined, isPromised: () => false }).allows(module)).toBe(true);
});

it('forgets manifests on disk that are damaged', async () => {
  await check().demand(module, { manifest: signed(service) });
  const [name = ''] = await readdir(join(folder, 'manifests'));
  await writeFile(join(folder, 'manifests', name), signed(stranger));
  expect(await check().allows(module)).toBe(false);
  expect(await readdir(join(folder, 'manifests'))).toEqual([]);
});
