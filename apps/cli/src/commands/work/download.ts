import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
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
