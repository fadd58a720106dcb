import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathBelow } from '../../src/archives/index.js';
import { unpack } from '../../src/updates/unpack.js';
import { partsOfPackage, platform, tarGzOf, zipOf, type Part } from './packages.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'lab-unpack-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const version = '0.2.0';
const top = `svc-agent-${version}-${platform}`;
const kinds = ['tar.gz', 'zip'] as const;
type Kind = (typeof kinds)[number];

const target = (): string => join(folder, 'data', 'unpacked');
async function unpacked(kind: Kind, archive: Buffer | Promise<Buffer>): Promise<void> {
  const data = join(folder, 'data');
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  const path = join(folder, 'archive');
  writeFileSync(path, await archive);
  await unpack(path, target(), { name: `${top}.${kind}`, version, platform }, data);
}
const archiveOf = (kind: Kind, parts: readonly Part[]): Promise<Buffer> =>
  kind === 'zip' ? zipOf(parts) : tarGzOf(parts);
const right = partsOfPackage(version, '#!/bin/sh\necho hello\n');
const beside = (more: Part): Part[] => [more, ...right];

describe.each(kinds)('a package as %s', (kind) => {
  it('is unpacked without the folder around it', async () => {
    await unpacked(kind, archiveOf(kind, right));
    expect(readdirSync(target(), { recursive: true }).sort()).toEqual([
      ...['app', 'app/package.json', 'manifest.json', 'svc-agent', 'svc-agent.cmd'],
    ]);
    expect(readFileSync(join(target(), 'svc-agent'), 'utf8')).toBe('#!/bin/sh\necho hello\n');
    expect(statSync(join(target(), 'svc-agent')).mode & 0o777).toBe(0o755);
    expect(statSync(join(target(), 'app/package.json')).mode & 0o777).toBe(0o644);
  });

  it.each([
    ['a path upwards', `${top}/../evil`],
    ['a path upwards further inside', `${top}/app/../../../evil`],
    ['an absolute path', '/tmp/evil'],
    ['a path beside its folder', 'evil'],
    ['a path of another folder', 'svc-agent-0.9.0-linux-x64/evil'],
  ])('with %s is refused, and nothing is written there', async (_what, path) => {
    await expect(unpacked(kind, archiveOfRaw(kind, path))).rejects.toThrow(/^the package .* is damaged: /);
    for (const place of [join(folder, 'evil'), join(folder, 'data', 'evil'), '/tmp/evil'])
      expect(existsSync(place)).toBe(false);
  });

  it('with a link is refused', async () => {
    const link: Part =
      kind === 'zip'
        ? { path: `${top}/link`, content: '/etc/passwd', mode: 0o120_777 }
        : { path: `${top}/link`, type: 'symlink' };
    await expect(unpacked(kind, archiveOf(kind, beside(link)))).rejects.toThrow('link is no file');
    expect(existsSync(join(target(), 'link'))).toBe(false);
  });

  it('with a file that its manifest does not name is refused', async () => {
    const more = { path: `${top}/app/more.js`, content: 'evil' };
    await expect(unpacked(kind, archiveOf(kind, beside(more)))).rejects.toThrow(
      'its manifest.json does not name app/more.js',
    );
  });

  it('with a file that changed is refused', async () => {
    const parts = right.map((part) =>
      part.path.endsWith('/svc-agent') ? { ...part, content: 'evil' } : part,
    );
    await expect(unpacked(kind, archiveOf(kind, parts))).rejects.toThrow(
      'svc-agent is another file than its manifest.json says',
    );
  });

  it('without one of its files is refused', async () => {
    const parts = right.filter(({ path }) => !path.endsWith('package.json'));
    await expect(unpacked(kind, archiveOf(kind, parts))).rejects.toThrow('app/package.json is missing');
  });

  it('with a file twice is refused', async () => {
    await expect(unpacked(kind, archiveOf(kind, [...right, right[0] as Part]))).rejects.toThrow(
      'it has svc-agent twice',
    );
  });

  it.each([0.3, 0.9])('that was cut off at %d of its length is refused', async (part) => {
    const whole = await archiveOf(kind, right);
    const cut = whole.subarray(0, Math.floor(whole.length * part));
    await expect(unpacked(kind, cut)).rejects.toThrow(/^the package .* is damaged: /);
  });

  it.each([
    ['another version', { version: '0.9.0' }, 'it is version 0.9.0 for linux-x64'],
    ['another platform', { platform: 'win-x64' }, 'it is version 0.2.0 for win-x64'],
    ['no list of files', { files: 7 }, 'its manifest.json cannot be read'],
    ['no launcher', { files: {} }, 'it has no svc-agent'],
  ])('whose manifest says %s is refused', async (_what, more, why) => {
    await expect(unpacked(kind, archiveOf(kind, partsOfPackage(version, '', more)))).rejects.toThrow(why);
  });

  it('without a manifest is refused', async () => {
    const parts = right.filter(({ path }) => !path.endsWith('manifest.json'));
    await expect(unpacked(kind, archiveOf(kind, parts))).rejects.toThrow('it has no manifest.json');
  });

  it('with folders of their own is unpacked', async () => {
    const folders = [`${top}/`, `${top}/app/`].map((path) => ({ path, type: 'directory' as const }));
    await unpacked(kind, archiveOf(kind, [...folders, ...right]));
    expect(existsSync(join(target(), 'app', 'package.json'))).toBe(true);
  });
});

it('a fault of the disk is none of the package', async () => {
  writeFileSync(join(folder, 'archive'), await tarGzOf(right));
  const missing = unpack(
    join(folder, 'none'),
    join(folder, 'out'),
    { name: `${top}.zip`, version, platform },
    folder,
  );
  await expect(missing).rejects.toThrow('ENOENT');
});

it('text that is no archive is refused', async () => {
  await expect(unpacked('zip', Buffer.from('hello'))).rejects.toThrow('is damaged');
  await expect(unpacked('tar.gz', Buffer.from('hello'))).rejects.toThrow('is damaged');
});

describe('a path below the folder of a package', () => {
  it.each([
    ['top/a', 'a'],
    ['top/a/b-1.2_x+y@z(1),q r.js', 'a/b-1.2_x+y@z(1),q r.js'],
    ['top/.hidden', '.hidden'],
    ['top/', ''],
  ])('%s is %s', (path, below) => {
    expect(pathBelow('top', path)).toBe(below);
  });

  it.each([
    'a',
    '/top/a',
    'top/../a',
    'top/./a',
    'top//a',
    'top/a\\b',
    'top/C:a',
    'top/a\0',
    'top/a.',
    'top/a ',
    '',
  ])('%j is refused', (path) => {
    expect(pathBelow('top', path)).toBeUndefined();
  });
});

/** An archive with a path that a careful library does not write: the path is put into the bytes. */
async function archiveOfRaw(kind: Kind, path: string): Promise<Buffer> {
  if (kind === 'tar.gz') return tarGzOf(beside({ path, content: 'evil' }));
  const stand = 'x'.repeat(path.length);
  const bytes = await zipOf(beside({ path: stand, content: 'evil' }));
  for (let at = bytes.indexOf(stand); at >= 0; at = bytes.indexOf(stand, at + 1))
    bytes.write(path, at, 'latin1');
  return bytes;
}
