import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The program of the TypeScript compiler. */
export const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');

/**
 * Arguments of the compiler that builds projects. It has four checkers for each project unless it is told otherwise, and each of them
 * computes types that others compute too. It compiles several projects at once, so one checker for each keeps all cores busy.
 */
export const buildArguments = ['-b', '--checkers', '1'];

/** Tells what is being done, on standard error, so that the output of the command that follows stays its own. */
export function tell(line) {
  console.error(`bootstrap: ${line}`);
}

/**
 * Runs a program to its end.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{cwd?: string, env?: Record<string, string | undefined>, timeoutMs?: number}} [options] timeout default 10 minutes
 * @returns {Promise<{ok: boolean, output: string}>} whether it ended with 0, and all it printed; never rejects
 */
export function run(program, args, { cwd = root, env = process.env, timeoutMs = 600_000 } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code, signal) =>
      resolve({ ok: code === 0, output: signal === null ? output : `${output}\nended by ${signal}` }),
    );
  });
}

/** The last lines of an output, for an error. */
export function tail(output, lines = 20) {
  return output.trimEnd().split('\n').slice(-lines).join('\n');
}

/** Why npm failed, of its output: npm says that first, and then how it is used. */
export function npmReason(output) {
  const errors = output.split('\n').filter((line) => line.startsWith('npm error'));
  return errors.length === 0 ? tail(output) : errors.slice(0, 12).join('\n');
}
