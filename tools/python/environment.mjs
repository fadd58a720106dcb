/**
 * Makes a Python environment with what the tests of the Python packages need: the packages of lock.txt from PyPI, each compared with its
 * hash, in .cache/python. It takes 640 MB and half a minute. Ends with 1 and says why when that cannot be.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, tail, tell } from '../bootstrap/command.mjs';
import { cache } from '../bootstrap/debian.mjs';

const here = import.meta.dirname;
const folder = join(cache, 'python');
const hashed = ['--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--require-hashes'];

const python = await interpreter();
const content = ['lock.txt', 'client.txt'].map((name) => readFileSync(join(here, name), 'utf8'));
const key = createHash('sha256')
  .update([python.version, ...content].join('\n'))
  .digest('hex')
  .slice(0, 16);
const target = join(folder, key);
const program = join(target, 'venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const wheels = join(target, 'wheels');

if (!existsSync(join(target, 'complete'))) {
  tell('fetching Python packages for the tests (from PyPI, into .cache), about half a minute');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(wheels, { recursive: true });
  await must('venv', python.program, ['-m', 'venv', join(target, 'venv')]);
  await must('pip install', program, [
    ...['-m', 'pip', 'install', '--quiet', '--no-compile', ...hashed],
    ...['-r', join(here, 'lock.txt')],
  ]);
  // For an empty environment, in which a test installs the client without a network.
  await must('pip download', program, [
    ...['-m', 'pip', 'download', '--quiet', ...hashed],
    ...['-r', join(here, 'client.txt'), '-d', wheels],
  ]);
  writeFileSync(join(target, 'complete'), '');
}
for (const other of readdirSync(folder))
  if (other !== key) rmSync(join(folder, other), { recursive: true, force: true });
writeFileSync(join(cache, 'python.json'), JSON.stringify({ python: program, wheels }));

async function interpreter() {
  const question = 'import sys; assert sys.version_info >= (3, 9); print(sys.version)';
  const names = process.env.SVC_PYTHON ? [process.env.SVC_PYTHON] : ['python3', 'python'];
  for (const name of names) {
    const answer = await run(name, ['-I', '-c', question]);
    if (answer.ok) return { program: name, version: answer.output };
  }
  return fail(`${names.join(' or ')} is no Python 3.9 or later`);
}

async function must(what, ...command) {
  const answer = await run(...command);
  if (!answer.ok) fail(`${what} failed (${tail(answer.output, 3)})`);
}

function fail(problem) {
  console.error(`no environment to test the Python packages in: ${problem}`);
  process.exit(1);
}
