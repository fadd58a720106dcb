import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LabChange, Problem } from '@lab/contracts';
import { processEnvironment } from '@lab/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, isOver } from './api.js';
import { copyPackages, startLab, type Lab } from './lab.js';

/** A service and its agent that run only code which the lab has signed with a key that the service does not have. */

const run = promisify(execFile);
const labName = 'multiplication_lab';
const program = join(import.meta.dirname, '..', 'apps', 'cli', 'dist', 'main.js');
let folder = '';
let userDir = '';
let lab: Lab;

const svc = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [program, ...args], { cwd: folder, env: processEnvironment() })).stdout;
const sign = (): Promise<string> => svc('pkg', 'sign', join(userDir, labName), '--key', 'lab.pem');
const device = (): string => join(userDir, labName, 'devices', 'multiplier', 'device.ts');

/** Written by the changed code. */
const mark = (): string => join(folder, 'mark');

beforeAll(async () => {
  // Inside the repository, so that the code of the package finds the SDK as in any other package.
  folder = await mkdtemp(join(import.meta.dirname, '.signed-'));
  userDir = join(folder, 'packages');
  await copyPackages(userDir);
  const [key = ''] = /svc_code_[\w-]{43}/.exec(await svc('pkg', 'key', 'new', 'lab.pem')) ?? [];
  expect(await sign()).toContain(`of ${labName}`);
  lab = await startLab([labName], { userDir, env: { SVC_CODE_KEY: key } });
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function product(name: string): Promise<unknown> {
  const submitted = await lab.api.submit('tasks', {
    ...{ name, type: 'multiply', devices: { multiplier: { lab_name: labName, name: 'multiplier_a' } } },
    input_parameters: { number: 6, factor: 7 },
  });
  expect(submitted.status).toBeLessThan(300);
  const task = await eventually(() => lab.api.task(name), isOver);
  return task.output_parameters?.['product'];
}

const reload = <T>(): Promise<{ status: number; body: T }> =>
  lab.api.call<T>('POST', '/api/labs/reload', { lab_types: [labName] });

it('runs signed code, and the agent has kept what service and lab have signed', async () => {
  expect(await product('signed')).toBe(42);
  const kept = join(lab.stack.dataDir, 'agents', 'svc_computer', 'code-manifests');
  expect(await readdir(kept)).toHaveLength(2);
});

it('refuses a reload of code that changed after it was signed, and goes on with the signed one', async () => {
  const text = await readFile(device(), 'utf8');
  const writes = `writeFileSync(${JSON.stringify(mark())}, '');`;
  await writeFile(device(), `import { writeFileSync } from 'node:fs';\n${text}\n${writes}\n`);
  const { status, body } = await reload<Problem>();
  expect(status).toBe(422);
  expect(body.errors).toContainEqual(
    expect.objectContaining({
      code: 'unsigned_code',
      file: `${labName}/devices/multiplier/device.ts`,
      message: expect.stringMatching(
        /^multiplication_lab\/devices\/multiplier\/device\.ts was signed with the SHA-256 \w{64} in \S+ \S+, and \w{64} is offered$/,
      ) as string,
      hint: `svc pkg sign ${labName} --key FILE`,
    }),
  );
  expect(await product('still signed')).toBe(42);
  expect(existsSync(mark())).toBe(false);
});

it('runs the changed code as soon as the lab has signed it', async () => {
  await sign();
  const { status, body } = await reload<LabChange[]>();
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('multiplier_a')]);
  expect(await product('signed again')).toBe(42);
  expect(existsSync(mark())).toBe(true);
});
