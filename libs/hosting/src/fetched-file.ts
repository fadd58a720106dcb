import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ServiceError } from '@lab/contracts';

/** Fetches a piece of a file by its SHA-256. */
export type FilePiece = (
  sha256: string,
  offset: number,
) => Promise<{ data: Buffer; /** Bytes of the whole file. */ total: number }>;

export interface WantedFile {
  /** What people call the file, such as `the archive 95a7…`. */
  what: string;
  sha256: string;
  /** In bytes; null: not known. */
  size: number | null;
  /** A larger file is refused, in bytes. */
  most: number;
}

/**
 * Fetches a file in pieces.
 *
 * @param path of a new file, which only this user can read
 * @throws ServiceError `forbidden` when what comes is another file; `not_found` when it is too large; `service_unavailable` when
 *   `signal` fires; that of `piece`
 */
export async function fetchFile(
  path: string,
  { what, sha256, size, most }: WantedFile,
  piece: FilePiece,
  signal: AbortSignal,
): Promise<void> {
  const other = (why: string): ServiceError =>
    new ServiceError('forbidden', `what came for ${what} is another file: ${why}`);
  const demandSmall = (bytes: number): void => {
    if (bytes > most)
      throw new ServiceError('not_found', `${what} has ${bytes} bytes; at most ${most} are taken`);
  };
  demandSmall(size ?? 0);
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let end = size;
    for (let offset = 0; end === null || offset < end;) {
      if (signal.aborted)
        throw new ServiceError('service_unavailable', 'this part of the service is stopping');
      const { data, total } = await piece(sha256, offset);
      demandSmall(total);
      end ??= total;
      if (total !== end) throw other(`it has ${total} bytes, and ${end} are expected`);
      if (data.length === 0 || offset + data.length > end) throw other(`it ends at byte ${offset}`);
      await file.writeFile(data);
      hash.update(data);
      offset += data.length;
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== sha256) throw other('it has another SHA-256');
}
