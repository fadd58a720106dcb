import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackageVersions } from '@lab/contracts';
import { startServiceStack, type Stack } from '@lab/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api, eventually, isOver } from './api.js';
import { copyPackages } from './lab.js';
import { svc } from './svc.js';

/** A service that is killed while the devices of a new version start begins again with the version before. */

const name = 'multiplication_lab';
let folder = '';
let stack: Stack;
let api: Api;

const start = (): Promise<Stack> =>
  startServiceStack({ userDir: join(folder, 'empty'), dataDir: join(folder, 'data') });
const versions = async (): Promise<PackageVersions> =>
  (await api.call<PackageVersions>('GET', `/api/packages/${name}/versions`)).body;
async function upload(): Promise<string> {
  const { out } = await svc(
    { SVC_URL: stack.url, HOME: folder },
    'pkg',
    'upload',
    join(folder, name),
    '--json',
  );
  return (JSON.parse(out) as { sha256: string }).sha256;
}
const activate = (sha256: string, expect: string) =>
  api.call('POST', `/api/packages/${name}/activate`, { sha256, expect });
const stateOfA = async (): Promise<string | undefined> =>
  (await api.devices()).find((each) => each.name === 'multiplier_a')?.state;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-deploy-crash-'));
  await mkdir(join(folder, 'empty'));
  await copyPackages(folder);
  stack = await start();
  api = new Api(stack.url);
});
afterAll(async () => {
  await stack?.dispose();
  await rm(folder, { recursive: true, force: true });
});

it('has the version before active, and runs its code', async () => {
  const first = await upload();
  expect((await activate(first, 'none')).status).toBe(200);
  const file = join(folder, name, 'devices/multiplier/device.ts');
  const text = await readFile(file, 'utf8');
  const slow = text
    .replace(
      '_initialize({ offset }: { offset: number }): void {',
      'async _initialize({ offset }: { offset: number }): Promise<void> {',
    )
    .replace(
      'this.offset = offset;',
      'this.offset = offset + 1_000;\n    await new Promise((go) => setTimeout(go, 60_000));',
    );
  expect(slow).toContain('async _initialize');
  await writeFile(file, slow);
  const second = await upload();
  expect(second).not.toBe(first);
  const broken = activate(second, first).catch(() => undefined);
  await eventually(stateOfA, (state) => state !== 'idle');
  expect((await versions()).active).toBe(first);
  await stack.kill();
  await broken;

  stack = await start();
  api = new Api(stack.url);
  expect(await versions()).toMatchObject({ active: first, waiting: null });
  await eventually(stateOfA, (state) => state === 'idle', 60_000);
  const devices = { multiplier: { lab_name: name, name: 'multiplier_a' } };
  const input = { number: 6, factor: 7 };
  await api.submit('tasks', { name: 'after', type: 'multiply', devices, input_parameters: input });
  const task = await eventually(() => api.task('after'), isOver, 60_000);
  expect(task.output_parameters?.['product']).toBe(42);
});
