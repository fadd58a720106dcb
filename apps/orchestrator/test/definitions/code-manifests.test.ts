import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleReference } from '@lab/contracts';
import type { PackageCode } from '@lab/definitions';
import { Authority, makeAuthorityKey } from '@lab/trust/authority';
import { CodeSigner, CodeVerifier, type CodeManifest } from '@lab/trust/code-manifest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CodeManifests } from '../../src/definitions/code-manifests.js';

const signer = (): CodeSigner => CodeSigner.ofService(new Authority(makeAuthorityKey()));
const [service, lab, formerLab] = [signer(), signer(), signer()];
const verifier = new CodeVerifier(service.publicKey);
const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
const named = { package: 'my_lab', source: 'tasks/fill/task.ts' };
const used = (hash: string): ModuleReference => ({ hash, ...named, dependencies: ['usb@2.0.0'] });
const nothing = (): ModuleReference[] => [];

function code(
  sha256: string,
  signed: string | null = null,
  archives: PackageCode['archives'] = [],
): PackageCode {
  const modules = [{ source: named.source, sha256, dependencies: [] }];
  return { package: 'my_lab', version: '1.0.0', modules, lock: null, signed, archives, environment: [] };
}
const ofLab = (by: CodeSigner, sha256: string): string =>
  by.sign({
    ...{
      version: 1,
      package: 'my_lab',
      package_version: null,
      lock: null,
      made_at: '2026-03-01T10:00:00.000Z',
    },
    modules: [...code(sha256).modules],
  });

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'code-manifests-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function manifests(
  packages: PackageCode[],
  keys: { lab?: string; silent?: boolean } = {},
): Promise<CodeManifests> {
  const signing = keys.silent === true ? undefined : service;
  const made = new CodeManifests(folder, { signer: signing, lab: keys.lab }, () =>
    Date.parse('2026-03-01T10:00:00Z'),
  );
  await made.note(packages);
  return made;
}
const manifestOf = (signed: string | undefined): CodeManifest | undefined => verifier.read(signed ?? '');

it('signs a package as it was last read, once for each version', async () => {
  const made = await manifests([code(one)]);
  const { manifest } = made.about(one, named, nothing);
  expect(manifestOf(manifest)).toEqual({
    ...{ version: 1, package: 'my_lab', package_version: '1.0.0', lock: null },
    ...{ modules: code(one).modules, made_at: '2026-03-01T10:00:00.000Z' },
  });
  expect(made.about(one, named, nothing).manifest).toBe(manifest);
  await made.note([code(two)]);
  expect(manifestOf(made.about(two, named, nothing).manifest)?.modules[0]?.sha256).toBe(two);
});

it('signs the archives of a package, also for an earlier version of a module, and never their place', async () => {
  const archive = {
    ...{ dependencies: ['usb@2.0.0'], platform: 'linux-x64', abi: '115', sha256: two, size: 7 },
    path: '/packages/my_lab/vendor/a.tar.gz',
  };
  const made = await manifests([code(one, null, [archive])]);
  const { path: _, ...signed } = archive;
  for (const manifest of [
    made.about(one, named, nothing).manifest,
    made.about(two, named, () => [used(two)]).manifest,
  ])
    expect(manifestOf(manifest)?.archives).toEqual([signed]);
});

it('signs no module that no package has, and none under the name of another package or source', async () => {
  const made = await manifests([code(one)]);
  expect(made.about(two, named, nothing)).toEqual({});
  expect(made.about(one, { ...named, package: 'other' }, nothing)).toEqual({});
  expect(made.about(one, { ...named, source: 'other.ts' }, nothing)).toEqual({});
});

it('signs an earlier version of a module that accepted work uses, alone and with its npm packages', async () => {
  const made = await manifests([code(two)]);
  const { manifest } = made.about(one, named, () => [used(one)]);
  expect(manifestOf(manifest)?.modules).toEqual([
    { source: named.source, sha256: one, dependencies: ['usb@2.0.0'] },
  ]);
});

it('signs nothing without a key of the service', async () => {
  expect((await manifests([code(one)], { silent: true })).about(one, named, nothing)).toEqual({});
});

it('passes on what the lab has signed, also for earlier versions after a restart', async () => {
  const [first, second] = [ofLab(lab, one), ofLab(lab, two)];
  await manifests([code(one, first)]);
  const made = await manifests([code(two, second)]);
  expect(made.about(two, named, nothing).lab_manifest).toBe(second);
  const earlier = { ...used(one), dependencies: [] };
  expect(made.about(one, named, () => [earlier]).lab_manifest).toBe(first);
});

it('passes on the manifest of the package for a module that it does not name, so that the agent can say why', async () => {
  const stale = ofLab(lab, one);
  expect((await manifests([code(two, stale)])).about(two, named, nothing).lab_manifest).toBe(stale);
});

it('prefers what the present code key of the lab has signed', async () => {
  const [before, now] = [ofLab(formerLab, one), ofLab(lab, one)];
  await manifests([code(one, now)]);
  const made = await manifests([code(one, before)], { lab: lab.publicKey });
  expect(made.about(one, named, nothing).lab_manifest).toBe(now);
});

it('divides a package of very many modules, so that each manifest fits into a message', async () => {
  const modules = Array.from({ length: 2_500 }, (_, index) => ({
    source: `tasks/t${index}/task.ts`,
    sha256: String(index).padStart(64, '0'),
    dependencies: [],
  }));
  const made = await manifests([{ ...code(one), modules }]);
  for (const { source, sha256 } of [modules[0]!, modules[999]!, modules[1_000]!, modules[2_499]!]) {
    const { manifest = '' } = made.about(sha256, { package: 'my_lab', source }, nothing);
    expect(manifestOf(manifest)?.modules).toContainEqual({ source, sha256, dependencies: [] });
    expect(manifest.length).toBeLessThan(300_000);
  }
});
