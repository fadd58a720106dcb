import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes the files of a result. @returns the path of the archive */
export async function keepArchive(folder: string, name: string, id: string, bytes: Buffer): Promise<string> {
  const results = join(folder, 'results');
  await mkdir(results, { recursive: true });
  const path = join(results, `${name}-${id}.zip`.replaceAll(/[^A-Za-z0-9_.-]/g, '_'));
  await writeFile(path, bytes);
  return path;
}
