import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fetchFile, type FilePiece, type WantedFile } from './fetched-file.js';

/** A name in the folder that is no draft. */
const wheel = /^[0-9a-f]{64}$/;

/**
 * Wheels on disk, each under its SHA-256, for the next lock that names them. Nothing is believed of them: each is compared with its
 * SHA-256 whenever it is used. Processes may share the folder.
 */
export class WheelCache {
  /** @param folder absolute; made when the first wheel comes */
  constructor(private readonly folder: string) {}

  /**
   * Puts a wheel at a path, and fetches it only if it is not kept.
   *
   * @param path of a new file
   * @returns whether it was fetched
   * @throws what {@link fetchFile} throws; nothing is kept then
   */
  async place(path: string, wanted: WantedFile, piece: FilePiece, signal: AbortSignal): Promise<boolean> {
    const kept = join(this.folder, wanted.sha256);
    const isKept = await isWhole(kept, wanted.sha256);
    if (isKept) await utimes(kept, new Date(), new Date()).catch(() => undefined);
    else await this.#fetch(kept, wanted, piece, signal);
    // Not every file system has links, and two folders may lie on two of them.
    await link(kept, path).catch(() => copyFile(kept, path));
    return !isKept;
  }

  /**
   * Deletes wheels that no lock has needed lately, and what earlier processes left unfinished.
   *
   * @param usedBefore milliseconds since 1970
   * @param begunBefore drafts that were begun later may belong to a process that still writes them, in milliseconds since 1970
   */
  async removeUnused(usedBefore: number, begunBefore: number): Promise<void> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => undefined);
      const before = wheel.test(name) ? usedBefore : begunBefore;
      if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true });
    }
  }

  async #fetch(kept: string, wanted: WantedFile, piece: FilePiece, signal: AbortSignal): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const draft = `${kept}.${randomBytes(6).toString('hex')}`;
    try {
      await fetchFile(draft, wanted, piece, signal);
      await rename(draft, kept);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

async function isWhole(path: string, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  return hash.digest('hex') === sha256;
}
