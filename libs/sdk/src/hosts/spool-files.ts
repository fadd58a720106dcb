import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileDescription } from '@lab/contracts';
import type { FileContent } from '../author/index.js';
import { kindOf } from './json-value.js';

export interface SpoolFile extends FileDescription {
  /** Relative to the spool folder. */
  path: string;
}

/** A file of a task does not exist or could not be written. The message names the file. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

const maxFiles = 1_000;
const maxNameLength = 200;

/**
 * Makes the folder for files that a task writes while it runs. The agent removes it with the spool folder.
 *
 * @param spool absolute path of the spool folder
 * @throws Error of the disk, also when the spool folder is gone because the task has ended
 */
export async function scratchFolder(spool: string): Promise<string> {
  const folder = join(spool, 'scratch');
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return folder;
}

/**
 * Writes the files of a task to its spool folder under generated names, one after the other, without loading them into
 * memory. A file that cannot be written does not keep the others from being written.
 *
 * @param folder absolute path of the spool folder; it exists
 * @param signal when it fires, writing stops and the promise rejects with its reason
 * @returns the written files, and for each other file why it was not written
 */
export async function writeFiles(
  folder: string,
  files: Record<string, FileContent>,
  signal: AbortSignal,
): Promise<{ written: SpoolFile[]; problems: string[] }> {
  const entries = Object.entries(files);
  const written: SpoolFile[] = [];
  const problems: string[] = [];
  if (entries.length > maxFiles)
    problems.push(`The task returned ${entries.length} files: the first ${maxFiles} are kept`);
  try {
    for (const [index, [name, content]] of entries.slice(0, maxFiles).entries()) {
      const path = `file-${index + 1}`;
      try {
        checkName(name);
        written.push({ name, path, ...(await write(join(folder, path), name, content, signal)) });
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        problems.push(error.message);
      }
    }
    return { written, problems };
  } finally {
    for (const [, content] of entries) if (content instanceof Readable) content.destroy();
  }
}

async function write(
  path: string,
  name: string,
  content: unknown,
  signal: AbortSignal,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const handle = await open(path, 'wx');
    try {
      for await (const chunk of chunksOf(name, content)) {
        signal.throwIfAborted();
        const bytes = bytesOf(name, chunk);
        hash.update(bytes);
        size += bytes.length;
        await handle.appendFile(bytes);
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof FileError || signal.aborted) throw error;
    if (isMissing(error, content)) throw new FileError(absence(name, error.path), { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError(`The file ${name} could not be written: ${reason}`, { cause: error });
  }
  return { size, sha256: hash.digest('hex') };
}

/** Whether the file that the task named does not exist, as opposed to the file that is written. */
function isMissing(error: unknown, content: unknown): error is { path: string } {
  const wanted = typeof content === 'object' && content !== null && 'path' in content ? content.path : null;
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR') &&
    'path' in error &&
    error.path === wanted
  );
}

function absence(name: string, path: string): string {
  const folder = dirname(path);
  const where = existsSync(folder)
    ? `there is no "${basename(path)}" in the folder ${folder}`
    : `there is no folder ${folder}`;
  return `The file ${name} that the task returned does not exist: ${where}`;
}

function chunksOf(name: string, content: unknown): AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof content === 'string' || content instanceof Uint8Array) return [content];
  if (typeof content === 'object' && content !== null) {
    if (Symbol.asyncIterator in content) return content as AsyncIterable<unknown>;
    if ('path' in content && typeof content.path === 'string') {
      if (!isAbsolute(content.path)) {
        throw new FileError(`The file ${name} has the path ${content.path}: give an absolute path`);
      }
      return createReadStream(content.path);
    }
  }
  throw new FileError(
    `The file ${name} is ${kindOf(content)}: give a Buffer, a string, a readable stream, or { path } of a file on this computer`,
  );
}

function bytesOf(name: string, chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  throw new FileError(`The stream of the file ${name} gave ${kindOf(chunk)}: it must give bytes or text`);
}

function checkName(name: string): void {
  const problem =
    name.length < 1 || name.length > maxNameLength
      ? `has ${name.length} characters; use 1 to ${maxNameLength}`
      : name.trim() !== name
        ? 'begins or ends with a space'
        : /[/\\]/.test(name) || name === '.' || name === '..'
          ? 'is a path; give a name without slashes'
          : /\p{Cc}/u.test(name) || !name.isWellFormed()
            ? 'holds control characters'
            : undefined;
  if (problem !== undefined) throw new FileError(`The file name ${JSON.stringify(name)} ${problem}`);
}
