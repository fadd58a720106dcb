import { createHash, type Hash } from 'node:crypto';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isServiceError, ServiceError } from '@lab/contracts';
import { compare, mismatch, sizeFault, uploadName } from './content.js';
import { absent, type Received } from './incoming.js';
import { Writers } from './writers.js';
import type { FileGrant } from './object-store.js';

/**
 * Uploads that can be interrupted and continued. The received bytes wait in a file that is named after the key and the
 * expected content, so that any bearer of a ticket for the same content can go on. Only one process at a time accepts
 * uploads in a folder.
 */
export class PartialUploads {
  readonly #writers = new Writers();

  /** @param folder exists */
  constructor(private readonly folder: string) {}

  /** Number of bytes that have arrived; undefined: there is no upload in progress. */
  async received(grant: FileGrant): Promise<number | undefined> {
    const info = await stat(this.#pathOf(grant)).catch(absent);
    return info?.size;
  }

  /**
   * Writes what the source yields after the first `from` bytes, durably, and checks the whole. After a failure of the
   * source the received bytes stay; wrong content is removed. Ends another upload of the same content.
   *
   * @throws ServiceError `wrong_state` when another number of bytes arrived before, when another connection has taken
   *   over the upload, or when the earlier bytes are wrong; `invalid` when the new bytes are wrong; errors of the
   *   source
   */
  async receive(grant: FileGrant, source: AsyncIterable<Uint8Array>, from: number): Promise<Received> {
    const path = this.#pathOf(grant);
    return this.#writers.alone(path, source, (mine) => this.#write(path, grant, mine, from));
  }

  async #write(
    path: string,
    grant: FileGrant,
    source: AsyncIterable<Uint8Array>,
    from: number,
  ): Promise<Received> {
    const file = await open(path, from === 0 ? 'w' : 'r+', 0o600).catch((error: unknown) => {
      absent(error);
      throw otherOffset(0);
    });
    try {
      const { size } = await file.stat();
      if (size !== from) throw otherOffset(size);
      const hash = createHash('sha256');
      await addArrived(file, from, hash);
      const written = await append(file, source, { from, most: grant.size, hash });
      await file.sync();
      const content = { size: written, sha256: hash.digest('hex') };
      compare(content, grant);
      return { path, content };
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'invalid') throw error;
      await rm(path, { force: true });
      if (from === 0) throw error;
      throw new ServiceError('wrong_state', 'what arrived before is not what was announced: begin again', {
        cause: error,
      });
    } finally {
      await file.close();
    }
  }

  #pathOf(grant: FileGrant): string {
    return join(this.folder, `${uploadName(grant)}.upload`);
  }
}

/** Bytes of the earlier part that are read at once. */
const pieceBytes = 64 * 1024;

/**
 * Hashes the earlier bytes through one buffer. A stream would allocate a buffer for each piece, dozens of MB in all.
 */
async function addArrived(file: FileHandle, size: number, hash: Hash): Promise<void> {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size));
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - done), done);
    // The file was truncated: its content cannot match the grant.
    if (bytesRead === 0) return;
    hash.update(piece.subarray(0, bytesRead));
    done += bytesRead;
  }
}

async function append(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { from, most, hash }: { from: number; most: number; hash: Hash },
): Promise<number> {
  let size = from;
  for await (const chunk of source) {
    if (size + chunk.length > most) throw mismatch([sizeFault(most, `more than ${most}`)]);
    for (let done = 0; done < chunk.length;) {
      const { bytesWritten } = await file.write(chunk, done, chunk.length - done, size + done);
      done += bytesWritten;
    }
    hash.update(chunk);
    size += chunk.length;
  }
  return size;
}

export function otherOffset(size: number): ServiceError {
  return new ServiceError('wrong_state', `the upload goes on at byte ${size}`);
}
