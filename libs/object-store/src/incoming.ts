import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, mismatch, sizeFault } from './content.js';
import type { Content } from './object-store.js';

/**
 * Holds content until it is complete: files `<pid>-<uuid>.part`, which only their writer reads, and files
 * `<hash>.upload`, which outlive their writer.
 */

/** Milliseconds without a write after which an upload counts as abandoned. */
const abandonedMs = 24 * 60 * 60_000;

export interface Received {
  path: string;
  content: Content;
}

/**
 * Writes what the source yields to a new file, durably. After any failure the file is removed.
 *
 * @throws ServiceError `invalid` as soon as the content differs from the expected one; errors of the source
 */
export async function receive(
  folder: string,
  source: AsyncIterable<Uint8Array>,
  expected: Content | undefined,
): Promise<Received> {
  const path = join(folder, `${process.pid}-${randomUUID()}.part`);
  const file = await open(path, 'wx', 0o600);
  try {
    const content = await writeAndClose(file, source, expected?.size ?? Infinity);
    if (expected !== undefined) compare(content, expected);
    return { path, content };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function writeAndClose(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Content> {
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > most) throw mismatch([sizeFault(most, `more than ${most}`)]);
      hash.update(chunk);
      for (let from = 0; from < chunk.length;) {
        from += (await file.write(chunk, from, chunk.length - from)).bytesWritten;
      }
    }
    await file.sync();
    return { size, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

/**
 * Creates the folder. Removes files of processes that have ended, and uploads that nobody continued. Parts of running
 * processes stay.
 */
export async function prepareIncoming(folder: string, now: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const pid = Number(/^(\d+)-.*\.part$/.exec(name)?.[1]);
    const info = await stat(path).catch(absent);
    if (info === undefined || !(Number.isInteger(pid) || name.endsWith('.upload'))) continue;
    const isOrphan = Number.isInteger(pid) && !isRunning(pid);
    if (isOrphan || now - info.mtimeMs > abandonedMs) await rm(path, { force: true });
  }
}

/** Returns `undefined` for a missing file, and rethrows every other error. */
export function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
  throw error;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, as another user.
    return errorCode(error) === 'EPERM';
  }
}
