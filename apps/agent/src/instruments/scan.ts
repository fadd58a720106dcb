import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { textOfName } from './names.js';
import type { Wanted } from './patterns.js';

/** A file in the folder of an instrument. */
export interface ScannedFile {
  /** Below the folder, with `/`. */
  path: string;
  /** Absolute. Bytes, because a name need not be UTF-8. */
  place: Buffer;
}

const slash = Buffer.from(sep);

/**
 * The wanted files of a folder, in no particular order. Links are not followed.
 *
 * @param folder absolute, without links
 * @param skipped path of a folder below it that is not looked into
 * @throws the error of the file system when the folder itself cannot be read; a folder below it may vanish meanwhile
 */
export async function scan(folder: string, wanted: Wanted, skipped: string): Promise<ScannedFile[]> {
  const found: ScannedFile[] = [];
  const look = async (place: Buffer, path: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(place, depth === 0)) {
      const name = textOfName(entry.name);
      const own = {
        path: path === '' ? name : `${path}/${name}`,
        place: Buffer.concat([place, slash, entry.name]),
      };
      const kind = await kindOf(entry, own.place);
      if (kind === 'file' && wanted.matches(own.path)) found.push(own);
      if (kind === 'folder' && depth < wanted.depth && own.path !== skipped)
        await look(own.place, own.path, depth + 1);
    }
  };
  await look(Buffer.from(folder), '', 0);
  return found;
}

async function entriesOf(place: Buffer, isRoot: boolean): Promise<Dirent<Buffer>[]> {
  try {
    return await readdir(place, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    if (isRoot) throw error;
    return [];
  }
}

async function kindOf(entry: Dirent<Buffer>, place: Buffer): Promise<'file' | 'folder' | undefined> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket()) return undefined;
  // Some shares do not say what an entry is.
  const stat = await lstat(place).catch(() => undefined);
  return stat?.isFile() === true ? 'file' : stat?.isDirectory() === true ? 'folder' : undefined;
}
