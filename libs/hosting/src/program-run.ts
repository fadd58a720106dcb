import { spawn } from 'node:child_process';
import { withoutCredentials } from '@lab/runtime';
import type { Launch } from './code-user.js';

/** How a program that installs something ended. */
export type ProgramEnd =
  | { ok: true; output: string }
  | {
      ok: false;
      /** One line; undefined: the program ended by itself, and its output says why. */
      reason: string | undefined;
      /** How it ended, such as `exit code 1`. */
      how: string;
      /** The end of its output, without credentials. */
      output: string;
      /** This computer does not have the program. */
      isMissing?: true;
    };

export interface RunLimits {
  /** What people call the program. */
  name: string;
  /** Absolute. */
  cwd: string;
  /** After this time the process group is killed, in milliseconds. */
  timeoutMs: number;
  /** When it fires, the process group is killed. */
  signal: AbortSignal;
}

const keptLines = 60;

/** Runs a program in a process group of its own. All its processes have ended when the promise resolves, which never rejects. */
export function runProgram(launch: Launch, { name, cwd, timeoutMs, signal }: RunLimits): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const child = spawn(launch.program, launch.args, {
      cwd,
      env: launch.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let output = '';
    let ended: string | undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output = lastLines(output + text)));
    }
    const end = (why: string): void => {
      ended ??= why;
      killGroup(child.pid);
    };
    const timer = setTimeout(() => end(`${name} did not end within ${timeoutMs / 1_000} s`), timeoutMs);
    const onAbort = (): void => end('this part of the service is stopping');
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    const settle = (found: ProgramEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(found);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      const how = 'it could not be started';
      if (error.code === 'ENOENT')
        settle({ ok: false, reason: `there is no ${name}`, how, output: '', isMissing: true });
      else settle({ ok: false, reason: `${name} cannot be run: ${error.message}`, how, output });
    });
    // A process that was left running would keep the output open.
    child.once('exit', () => killGroup(child.pid));
    child.once('close', (code, killedBy) => {
      const said = withoutCredentials(output);
      if (ended === undefined && code === 0) settle({ ok: true, output: said });
      else settle({ ok: false, reason: ended, how: `${code ?? killedBy}`, output: said });
    });
  });
}

function lastLines(text: string): string {
  return text.split('\n').slice(-keptLines).join('\n');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    // The group has ended, or its number belongs to a process of another user.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ESRCH', 'EPERM'].includes(code)) throw error;
  }
}
