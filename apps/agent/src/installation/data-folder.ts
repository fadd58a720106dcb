import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { processEnvironment } from '@lab/runtime/light';

/** What the data folder depends on. */
export interface Surroundings {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** Home folder of the user. */
  home: string;
  /** Base of relative paths. */
  cwd: string;
}

const name = 'svc-agent';

/**
 * The folder in which an agent keeps everything: what it got when it joined, its ledger, and the files of its tasks. The
 * first of these counts: the option `--data`, SVC_DATA_DIR, the folder of the operating system for such data.
 *
 * @param option the value of `--data`
 * @returns an absolute path
 */
export function dataFolder(option?: string, surroundings: Surroundings = here()): string {
  const { env, cwd } = surroundings;
  const given = option ?? (env['SVC_DATA_DIR'] || undefined);
  return resolve(cwd, given ?? usualFolder(surroundings));
}

function usualFolder({ platform, env, home }: Surroundings): string {
  switch (platform) {
    case 'win32':
      return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), name);
    case 'darwin':
      return join(home, 'Library', 'Application Support', name);
    default:
      return join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), name);
  }
}

function here(): Surroundings {
  return { platform: process.platform, env: processEnvironment(), home: homedir(), cwd: process.cwd() };
}
