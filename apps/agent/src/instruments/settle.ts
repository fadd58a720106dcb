import { lstat, mkdir, rename, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { InstrumentFolder } from '@lab/contracts';
import { isInside } from './allowed.js';
import type { Taken } from './journal.js';
import { scan } from './scan.js';
import { isVersion } from './take.js';

/**
 * Moves or removes a file that is stored, as the lab says. A file that has changed since stays, and so does one that cannot be found.
 *
 * @param folder of the instrument, without links
 * @returns whether the file is no longer in its place
 * @throws the error of the disk: try again later
 */
export async function settle(
  { path, version }: Pick<Taken, 'path' | 'version'>,
  { afterwards, moved_to: movedTo }: Pick<InstrumentFolder, 'afterwards' | 'moved_to'>,
  folder: string,
): Promise<boolean> {
  if (afterwards === 'keep') return false;
  // The path is text, and the name on the disk may be other bytes.
  const wanted = { matches: (each: string) => each === path, depth: path.split('/').length - 1 };
  const [file] = await scan(folder, wanted, movedTo);
  if (file === undefined) return true;
  const found = await lstat(file.place);
  if (!found.isFile() || !isVersion(found, version)) return false;
  if (afterwards === 'delete') {
    await unlink(file.place);
    return true;
  }
  const below = file.place.subarray(Buffer.byteLength(folder === sep ? '' : folder));
  const target = Buffer.concat([Buffer.from(await realFolder(folder, movedTo)), below]);
  await mkdir(Buffer.from(dirname(target.toString('latin1')), 'latin1'), { recursive: true });
  await rename(file.place, await unused(target));
  return true;
}

/** @throws Error when a link stands in the place of the folder */
async function realFolder(folder: string, below: string): Promise<string> {
  let place = folder;
  for (const part of below.split(/[\\/]/)) {
    place = join(place, part);
    await mkdir(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(place)).isDirectory()) throw new Error(`${place} is not a folder`);
  }
  if (!isInside(folder, place)) throw new Error(`${place} is not below ${folder}`);
  return place;
}

/** The path, or one with a number if something has it already. */
async function unused(path: Buffer): Promise<Buffer> {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? path : Buffer.concat([path, Buffer.from(`~${number}`)]);
    const isTaken = await lstat(free).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    if (!isTaken) return free;
  }
}
