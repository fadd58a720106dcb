import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Vault } from '@lab/backup';
import { openFileStore, type ObjectStore } from '@lab/object-store';

/** A store in a folder, of which nobody uploads or downloads over HTTP. */
async function openFolder(folder: string): Promise<ObjectStore> {
  return openFileStore({ folder, publicUrl: 'http://127.0.0.1', secret: randomBytes(32).toString('hex') });
}

/** @throws Error when there is no such folder: its disk may be away, and the disk below must not take its place */
export async function openVault(folder: string): Promise<Vault> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`there is no folder ${folder}; make it, or mount its disk`);
  return new Vault(await openFolder(folder));
}

/** The files of tasks in a data folder. */
export function openTaskFiles(dataDir: string): Promise<ObjectStore> {
  return openFolder(join(dataDir, 'files'));
}
