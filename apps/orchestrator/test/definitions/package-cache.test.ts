import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack, type Headers } from 'tar-stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PackageCache } from '../../src/definitions/package-cache.js';

let around = '';
let folder = '';
beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), 'package-cache-'));
  folder = join(around, 'packages');
});
afterEach(() => rmSync(around, { recursive: true, force: true }));

const limits = { unpackedBytes: 1_000, files: 3 };

async function packed(entries: (Headers & { text?: string })[]): Promise<Buffer> {
  const archive = pack();
  for (const { text, ...header } of entries)
    if (text === undefined) archive.entry(header);
    else archive.entry(header, text);
  archive.finalize();
  return gzipSync(await buffer(archive));
}
const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += 100) yield bytes.subarray(offset, offset + 100);
}
const good = [
  { name: 'my_lab', type: 'directory' as const },
  { name: 'my_lab/package.json', text: '{}' },
  { name: 'my_lab/tasks/mix/task.yml', text: 'type: mix\n' },
];

it('unpacks a package once, under its hash', async () => {
  const bytes = await packed(good);
  let read = 0;
  const cache = new PackageCache(folder, () => {
    read += 1;
    return inPieces(bytes);
  });
  const hash = sha256Of(bytes);
  const roots = await Promise.all([cache.rootOf('my_lab', hash), cache.rootOf('my_lab', hash)]);
  expect(roots).toEqual([join(folder, hash, 'my_lab'), join(folder, hash, 'my_lab')]);
  expect(readFileSync(join(roots[0] ?? '', 'tasks/mix/task.yml'), 'utf8')).toBe('type: mix\n');
  await cache.rootOf('my_lab', hash);
  expect(read).toBe(1);
  expect(readdirSync(folder)).toEqual([hash]);
});

const refusals: [string, () => Promise<Buffer>, RegExp][] = [
  ['has a path outside of its folder', () => packed([{ name: 'my_lab/../../x', text: 'x' }]), /has the path/],
  ['has an absolute path', () => packed([{ name: '/etc/x', text: 'x' }]), /has the path/],
  ['has another folder', () => packed([{ name: 'other/x', text: 'x' }]), /in the folder my_lab/],
  [
    'has a link',
    () => packed([{ name: 'my_lab/x', type: 'symlink', linkname: '/etc/passwd' }]),
    /is no file/,
  ],
  [
    'has a file twice',
    () =>
      packed([
        { name: 'my_lab/x', text: 'a' },
        { name: 'my_lab/x', text: 'b' },
      ]),
    /twice/,
  ],
  [
    'has libraries',
    () => packed([{ name: 'my_lab/node_modules/x/package.json', text: '{ "main": "/etc/passwd" }' }]),
    /npm installs libraries/,
  ],
  ['has no files', () => packed([]), /no files/],
  ['is no archive', () => Promise.resolve(Buffer.from('nothing')), /no packed package/],
  ['is a bomb', () => packed([{ name: 'my_lab/x', text: '0'.repeat(1_001) }]), /more than 1000 bytes/],
  [
    'has too many files',
    () => packed(['a', 'b', 'c', 'd'].map((each) => ({ name: `my_lab/${each}`, text: '' }))),
    /more than 3 files/,
  ],
];

it.each(refusals)('refuses an archive that %s, and leaves nothing behind', async (_, make, message) => {
  const bytes = await make();
  const cache = new PackageCache(folder, () => inPieces(bytes), limits);
  await expect(cache.rootOf('my_lab', sha256Of(bytes))).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(message) as string,
  });
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(around)).toEqual(['packages']);
});

it('refuses bytes of another hash', async () => {
  const bytes = await packed(good);
  const cache = new PackageCache(folder, () => inPieces(bytes));
  await expect(cache.rootOf('my_lab', '0'.repeat(64))).rejects.toMatchObject({ code: 'invalid' });
  expect(readdirSync(folder)).toEqual([]);
});
