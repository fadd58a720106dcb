import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Vault } from '@lab/backup';
import { openFiles, openFileStore, type ObjectStore } from '@lab/object-store';
import type { BackupSettings, Secret } from '@lab/runtime';

/** Nobody uploads to these stores or downloads from them over HTTP. */
const noTickets = () => ({ publicUrl: 'http://127.0.0.1', secret: randomBytes(32).toString('hex') });

/** Where a backup is: the setting, and the keys of its bucket. */
export interface BackupPlace {
  settings: Pick<BackupSettings, 'to' | 'endpoint' | 'region' | 'path_style'>;
  accessKeyId: Secret | undefined;
  secretAccessKey: Secret | undefined;
}

/** @throws Error when the folder does not exist, or the keys of the bucket are not set; ServiceError of the store */
export async function openVault({ settings, ...keys }: BackupPlace): Promise<Vault> {
  const { to, endpoint, region, path_style: pathStyle } = settings;
  const [, bucket] = /^s3:\/\/(.+)$/.exec(to) ?? [];
  if (bucket === undefined) return openFolderVault(to);
  if (keys.accessKeyId === undefined || keys.secretAccessKey === undefined)
    throw new Error(
      `the backup is in a bucket, so SVC_BACKUP_S3_ACCESS_KEY_ID and SVC_BACKUP_S3_SECRET_ACCESS_KEY must be set`,
    );
  const accessKeyId = keys.accessKeyId.reveal();
  const secretAccessKey = keys.secretAccessKey.reveal();
  const at = { bucket, endpoint, region, pathStyle, accessKeyId, secretAccessKey };
  return new Vault(await openFiles({ kind: 's3', ...noTickets(), ...at }));
}

/** @throws Error when there is no such folder: its disk may be away, and the disk below must not take its place */
export async function openFolderVault(folder: string): Promise<Vault> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`there is no folder ${folder}; make it, or mount its disk`);
  return new Vault(await openFileStore({ folder, ...noTickets() }));
}

/** The files of tasks in a data folder. */
export function openTaskFiles(dataDir: string): Promise<ObjectStore> {
  return openFileStore({ folder: join(dataDir, 'files'), ...noTickets() });
}
