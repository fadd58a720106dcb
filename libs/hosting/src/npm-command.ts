import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { withoutCredentials } from '@lab/runtime';
import { authorEnvironment } from './forked-process.js';

/** What became of npm. */
export type NpmEnd =
  | { ok: true }
  | { ok: false; /** One line. */ reason: string; /** The end of what it printed. */ output: string };

const flags = ['--omit=dev', '--no-audit', '--no-fund'];
const keptLines = 60;

/** The command that installs the same by hand, in an empty folder. @param dependencies `name@version` */
export function npmByHand(dependencies: readonly string[]): string {
  return `npm install --omit=dev ${dependencies.join(' ')}`;
}

/**
 * Installs what the `package.json` of a folder lists, install scripts included, unless the npm of this computer is set not
 * to run them. Nothing that npm started is left when this resolves: it has a process group, which ends with it.
 *
 * @param folder absolute
 * @param timeoutMs then the group is killed
 * @param signal aborted: likewise
 */
export function npmInstall(folder: string, timeoutMs: number, signal: AbortSignal): Promise<NpmEnd> {
  const env = authorEnvironment();
  const { program, args } = npmOf(env['npm_execpath']);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, 'install', ...flags], {
      cwd: folder,
      env,
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
    child.once('error', (error) => {
      if (child.pid === undefined)
        settle({ ok: false, reason: `npm cannot be run: ${error.message}`, output });
    });
    // What an install script left running would hold the output open, and belongs to nobody.
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

/** The npm that started this process, else the one on the path. */
function npmOf(execPath: string | undefined): { program: string; args: string[] } {
  if (execPath !== undefined && basename(execPath) === 'npm-cli.js') {
    return { program: process.execPath, args: [execPath] };
  }
  // A batch file there, which only the command interpreter runs; the arguments are fixed.
  if (process.platform === 'win32') return { program: 'cmd.exe', args: ['/d', '/c', 'npm'] };
  return { program: 'npm', args: [] };
}

/** npm says first why it failed, then what to do about it; a compiler that failed says so at the end of its own part. */
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
    // Nothing is left of the group, or its number has passed to a process of somebody else.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ESRCH', 'EPERM'].includes(code)) throw error;
  }
}
