import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackageArchive } from '@lab/definitions';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ArchiveStore } from '../../src/definitions/archive-store.js';

let folder: string;
let lines: string[];
let store: ArchiveStore;
const opened = (): ArchiveStore =>
  new ArchiveStore(join(folder, 'kept'), { error: (text) => void lines.push(text) });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archives-'));
  lines = [];
  store = opened();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const content = 'abcdefghij';
const sha256 = createHash('sha256').update(content).digest('hex');
function archive(text = content): PackageArchive {
  const path = join(folder, 'a.tar.gz');
  writeFileSync(path, text);
  return { dependencies: ['usb@2.0.0'], platform: 'linux-x64', abi: '115', sha256, size: text.length, path };
}
const read = async (offset: number): Promise<unknown> => {
  const { data, total } = await store.piece(sha256, offset, 4);
  return [data.toString(), total];
};

it('gives pieces of an archive, also after its package was replaced and the service has started again', async () => {
  const { path } = archive();
  store.note(archive());
  expect(await Promise.all([read(0), read(8), read(10)])).toEqual([
    ['abcd', 10],
    ['ij', 10],
    ['', 10],
  ]);
  rmSync(path);
  store = opened();
  expect(await read(4)).toEqual(['efgh', 10]);
  expect(readdirSync(join(folder, 'kept'))).toEqual([sha256]);
});

it('gives nothing of a file that is another one than its package says, until the package has the right one', async () => {
  store.note(archive('other text'));
  await expect(read(0)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('svc pkg vendor') as string,
  });
  expect([readdirSync(join(folder, 'kept')), lines]).toEqual([
    [],
    ['a file is another one than its package says'],
  ]);
  archive();
  expect(await read(0)).toEqual(['abcd', 10]);
});

it('gives nothing that no package names yet, and no file outside of its folder', async () => {
  await expect(read(0)).rejects.toMatchObject({ code: 'not_found' });
  store.note(archive());
  expect(await read(8)).toEqual(['ij', 10]);
  writeFileSync(join(folder, 'secret'), 'secret');
  await expect(store.piece('../secret', 0, 4)).rejects.toMatchObject({ code: 'not_found' });
});
