import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { withoutCredentials } from '@lab/runtime';
import type { CodeUser } from './code-user.js';
import { authorEnvironment } from './forked-process.js';

/** The outcome of a run of npm. */
export type NpmEnd =
  | { ok: true }
  | {
      ok: false;
      /** One line. */
      reason: string;
      /** The end of its output. */
      output: string;
      /** This computer has no npm. */
      isMissing?: true;
    };

const flags = ['--omit=dev', '--no-audit', '--no-fund'];
const keptLines = 60;

/** The command that a person can run in an empty folder to install the same packages. @param dependencies `name@version` */
export function npmByHand(dependencies: readonly string[]): string {
  return `npm install --omit=dev ${dependencies.join(' ')}`;
}

/**
 * Installs the packages that the `package.json` of a folder lists. Install scripts run, unless the npm of this computer is
 * configured not to run them. npm has its own process group, and all its processes have ended when the promise resolves.
 *
 * @param folder absolute path
 * @param timeoutMs after this time the process group is killed, in milliseconds
 * @param signal when it fires, the process group is killed
 * @param user under whom npm and the install scripts run; undefined: the user of this process
 * @param cache folder of the cache of npm; undefined: what npm is configured to use
 */
export function npmInstall(
  folder: string,
  timeoutMs: number,
  signal: AbortSignal,
  { user, cache }: { user?: CodeUser | undefined; cache?: string | undefined } = {},
): Promise<NpmEnd> {
  const env = authorEnvironment();
  const { program, args } = npmOf(env['npm_execpath']);
  const own = {
    ...{ program, args: [...args, 'install', ...flags] },
    env: cache === undefined ? env : { ...env, npm_config_cache: cache },
  };
  const launch = user?.launch(own) ?? own;
  const missing: NpmEnd = { ok: false, reason: 'there is no npm', output: '', isMissing: true };
  // The command interpreter would only say it in the language of the computer.
  if (program === 'cmd.exe' && !isOnPath('npm.cmd', env['PATH'] ?? env['Path']))
    return Promise.resolve(missing);
  return new Promise((resolve) => {
    const child = spawn(launch.program, launch.args, {
      cwd: folder,
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
    const timer = setTimeout(() => end(`npm did not end within ${timeoutMs / 1_000} s`), timeoutMs);
    const onAbort = (): void => end('this part of the service is stopping');
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    const settle = (found: NpmEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(found);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      if (error.code === 'ENOENT') settle(missing);
      else settle({ ok: false, reason: `npm cannot be run: ${error.message}`, output });
    });
    // A process that an install script left running would keep the output open.
    child.once('exit', () => killGroup(child.pid));
    child.once('close', (code, killedBy) => {
      const said = withoutCredentials(output);
      if (ended !== undefined) settle({ ok: false, reason: ended, output: said });
      else if (code === 0) settle({ ok: true });
      else
        settle({ ok: false, reason: reasonIn(said) ?? `npm ended with ${code ?? killedBy}`, output: said });
    });
  });
}

/** Finds the npm that started this process, or else the one on the path. */
function npmOf(execPath: string | undefined): { program: string; args: string[] } {
  if (execPath !== undefined && basename(execPath) === 'npm-cli.js') {
    return { program: process.execPath, args: [execPath] };
  }
  // On Windows npm is a batch file, which only the command interpreter runs. The arguments are fixed.
  if (process.platform === 'win32') return { program: 'cmd.exe', args: ['/d', '/c', 'npm'] };
  return { program: 'npm', args: [] };
}

function isOnPath(file: string, path = ''): boolean {
  return path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, file)));
}

/** Finds the reason of a failure. npm prints its reason first; a failed compiler prints its reason last. */
function reasonIn(output: string): string | undefined {
  const lines = output.split('\n').flatMap((line) => /^npm (?:error|ERR!) (.+)$/.exec(line)?.[1] ?? []);
  const compiler = lines.filter((line) => /^gyp ERR! stack|\berror:/i.test(line)).at(-1);
  return (
    compiler ?? lines.find((line) => !/^(code|errno|syscall|path|command|fetch) /.test(line)) ?? lines[0]
  );
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
