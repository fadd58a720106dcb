import { createHash } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Headers } from 'tar-stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { npmPackages } from '../npm/contents.js';
import { librariesOf, readManifest, type Manifest } from '../npm/libraries.js';
import { fileOf, tarballOf } from '../npm/tarball.js';
import { root } from '../shared/paths.js';

interface Packed {
  headers: Headers[];
  texts: Map<string, string>;
}

async function unpacked(archive: Buffer): Promise<Packed> {
  const headers: Headers[] = [];
  const texts = new Map<string, string>();
  const reader = extract();
  reader.on('entry', (header, content, next) => {
    const pieces: Buffer[] = [];
    content.on('data', (piece: Buffer) => pieces.push(piece));
    content.on('end', () => {
      headers.push(header);
      texts.set(header.name, Buffer.concat(pieces).toString());
      next();
    });
  });
  await pipeline(Readable.from([archive]), createGunzip(), reader);
  return { headers, texts };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const names = Object.keys(npmPackages);

describe.each(names)('the npm package %s', (name) => {
  let archive: Buffer;
  let packed: Packed;
  let manifest: Manifest & { bundleDependencies?: string[]; bin?: Record<string, string> };

  beforeAll(async () => {
    archive = await tarballOf(name);
    packed = await unpacked(archive);
    manifest = JSON.parse(packed.texts.get('package/package.json') ?? '') as typeof manifest;
  });

  it('has the same bytes when the files are written again', async () => {
    const source = join(root, name === '@lab/nx' ? 'tools/nx-plugin/plugin.mjs' : 'libs/sdk/dist/index.js');
    const { atime, mtime } = statSync(source);
    utimesSync(source, atime, new Date(mtime.getTime() + 3_600_000));
    try {
      expect(sha256(await tarballOf(name))).toBe(sha256(archive));
    } finally {
      utimesSync(source, atime, mtime);
    }
  });

  it('has files in alphabetical order, of one owner and one time', () => {
    const paths = packed.headers.map((header) => header.name);
    expect(paths).toEqual([...new Set(paths)].sort());
    const facts = packed.headers.map(({ uid, gid, mtime }) => [uid, gid, mtime?.getTime()]);
    expect(new Set(facts.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('names exact versions, of itself the one of the release, and has a licence', () => {
    expect(manifest).toMatchObject({ name, version: readManifest('.').version, license: 'Apache-2.0' });
    expect(manifest).toMatchObject({ engines: { node: '>=20.19' } });
    const { dependencies = {}, optionalDependencies = {} } = manifest;
    for (const version of Object.values({ ...dependencies, ...optionalDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(packed.texts.has('package/LICENSE')).toBe(true);
    expect(fileOf(name)).toBe(`lab-${name.slice(5)}-${manifest.version}.tgz`);
  });

  it('has every file that its entry points name, and each library of this repository inside', () => {
    const targets = Object.values(manifest.exports ?? {}).flatMap((each) =>
      typeof each === 'string' ? [each] : Object.values(each),
    );
    for (const target of [
      ...(typeof manifest.exports === 'object' ? targets : []),
      ...Object.values(manifest.bin ?? {}),
    ])
      expect(packed.texts.has(join('package', target)), target).toBe(true);
    const own = Object.keys(manifest.dependencies ?? {}).filter((each) => each.startsWith('@lab/'));
    expect(own).toEqual(manifest.bundleDependencies ?? []);
    for (const each of own) expect(packed.texts.has(`package/node_modules/${each}/package.json`)).toBe(true);
  });

  it('has no sources, no tests, and no conditions that only this repository has', () => {
    const paths = [...packed.texts.keys()];
    // The demo runs a package of definitions, whose code is TypeScript.
    const code = paths.filter((path) => !path.startsWith('package/lab-packages/'));
    expect(code.filter((path) => /(?<!\.d)\.tsx?$|\.test\.|\.map$|tsbuildinfo$/.test(path))).toEqual([]);
    const manifests = paths.filter((path) => path.endsWith('/package.json') && code.includes(path));
    for (const path of manifests) expect(packed.texts.get(path)).not.toMatch(/@lab\/source|"\*"|private/);
  });
});

it('refuses a library that no package.json declares', () => {
  expect(() => librariesOf([{ folder: 'libs/sdk', names: ['left-pad'] }])).toThrow(
    'libs/sdk/package.json does not declare left-pad',
  );
});

it('refuses a package that does not exist', async () => {
  await expect(tarballOf('@lab/other')).rejects.toThrow('there is no npm package "@lab/other"');
});
