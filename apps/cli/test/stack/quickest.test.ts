import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { quickest } from '../../src/stack/quickest.js';

let root = '';
const program = (): string => join(root, 'apps/gateway/dist/main.js');
const bundle = (): string => join(root, 'apps/gateway/dist/bundle/main.js');

/** Writes a file that was last written at this second. */
async function write(path: string, second: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
  await utimes(path, second, second);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-services-'));
  await write(program(), 100);
  await write(join(root, 'apps/gateway/dist/.tsbuildinfo'), 100);
  await write(join(root, 'libs/engine/dist/.tsbuildinfo'), 100);
  await mkdir(join(root, 'libs/new'));
});

afterEach(() => rm(root, { recursive: true }));

it('is the program without a bundle', () => {
  expect(quickest(program(), root)).toBe(program());
});

it('is a bundle that was made after the last compilation', async () => {
  await write(bundle(), 101);
  expect(quickest(program(), root)).toBe(bundle());
});

it('is the program when a part was compiled after its bundle', async () => {
  await write(bundle(), 101);
  await write(join(root, 'libs/engine/dist/.tsbuildinfo'), 102);
  expect(quickest(program(), root)).toBe(program());
});

it('is the program where no sources and no bundle are, as the command line in the npm package', async () => {
  await rm(join(root, 'libs'), { recursive: true });
  expect(quickest(program(), root)).toBe(program());
});

it('is the bundle where nothing else is, as a service in the npm package', async () => {
  await write(bundle(), 101);
  await rm(program());
  await rm(join(root, 'libs'), { recursive: true });
  expect(quickest(program(), root)).toBe(bundle());
});
