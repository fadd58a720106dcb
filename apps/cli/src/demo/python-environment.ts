import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Python } from '@lab/hosting';

/** Written last, so that an interrupted installation is begun anew. */
const marker = 'complete';
/** Longest time of an installation, in milliseconds. */
const installMs = 600_000;

/**
 * A virtual environment with the packages of a lock, whose hashes pip compares. It is made once for each lock and each version of
 * Python.
 *
 * @param lock path of a file for `pip install --require-hashes`
 * @param folder holds the environments
 * @param command a Python, or its path; undefined: `python3` or `python` of the `PATH`
 * @param tell is called before the environment is made
 * @returns path of its interpreter
 * @throws Error in one sentence when Python, its modules `venv` and `pip`, or the packages cannot be had
 */
export async function pythonEnvironment(
  lock: string,
  folder: string,
  command: string | undefined,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const python = new Python(command);
  const found = await python.find();
  if ('why' in found) {
    throw new Error(
      `this demo needs Python 3.9 or later (${found.why}): install it, for example with "apt install python3 python3-venv", or name its program with SVC_PYTHON`,
    );
  }
  const key = createHash('sha256')
    .update(await readFile(lock))
    .update((await run(found.program, ['-I', '-VV'], signal)).text)
    .update(found.program);
  const place = join(folder, key.digest('hex').slice(0, 16));
  const interpreter =
    process.platform === 'win32' ? join(place, 'Scripts', 'python.exe') : join(place, 'bin', 'python');
  if (existsSync(join(place, marker))) return interpreter;
  tell('installing the packages of Python');
  await rm(place, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const made = await run(found.program, ['-I', '-m', 'venv', place], signal);
  if (!made.ok) {
    throw new Error(
      `${found.program} cannot make a virtual environment (${lastLine(made.text)}): install its modules venv and pip, for example with "apt install python3-venv"`,
    );
  }
  const options = ['--require-hashes', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check'];
  const installed = await run(
    interpreter,
    ['-I', '-m', 'pip', 'install', '--quiet', ...options, '-r', lock],
    signal,
  );
  if (!installed.ok) {
    throw new Error(
      `pip cannot install the packages of ${lock} (${lastLine(installed.text)}): does this computer reach an index of Python packages?`,
    );
  }
  await writeFile(join(place, marker), '');
  return interpreter;
}

async function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ ok: boolean; text: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      signal,
      timeout: installMs,
      windowsHide: true,
    });
    return { ok: true, text: stdout + stderr };
  } catch (error) {
    signal.throwIfAborted();
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    return { ok: false, text: `${stdout}${stderr}`.trim() || message };
  }
}

/** pip and venv say last why they failed. */
function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !line.startsWith('[notice]')) ?? 'no reason given';
}
