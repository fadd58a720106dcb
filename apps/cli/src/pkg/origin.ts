import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Where the sources of a package come from, for the record. */
export interface Origin {
  commit?: string;
  author?: string;
}

const run = promisify(execFile);

/**
 * The commit that is checked out in a folder, and its author; nothing without Git. A commit with changed files ends with
 * `-modified`.
 *
 * @param given what a person has said instead
 */
export async function originOf(folder: string, given: Origin): Promise<Origin> {
  const [commit, changes, author] = await Promise.all([
    git(folder, 'rev-parse', '--verify', 'HEAD'),
    git(folder, 'status', '--porcelain', '--', '.'),
    git(folder, 'log', '-1', '--format=%ae'),
  ]);
  const found = commit === undefined ? undefined : `${commit}${changes === '' ? '' : '-modified'}`;
  const origin = { commit: given.commit ?? found, author: given.author ?? author };
  return {
    ...(origin.commit === undefined ? {} : { commit: origin.commit }),
    ...(origin.author === undefined || origin.author === '' ? {} : { author: origin.author }),
  };
}

async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  try {
    // The configuration of a repository can name a program as its monitor of files. Reading must not start it.
    const command = ['-C', folder, '-c', 'core.fsmonitor=false', ...args];
    return (await run('git', command, { timeout: 5_000, windowsHide: true })).stdout.trim();
  } catch {
    return undefined;
  }
}
