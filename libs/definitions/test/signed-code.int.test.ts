import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodeSigner } from '@lab/trust/code-manifest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeManifestText, loadPackages, type Catalog, type PackageCode } from '../src/index.js';
import { createUserDir, writeFiles } from './package-fixture.js';

const newKey = (): CodeSigner =>
  CodeSigner.ofLab(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
const [lab, stranger] = [newKey(), newKey()];

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
  await writeFiles(place.userDir, {});
});
afterEach(() => place.dispose());

/** @param codeKey null: none is configured */
const load = (codeKey: string | null = lab.publicKey): Promise<Catalog> =>
  loadPackages({ ...place, codeKey: codeKey ?? undefined });
const write = (path: string, text: string): Promise<void> => writeFile(join(place.userDir, path), text);
const found = ({ diagnostics }: Catalog): string[] => diagnostics.map(({ file, code }) => `${file} ${code}`);
const broken = [
  'demo/laboratories/lab/lab.yml depends_on_broken',
  'demo/tasks/mix/task.yml depends_on_broken',
];

async function codeOf(): Promise<PackageCode> {
  const code = (await load(null)).code.find((each) => each.package === 'demo');
  if (code === undefined) throw new Error('no code');
  return code;
}

async function sign(by = lab, change: object = {}): Promise<string> {
  const { package: owner, version, modules, lock } = await codeOf();
  const signed = by.sign({
    ...{ version: 1, package: owner, package_version: version, modules: [...modules], lock },
    ...{ made_at: '2026-03-01T10:00:00.000Z', ...change },
  });
  await write('demo/code-manifest.json', codeManifestText(signed));
  return signed;
}

it('needs no signature while no code key is configured', async () => {
  const catalog = await load(null);
  expect([catalog.diagnostics, catalog.warnings]).toEqual([[], []]);
  expect((await codeOf()).signed).toBeNull();
});

it('loads a package that its key has signed, and passes the signature on', async () => {
  const signed = await sign();
  const catalog = await load();
  expect(found(catalog)).toEqual([]);
  expect(catalog.lab('lab')).toBeDefined();
  expect((await codeOf()).signed).toBe(signed);
});

it('reads a signature whatever the spaces and line ends of its file', async () => {
  const signed = await sign();
  const crlf = `\uFEFF${codeManifestText(signed).replaceAll('  ', '\t').replaceAll('\n', '\r\n')}`;
  await write('demo/code-manifest.json', crlf);
  expect(found(await load())).toEqual([]);
});

it('loads no code of a package that is not signed, and says what to type', async () => {
  const catalog = await load();
  expect(catalog.diagnostics.find(({ code }) => code === 'unsigned_code')).toMatchObject({
    file: 'demo/code-manifest.json',
    message: `the package demo is not signed, and SVC_CODE_KEY demands code of ${lab.publicKey}`,
    hint: 'svc pkg sign demo --key FILE',
  });
  expect([catalog.lab('lab'), catalog.task('mix'), catalog.protocol('run')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('loads no code that changed after it was signed, with the signed hash and the present one', async () => {
  await sign();
  const before = (await codeOf()).modules.find(({ source }) => source === 'devices/mixer/device.ts')?.sha256;
  await write('demo/devices/mixer/device.ts', 'export default class Mixer { changed = 1; }\n');
  const after = (await codeOf()).modules.find(({ source }) => source === 'devices/mixer/device.ts')?.sha256;
  const catalog = await load();
  expect(catalog.diagnostics.find(({ code }) => code === 'unsigned_code')).toMatchObject({
    file: 'demo/devices/mixer/device.ts',
    message: `demo/devices/mixer/device.ts was signed with the SHA-256 ${before} in demo, and ${after} is offered`,
    hint: 'svc pkg sign demo --key FILE',
  });
  expect(found(catalog)).toEqual(expect.arrayContaining(broken));
  expect(catalog.task('weigh')).toBeDefined();
});

it.each([
  ['by another key', () => sign(stranger), 'foreign_signature'],
  ['for another package', () => sign(lab, { package: 'other' }), 'unsigned_code'],
  ['in a file that is none', () => write('demo/code-manifest.json', '{"manifest": {}}'), 'damaged_signature'],
  ['in a text that is no JSON', () => write('demo/code-manifest.json', 'x'), 'damaged_signature'],
])('loads no code of a package that was signed %s', async (_, prepare, code) => {
  await prepare();
  const catalog = await load();
  expect(catalog.diagnostics.map((each) => each.code)).toContain(code);
  expect([catalog.lab('lab'), catalog.task('mix')]).toEqual([undefined, undefined]);
});

it('loads changed code without a code key, and warns of it', async () => {
  await sign(stranger);
  await write('demo/devices/mixer/device.ts', 'export default class Mixer { changed = 1; }\n');
  const catalog = await load(null);
  expect(catalog.diagnostics).toEqual([]);
  expect(catalog.warnings).toMatchObject([{ file: 'demo/devices/mixer/device.ts', code: 'unsigned_code' }]);
  expect(catalog.lab('lab')).toBeDefined();
});

it('warns of another lock file than the signed one, because the hashes cover the code already', async () => {
  await write('demo/package-lock.json', '{}');
  await sign();
  expect((await load()).warnings).toEqual([]);
  await rm(join(place.userDir, 'demo/package-lock.json'));
  const catalog = await load();
  expect(found(catalog)).toEqual([]);
  expect(catalog.warnings).toMatchObject([{ file: 'demo/package-lock.json', code: 'other_lock' }]);
});
