import { constants } from 'node:fs';
import { open, readlink, realpath, rm, statfs, type FileHandle } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { Digest, writeFrom } from '../files/index.js';
import { isInside } from './allowed.js';
import { isBeingWritten } from './being-written.js';
import type { Version } from './journal.js';
import type { ScannedFile } from './scan.js';

/** A named pipe cannot hold the agent, and a link is not followed. */
const openFlags =
  process.platform === 'win32'
    ? constants.O_RDONLY
    : constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Free bytes that a copy leaves on the disk of the agent. */
const reserve = 64 * 1024 * 1024;

export interface TakeOptions {
  /** The folder of the instrument, without links. */
  folder: string;
  version: Version;
  /** Path of the copy, which does not exist yet. */
  copy: string;
  /** Whether author code runs as another user, who may make links. */
  distrusts: boolean;
  signal: AbortSignal;
  /** Free bytes of the disk of a folder. */
  freeBytes?: (folder: string) => Promise<number>;
}

/** Why a file is not taken now. `never`: not before it changes. */
export interface Refusal {
  refused: 'later' | 'never';
  reason: string;
}

/**
 * Copies a version of a file durably to the disk of the agent.
 *
 * Guarantees: the copy is the whole version: the file did not change from its opening to the end, and nobody had it open for writing, as far
 * as the system tells. No copy is left otherwise.
 *
 * @returns SHA-256 of the copy, and when the file was made, in milliseconds since 1970 by the clock of its disk
 * @throws the error of the disk
 */
export async function takeFile(
  { place }: ScannedFile,
  { folder, version, copy, distrusts, signal, freeBytes = freeBytesOf }: TakeOptions,
): Promise<{ sha256: string; birthMs: number } | Refusal> {
  const file = await open(place, openFlags);
  try {
    const before = await file.stat();
    if (!before.isFile()) return { refused: 'never', reason: 'it is not a file' };
    if (distrusts && before.nlink > 1)
      return {
        refused: 'never',
        reason: 'it has a second name, and code of another user runs on this computer',
      };
    if (!(await isReallyInside(file, place, folder, before.ino)))
      return { refused: 'never', reason: 'it leads out of the folder' };
    if (!isVersion(before, version)) return { refused: 'later', reason: 'it changes' };
    if (await isBeingWritten(place, before)) return { refused: 'later', reason: 'a program still writes it' };
    const free = await freeBytes(dirname(copy));
    if (free < version.size + reserve)
      return { refused: 'later', reason: 'the disk of the agent has no room for it' };
    const sha256 = await copyOf(file, copy, version.size, signal);
    const whole = sha256 !== undefined && isVersion(await file.stat(), version);
    if (whole) return { sha256, birthMs: before.birthtimeMs };
    await rm(copy, { force: true });
    return { refused: 'later', reason: 'it changes' };
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

export function isVersion(found: Version, version: Version): boolean {
  return found.size === version.size && found.mtimeMs === version.mtimeMs;
}

/** The folders on the way may be links by now, so what was really opened is looked at. */
async function isReallyInside(
  file: FileHandle,
  place: Buffer,
  folder: string,
  ino: number,
): Promise<boolean> {
  if (process.platform === 'linux') {
    const inside = Buffer.from(folder === sep ? sep : folder + sep);
    const real = await readlink(`/proc/self/fd/${file.fd}`, { encoding: 'buffer' });
    return real.subarray(0, inside.length).equals(inside);
  }
  const real = await realpath(place);
  if (!isInside(folder, real)) return false;
  const again = await open(real, openFlags);
  try {
    return (await again.stat()).ino === ino;
  } finally {
    await again.close();
  }
}

/** @returns undefined: the file has another number of bytes */
async function copyOf(
  file: FileHandle,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const digest = new Digest();
  // One byte more would be seen, and a file that grows for ever does not fill the disk.
  const source = file.createReadStream({ start: 0, end: size, autoClose: false });
  await writeFrom(source, digest, path, { flags: 'wx', mode: 0o600, flush: true, signal });
  return digest.size === size ? digest.sha256() : undefined;
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
