import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PackageVersions } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Api, eventually, isOver } from './api.js';
import { copyPackages } from './lab.js';

/** A repository of labs checks, simulates and deploys its packages by commands of Nx alone. The tests follow one another. */

const name = 'multiplication_lab';
// Each command of Nx starts several programs, and checks types.
vi.setConfig({ testTimeout: 600_000 });
const nxProgram = createRequire(import.meta.url).resolve('nx/bin/nx.js');
const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const fromCache = 'read the output from the cache';
let folder = '';
let stack: Stack;
let api: Api;

interface Ended {
  code: number;
  out: string;
  ms: number;
}

/** Runs a target of the package, with nothing but the address of the service in its environment. */
function nx(target: string): Promise<Ended> {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, SVC_URL: stack.url, NX_DAEMON: 'false', NO_COLOR: '1' },
    ...{
      NX_CACHE_DIRECTORY: join(folder, '.nx/cache'),
      NX_WORKSPACE_DATA_DIRECTORY: join(folder, '.nx/data'),
    },
  };
  const since = performance.now();
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [nxProgram, 'run', `${name}:${target}`, '--outputStyle=static'],
      { cwd: folder, env, maxBuffer: 2 ** 24 },
      (error, out, err) =>
        resolve({
          code: error === null ? 0 : Number(error.code),
          out: `${out}${err}`,
          ms: performance.now() - since,
        }),
    );
  });
}

const place = (path: string): string => join(folder, 'labs', name, path);
async function edit(path: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(place(path), 'utf8');
  expect(change(text)).not.toBe(text);
  await writeFile(place(path), change(text));
}
const active = async (): Promise<string> =>
  (await api.call<PackageVersions>('GET', `/api/packages/${name}/versions`)).body.active;
async function product(task: string): Promise<unknown> {
  const devices = { multiplier: { lab_name: name, name: 'multiplier_a' } };
  await api.submit('tasks', {
    ...{ name: task, type: 'multiply', devices },
    input_parameters: { number: 6, factor: 7 },
  });
  return (await eventually(() => api.task(task), isOver)).output_parameters?.['product'];
}

beforeAll(async () => {
  // Inside the repository, so that the check finds the types of Node, and Nx its libraries.
  folder = await mkdtemp(join(import.meta.dirname, '.deploy-nx-'));
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'labs'));
  await copyPackages(join(folder, 'labs'));
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', strict: true, noEmit: true, types: ['node'] },
  };
  await writeFile(place('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  const options = { svc: `node ${fromHere('../apps/cli/bin/svc.mjs')}` };
  const plugins = [{ plugin: fromHere('../tools/nx-plugin/plugin.mjs'), options }];
  const settings = { analytics: false, neverConnectToCloud: true, useDaemonProcess: false, plugins };
  await writeFile(join(folder, 'nx.json'), JSON.stringify(settings));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'our-labs', private: true }));
  stack = await startServiceStack({ userDir: join(folder, 'empty') });
  api = new Api(stack.url);
});
afterAll(async () => {
  await stack?.dispose();
  await rm(folder, { recursive: true, force: true });
});

it('checks and simulates a package, and repeats neither without a change', async () => {
  for (const target of ['check', 'simulate', 'pack']) {
    const first = await nx(target);
    expect([first.code, first.out]).toEqual([0, expect.not.stringContaining(fromCache)]);
    const again = await nx(target);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining(fromCache)]);
    console.log(`${target}: ${Math.round(first.ms)} ms, from the cache ${Math.round(again.ms)} ms`);
  }
});

it('deploys a package, and gives new code to later work while a run ends with the old code', async () => {
  const first = await nx('deploy');
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('is active; before: none')]);
  expect(await product('first')).toBe(42);

  await edit('tasks/multiply/task.ts', (text) =>
    text.replace('[{ product }', '[{ product: product + 1_000 }'),
  );
  const checked = await nx('check');
  expect([checked.code, checked.out]).toEqual([0, expect.not.stringContaining(fromCache)]);
  await nx('simulate');
  const parameters = { wait: { seconds: 100 } };
  await api.submit('protocols', { name: 'old', type: 'slow_multiplication', parameters });
  await eventually(
    () => api.run('old'),
    ({ state }) => state === 'running',
  );
  const second = await nx('deploy');
  expect([second.code, second.out]).toEqual([0, expect.stringContaining('keeps its code: protocol run old')]);
  const run = await eventually(() => api.run('old'), isOver, 150_000);
  expect(run.tasks.find((each) => each.name === 'multiply')?.output_parameters).toEqual({ product: 42 });
  expect(await product('second')).toBe(1_042);
});

it('fails to deploy a version whose device does not start, which leaves the version before active', async () => {
  const before = await active();
  await edit('devices/multiplier/device.ts', (text) =>
    text.replace('this.offset = offset;', "this.offset = offset;\n    throw new Error('no such port');"),
  );
  const broken = await nx('deploy');
  expect(broken.code).not.toBe(0);
  expect(broken.out).toContain('no such port');
  expect(broken.out).toContain('stays active');
  expect(await active()).toBe(before);
  expect(await product('after the broken version')).toBe(1_042);
});

it('rolls back', async () => {
  const before = await active();
  const back = await nx('rollback');
  expect([back.code, back.out]).toEqual([0, expect.stringContaining('is active; before:')]);
  expect(await active()).not.toBe(before);
  expect(await product('rolled back')).toBe(42);
});
