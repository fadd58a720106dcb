import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file as a whole. When the promise resolves, the text is on the disk. After a crash at any moment the file has the earlier
 * text or the new one. Only the user of this process can read it.
 *
 * @param path absolute, in a folder that exists
 * @throws Error of the disk
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. Windows cannot open a folder, and does not need this. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
