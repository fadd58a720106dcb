import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { FileRecord } from '@lab/api-client';
import { UsageError } from '../exit-codes.js';

/**
 * Stores the output of `write` under a path, completely or not at all.
 *
 * @throws UsageError when the path exists already
 */
export async function saved(given: string, write: (into: Writable) => Promise<void>): Promise<string> {
  const path = resolve(given);
  if (existsSync(path)) throw new UsageError(`${path} is there already; name another place with --output`);
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w');
    const into = file.createWriteStream();
    try {
      await write(into);
    } finally {
      into.destroy();
      // Before the file is moved or removed, which Windows refuses while it is open.
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return path;
}

/** The bytes of an answer as a stream. */
export function contentOf({ body }: Response): Readable {
  return Readable.fromWeb((body ?? new Blob([]).stream()) as ReadableStream);
}

/** @throws Error when the bytes differ from those of the record */
export async function received(
  content: Readable,
  { name, size, sha256 }: Pick<FileRecord, 'name' | 'size' | 'sha256'>,
  into: Writable,
  options: { end?: boolean } = {},
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    into,
    options,
  );
  if (bytes !== size || hash.digest('hex') !== sha256)
    throw new Error(`${name} did not come whole: ${bytes} of ${size} bytes, or others than the record says`);
}
