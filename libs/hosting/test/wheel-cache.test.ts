import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@lab/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FilePiece, WantedFile } from '../src/fetched-file.js';
import { WheelCache } from '../src/wheel-cache.js';

const day = 86_400_000;
const { signal } = new AbortController();

let base: string;
let folder: string;
let files: Map<string, Buffer>;
let fetched: string[];
let places = 0;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'lab-wheels-'));
  folder = join(base, 'wheels');
  files = new Map();
  fetched = [];
});
afterEach(() => rm(base, { recursive: true, force: true }));

const piece: FilePiece = (hash, offset) => {
  const content = files.get(hash);
  if (content === undefined) return Promise.reject(new ServiceError('not_found', 'no package has it'));
  if (offset === 0) fetched.push(hash);
  return Promise.resolve({ data: content.subarray(offset, offset + 4), total: content.length });
};

function offered(text: string): WantedFile {
  const content = Buffer.from(text);
  const sha256 = createHash('sha256').update(content).digest('hex');
  files.set(sha256, content);
  return { what: `the wheel ${text}`, sha256, size: content.length, most: 1_000 };
}

async function placed(wanted: WantedFile, from = piece): Promise<{ text: string; came: boolean }> {
  const path = join(base, `placed-${++places}`);
  const came = await new WheelCache(folder).place(path, wanted, from, signal);
  return { text: await readFile(path, 'utf8'), came };
}

test('a wheel is fetched once, also for the next process', async () => {
  const numpy = offered('numpy');
  expect(await placed(numpy)).toEqual({ text: 'numpy', came: true });
  expect(await placed(numpy)).toEqual({ text: 'numpy', came: false });
  // What the service no longer has is still there.
  files.clear();
  expect(await placed(numpy)).toEqual({ text: 'numpy', came: false });
  expect(fetched).toEqual([numpy.sha256]);
});

test('a kept wheel that was changed is fetched anew', async () => {
  const numpy = offered('numpy');
  await placed(numpy);
  await writeFile(join(folder, numpy.sha256), 'of a full disk');
  expect(await placed(numpy)).toEqual({ text: 'numpy', came: true });
});

test('a wheel that comes as another file is refused, and nothing is kept', async () => {
  const numpy = offered('numpy');
  files.set(numpy.sha256, Buffer.from('scipy'));
  await expect(placed(numpy)).rejects.toMatchObject({ code: 'forbidden' });
  files.delete(numpy.sha256);
  await expect(placed(numpy)).rejects.toMatchObject({ code: 'not_found' });
  expect(await readdir(folder)).toEqual([]);
});

test('two requests for a wheel at once both get it', async () => {
  const numpy = offered('numpy');
  const both = await Promise.all([placed(numpy), placed(numpy)]);
  expect(both.map(({ text }) => text)).toEqual(['numpy', 'numpy']);
  expect(await readdir(folder)).toEqual([numpy.sha256]);
});

test('wheels without a use, and drafts that nobody writes any more, are deleted', async () => {
  const [used, unused] = [offered('used'), offered('unused')];
  const cache = new WheelCache(folder);
  await cache.removeUnused(Date.now(), Date.now());
  await Promise.all([placed(used), placed(unused)]);
  const long = new Date(Date.now() - 31 * day);
  for (const { sha256 } of [used, unused]) await utimes(join(folder, sha256), long, long);
  // A use is noted.
  await placed(used);
  expect((await stat(join(folder, used.sha256))).mtimeMs).toBeGreaterThan(Date.now() - day);
  const drafts = ['old', 'new'].map((each) => join(folder, `${used.sha256}.${each}`));
  for (const draft of drafts) await writeFile(draft, '');
  await utimes(drafts[0] ?? '', long, long);
  await cache.removeUnused(Date.now() - 30 * day, Date.now() - day);
  expect((await readdir(folder)).sort()).toEqual([used.sha256, `${used.sha256}.new`].sort());
});
