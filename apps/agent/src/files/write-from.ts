import { open, type FileHandle } from 'node:fs/promises';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface WriteOptions {
  /** As of open(2): `w` replaces a file, `wx` makes a new one, `a` appends. */
  flags: 'w' | 'wx' | 'a';
  mode: number;
  /** Whether the content is durable when the promise resolves. */
  flush?: boolean;
  /** When it fires, the promise rejects. */
  signal?: AbortSignal;
  /** Called with the open file before anything is written. */
  opened?: (file: FileHandle) => Promise<void>;
}

/**
 * Writes what a stream gives to a file.
 *
 * Guarantees: when the promise settles, the file is closed. After a failure the caller can therefore remove the file at once:
 * it does not appear later, and Windows does not refuse. A write stream that opens its file by itself promises neither.
 *
 * @param through what the content passes on its way
 * @throws Error as of `open`, of one of the streams, of `opened` or of the signal; the file then holds a part of the content
 */
export async function writeFrom(
  source: Readable,
  through: Transform,
  path: string,
  { flags, mode, flush = false, signal, opened }: WriteOptions,
): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, flags, mode);
    await opened?.(file);
    await pipeline(source, through, file.createWriteStream({ flush }), { signal });
  } catch (error) {
    source.destroy();
    throw error;
  } finally {
    await file?.close();
  }
}
