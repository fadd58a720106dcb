import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deviceFileKey, taskFileKey, type ObjectStore } from '@lab/object-store';
import {
  beginAnew,
  countRecords,
  recordedDeviceFiles,
  recordedFiles,
  type RecordCounts,
} from '@lab/persistence/administration';
import { recoverPostgres, startPostgres } from '@lab/persistence/embedded';
import { fetchCopy, listLines, type CopyNote, type Line } from './copies.js';
import { fetchFiles, fetchRest, hasFiles, missingFiles } from './data-files.js';
import type { Vault } from './vault.js';
import { fetchLog } from './wal-archive.js';

export interface RestoreOptions {
  vault: Vault;
  /** Opens the backup: `AGE-SECRET-KEY-...`. */
  secret: string;
  /** The data folder to make. It does not exist, or is empty. */
  dataDir: string;
  /** The last moment whose transactions count; undefined: the latest one of the backup. */
  to: Date | undefined;
  /** Opens the store of files in a data folder. */
  openFiles: (dataDir: string) => Promise<ObjectStore>;
  /** Called with one line for each step. */
  say: (line: string) => void;
}

export interface Restored extends RecordCounts {
  /** The moment up to which the records are there, in ISO 8601. */
  moment: string;
  /** Keys of files that records name and the backup does not have; undefined: files of tasks are not in this backup. */
  missing: string[] | undefined;
}

/**
 * Makes the data folder as it was at a moment. Until it is complete, it stands beside its place under another name.
 *
 * @throws Error in one sentence; nothing is changed then
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { vault, secret, dataDir, openFiles, say } = options;
  await refuseContent(dataDir);
  const draft = `${dataDir}.unfinished`;
  return inDraft(draft, async () => {
    const { files, ...restored } = await restoreDatabase(options, draft);
    const absent = new Set(restored.missing ?? files);
    say('fetching the files of tasks');
    const present = files.filter((key) => !absent.has(key));
    await fetchFiles(vault, secret, present, await openFiles(draft));
    await rm(dataDir, { recursive: true, force: true });
    await rename(draft, dataDir);
    return restored;
  });
}

/**
 * Restores the records into a folder, counts them, looks whether every file that they name is in the backup, and removes the
 * folder.
 *
 * @throws Error in one sentence when the backup cannot be restored
 */
export async function verifyBackup(options: Omit<RestoreOptions, 'openFiles'>): Promise<Restored> {
  await refuseContent(options.dataDir);
  return inDraft(options.dataDir, async () => {
    const { files: _, ...restored } = await restoreDatabase(options, options.dataDir);
    return restored;
  });
}

/** Removes the folder, unless the work has moved it away. */
async function inDraft<T>(draft: string, work: () => Promise<T>): Promise<T> {
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    return await work();
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** @returns also the keys of all files that records name */
async function restoreDatabase(
  { vault, secret, to, say }: Omit<RestoreOptions, 'openFiles' | 'dataDir'>,
  folder: string,
): Promise<Restored & { files: string[] }> {
  const { copy, moment } = choose(await listLines(vault), to);
  say(`restoring the copy of ${copy.completedAt}`);
  const postgres = join(folder, 'postgres');
  const secrets = join(folder, 'secrets');
  const log = join(folder, 'log-of-changes');
  await fetchRest(vault, secret, folder);
  await fetchCopy(vault, secret, copy.id, postgres);
  const segments = await fetchLog(vault, secret, copy.firstSegment, log);
  say(`taking in the log of changes up to ${moment} (${segments} segments)`);
  const password = (await readFile(join(secrets, 'postgres-password'), 'utf8')).trim();
  await recoverPostgres(postgres, { wal: log, to }, password);
  await rm(log, { recursive: true });
  const server = await startPostgres({ dataDir: postgres, secrets });
  try {
    await beginAnew(server.url, moment);
    const ofTasks = (await recordedFiles(server.url)).map(({ taskRunId, attempt, name }) =>
      taskFileKey(taskRunId, attempt, name),
    );
    const files = [...ofTasks, ...(await recordedDeviceFiles(server.url)).map(deviceFileKey)];
    const missing = (await hasFiles(vault)) ? await missingFiles(vault, files) : undefined;
    return { moment, files, missing, ...(await countRecords(server.url)) };
  } finally {
    await server.stop();
  }
}

/** @throws Error when the moment cannot be restored */
function choose(lines: readonly Line[], to: Date | undefined): { copy: CopyNote; moment: string } {
  const last = lines.at(-1);
  if (last === undefined) throw new Error('There is no whole copy in this backup.');
  const moment = to?.toISOString() ?? last.to;
  const line = lines.findLast(({ from, to: end }) => from <= moment && moment <= end);
  const copy = line?.copies.findLast(({ completedAt }) => completedAt <= moment);
  if (copy === undefined)
    throw new Error(
      `${moment} cannot be restored; this backup has ${lines.map(({ from, to: end }) => `${from} to ${end}`).join(', ')}.`,
    );
  return { copy, moment };
}

async function refuseContent(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0)
    throw new Error(`${folder} is not empty; stop the service and move it aside, or choose another folder.`);
}
