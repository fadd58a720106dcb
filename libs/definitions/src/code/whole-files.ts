import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that other processes read while they are written. */

/** How the name of a draft, a file that is still being written, ends: with the id of the process that writes it. */
const draftEnd = /\.(\d+)-[0-9a-f-]{36}\.tmp$/;
/** How often a file is written again because another process has removed its draft. */
const mostAttempts = 3;

/** Writes a file so that another process sees either the old or the new content, never a part. */
export async function writeWhole(path: string, text: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const draft = `${path}.${process.pid}-${randomUUID()}.tmp`;
    try {
      await writeFile(draft, text, { flag: 'wx' });
      await rename(draft, path);
      return;
    } catch (error) {
      await rm(draft, { force: true });
      // A process in another container cannot see that this one runs, and may have removed its draft.
      if (!isMissing(error) || attempt === mostAttempts) throw error;
    }
  }
}

/**
 * Removes the drafts of processes that have ended. Call it before the process writes to the folder: drafts with its own id are those of
 * an earlier process, because the processes of containers often have the same id.
 *
 * A folder that cannot be read or written keeps them, because they do no harm.
 */
export async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const drafts = names.filter((name) => {
    const pid = draftEnd.exec(name)?.[1];
    return pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid)));
  });
  await Promise.allSettled(drafts.map((name) => rm(join(folder, name), { force: true })));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
