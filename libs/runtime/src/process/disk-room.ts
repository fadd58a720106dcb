import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Free space that work needs, in MiB: a further segment of a ledger, or a further file of the log of PostgreSQL. */
const needed = 16;
const mebibyte = 1024 * 1024;

/**
 * Says that the disk of a folder has less room than the service needs.
 *
 * @param computer its name, for people
 * @returns undefined when the disk has the room, or cannot be asked because the folder does not exist
 */
export async function lackOfRoom(folder: string, computer: string = hostname()): Promise<string | undefined> {
  try {
    const { bavail: blocks, bsize: size } = await statfs(folder);
    const free = (blocks * size) / mebibyte;
    if (free >= needed) return undefined;
    return `the disk of computer ${computer} is full (${Math.floor(free)} MiB are free, ${needed} MiB are needed)`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
