import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freePort } from '@lab/testkit';
import { withoutPython, withoutPythonVariable } from '@lab/testkit/python';
import { pythonEnvironment } from '../apps/cli/src/demo/python-environment.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'demo-packages');

/** The environment of the demo; undefined: there is no Python, or nowhere to get PyLabRobot from. */
const python = withoutPython() ? undefined : await environment();

async function environment(): Promise<string | undefined> {
  const lock = join(packages, 'pylabrobot_lab', 'requirements.lock');
  const folder = join(root, '.cache', 'python');
  try {
    return await pythonEnvironment(
      lock,
      folder,
      process.env['SVC_PYTHON'],
      () => undefined,
      AbortSignal.timeout(240_000),
    );
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(`The tests of PyLabRobot DO NOT RUN: ${(error as Error).message}\n`);
    return undefined;
  }
}

/** Runs the tests in Python of a folder. @param path where its modules are */
async function unittest(folder: string, path: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(
    python ?? '',
    ['-W', 'ignore', '-m', 'unittest', 'discover', '-s', folder],
    { cwd: root, env: { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  return stdout + stderr;
}

describe.skipIf(python === undefined)('PyLabRobot', () => {
  it('has machines that become devices: 25 classes with their simulators', async () => {
    const tests = join(root, 'libs', 'python-host', 'test', 'pylabrobot');
    expect(await unittest(tests, join(root, 'libs', 'python-host', 'src'))).toMatch(
      /^Ran 11 tests[\s\S]*^OK$/m,
    );
  });

  it('is simulated by a model whose dilutions have the results of physics', async () => {
    const tests = join(packages, 'pylabrobot_lab', 'test');
    const path = [packages, join(root, 'libs', 'python-host', 'src')].join(delimiter);
    expect(await unittest(tests, path)).toMatch(/^Ran 7 tests[\s\S]*^OK$/m);
  });

  it('dilutes better in the demo with what an optimizer proposes, and the lab remembers its labware', async () => {
    const env = { ...process.env, SVC_HTTP_PORT: String(await freePort()) };
    // It ends with 0 only when all work completed and the optimizer found a better dilution than the usual one.
    const { stdout } = await promisify(execFile)('npm', ['--silent', 'run', 'demo:pylabrobot'], {
      cwd: root,
      env,
    });
    expect(stdout).toContain('12 dilutions optimized: 12 of 12');
    const factor = (row: string): number => Number(new RegExp(`^${row} +([\\d.]+) `, 'm').exec(stdout)?.[1]);
    expect(Math.abs(factor('best run') - 2)).toBeLessThan(0.1);
    expect(Math.abs(factor('as usual') - 2)).toBeGreaterThan(0.3);
    // 13 runs take eight tips each, from racks of 96.
    expect(stdout).toMatch(/^tips_1 +88 tips/m);
  });
});
