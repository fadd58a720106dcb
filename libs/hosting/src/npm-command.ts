import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import type { CodeUser } from './code-user.js';
import { authorEnvironment } from './forked-process.js';
import { runProgram } from './program-run.js';

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
export async function npmInstall(
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
  if (program === 'cmd.exe' && !isOnPath('npm.cmd', env['PATH'] ?? env['Path'])) return missing;
  const end = await runProgram(launch, { name: 'npm', cwd: folder, timeoutMs, signal });
  if (end.ok) return { ok: true };
  if (end.isMissing === true) return missing;
  const reason = end.reason ?? reasonIn(end.output) ?? `npm ended with ${end.how}`;
  return { ok: false, reason, output: end.output };
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
