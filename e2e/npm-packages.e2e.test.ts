import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LabChange, Problem } from '@lab/contracts';
import { processEnvironment } from '@lab/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, isOver, type Answer } from './api.js';
import { copyPackages, startLab, type Lab } from './lab.js';

/** A package lists an npm package as external. The agent installs it from the registry, or gets what was packed. */

const labName = 'multiplication_lab';
let userDir = '';
let lab: Lab;

const file = (path: string): string => join(userDir, labName, path);
const writeManifest = (version: string): Promise<void> =>
  writeFile(
    file('package.json'),
    JSON.stringify(
      {
        name: labName,
        type: 'module',
        dependencies: { 'is-number': version },
        svc: { external: ['is-number'] },
      },
      null,
      2,
    ),
  );
const reload = <T>(): Promise<Answer<T>> =>
  lab.api.call('POST', '/api/labs/reload', { lab_types: [labName] });

beforeAll(async () => {
  userDir = await mkdtemp(join(tmpdir(), 'npm-packages-'));
  await copyPackages(userDir);
  for (const [path, from, to] of [
    ['devices/multiplier/device.ts', 'a * b + this.offset', 'a * b + this.offset + Number(isNumber(a))'],
    [
      'tasks/multiply/task.ts',
      'return [{ product }',
      'return [{ product: product + Number(isNumber(product)) }',
    ],
  ] as const) {
    const text = await readFile(file(path), 'utf8');
    expect(text).toContain(from);
    await writeFile(file(path), `import isNumber from 'is-number';\n${text.replace(from, to)}`);
  }
  await writeManifest('7.0.0');
  lab = await startLab([labName], { userDir });
});
afterAll(async () => {
  await lab.stack.dispose();
  await rm(userDir, { recursive: true, force: true });
});

async function product(name: string, on = lab): Promise<unknown> {
  const answer = await on.api.submit('tasks', {
    name,
    type: 'multiply',
    devices: { multiplier: { lab_name: labName, name: 'multiplier_a' } },
    input_parameters: { number: 6, factor: 7 },
  });
  expect(answer.status).toBe(201);
  const task = await eventually(() => on.api.task(name), isOver);
  expect(task.state).toBe('completed');
  return task.output_parameters;
}

it('a device and a task run with an npm package that only the agent has', async () => {
  expect(await product('installed')).toEqual({ product: 44 });
  expect(await readdir(join(lab.stack.dataDir, 'agents', 'svc_computer', 'packages'))).toHaveLength(1);
});

it('a version that does not exist is refused with the message of npm, and the earlier version stays in use', async () => {
  await writeManifest('7.0.999');
  const { status, body } = await reload<Problem>();
  expect(status).toBe(503);
  expect(body.code).toBe('device_unavailable');
  expect(body.detail).toContain('No matching version found for is-number@7.0.999');
  expect(body.detail).toContain('npm install --omit=dev is-number@7.0.999');
  expect(
    await eventually(
      () => lab.api.devices(),
      (devices) => devices.some(({ name, state }) => name === 'multiplier_a' && state === 'idle'),
    ),
  ).toBeDefined();
  expect(await product('earlier')).toEqual({ product: 44 });
});

it('a range is refused at its line, and another existing version is accepted', async () => {
  await writeManifest('^7.0.0');
  const { status, body } = await reload<Problem>();
  expect(status).toBe(422);
  expect(body.errors).toContainEqual(
    expect.objectContaining({ file: `${labName}/package.json`, line: 5, code: 'inexact_version' }),
  );
  await writeManifest('6.0.0');
  expect((await reload<LabChange[]>()).status).toBe(200);
  expect(await product('other')).toEqual({ product: 44 });
});

it('what was packed with "svc pkg vendor" runs on a computer that reaches no registry', async () => {
  const program = join(import.meta.dirname, '..', 'apps', 'cli', 'dist', 'main.js');
  const args = [program, 'pkg', 'vendor', join(userDir, labName)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: processEnvironment() });
  expect(stdout).toMatch(/^packed is-number@6\.0\.0: wrote vendor\/\S+\.tar\.gz, 0\.0 MiB\n$/);
  const alone = await startLab([labName], {
    userDir,
    env: { npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(userDir, '.no-cache') },
  });
  try {
    expect(await product('packed', alone)).toEqual({ product: 44 });
    expect(await readdir(join(alone.stack.dataDir, 'agents', 'svc_computer', 'packages'))).toEqual([
      expect.stringMatching(/-packed$/),
    ]);
  } finally {
    await alone.stack.dispose();
  }
});
