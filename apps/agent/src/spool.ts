import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, readlink, realpath, rm, rmdir } from 'node:fs/promises';
import { join, relative, resolve, isAbsolute } from 'node:path';
import type { Files, FileTicket, InputFile, SpooledFile } from '@lab/actors';
import { encodeToken, ServiceError } from '@lab/contracts';
import type { CodeUser } from '@lab/hosting';
import type { HttpWay } from './joining/index.js';
import type { InputCache } from './input-cache.js';
import { sendFile } from './send-file.js';
import { sizeOf } from './store-access.js';

/** Spool folders on disk. Files are transferred by HTTP, and an interrupted transfer continues where it stopped. */
export class Spool implements Files {
  /**
   * @param inputs the source of input files
   * @param user under whom tasks read and write in their folders; undefined: the user of the agent
   */
  constructor(
    private readonly folder: string,
    private readonly inputs: InputCache,
    private readonly way: HttpWay = {},
    private readonly user?: Pick<CodeUser, 'uid' | 'share' | 'shareFile' | 'remove'>,
  ) {}

  async prepare(attemptId: string): Promise<string> {
    const folder = this.#of(attemptId);
    try {
      // The task waits for this. Usually the parent exists and the folder does not, so one disk operation is enough.
      await mkdir(folder).catch(() => this.#makeAnew(folder));
      this.user?.share(folder, 'write');
    } catch (error) {
      // This message reaches people, and the text of a system error would show folders of this computer.
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw new ServiceError('service_unavailable', `no folder could be made for its files (${code})`, {
        cause: error,
      });
    }
    return folder;
  }

  async place(
    attemptId: string,
    file: InputFile,
    ticket: () => Promise<FileTicket>,
    signal: AbortSignal,
  ): Promise<string> {
    // A file name may have characters that a file system refuses, so only its extension is kept, which programs rely on.
    const ending = /\.[A-Za-z0-9]{1,16}$/.exec(file.name)?.[0] ?? '';
    const handle = createHash('sha256').update(file.handle).digest('hex').slice(0, 16);
    const path = join(this.#of(attemptId), `input-${handle}${ending}`);
    await rm(path, { force: true });
    await this.inputs.copyTo(path, file, ticket, signal, this.user);
    return path;
  }

  async add(attemptId: string, name: string, text: string): Promise<SpooledFile> {
    const file = await open(join(this.#of(attemptId), name), 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const sha256 = createHash('sha256').update(text).digest('hex');
    return { name, size: Buffer.byteLength(text), sha256, path: name };
  }

  async upload(attemptId: string, file: SpooledFile, ticket: FileTicket): Promise<void> {
    const folder = this.#of(attemptId);
    const path = resolve(folder, file.path);
    const inside = relative(folder, path);
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
      throw new ServiceError('invalid', `the file '${file.name}' is not in the spool folder of its task`);
    }
    const own = this.user === undefined ? undefined : await openOwn(folder, path, file.name, this.user.uid);
    try {
      const content = own?.path ?? path;
      const size = await sizeOf(content);
      if (size !== file.size) {
        throw new ServiceError(
          'invalid',
          `the file '${file.name}' has ${size ?? 'no'} bytes on disk, but the task wrote ${file.size}`,
        );
      }
      await sendFile(content, file, ticket, this.way);
    } finally {
      await own?.close();
    }
  }

  async discard(attemptId: string): Promise<void> {
    const folder = this.#of(attemptId);
    // Most tasks leave no files.
    await rmdir(folder).catch(() => this.#remove(folder));
  }

  async sweep(kept: ReadonlySet<string>): Promise<void> {
    const names = new Set([...kept].map(encodeToken));
    let found: string[];
    try {
      found = await readdir(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    for (const name of found) {
      if (!names.has(name)) await this.#remove(join(this.folder, name));
    }
  }

  async #remove(folder: string): Promise<void> {
    if (this.user === undefined) await rm(folder, { recursive: true, force: true });
    else await this.user.remove(folder);
  }

  async #makeAnew(folder: string): Promise<void> {
    await this.#remove(folder);
    await mkdir(folder, { recursive: true });
  }

  #of(attemptId: string): string {
    return join(this.folder, encodeToken(attemptId));
  }
}

/** So that a named pipe cannot hold the agent. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file that another user has written. A link in its place would let that user send any file that the agent can read,
 * so what was really opened must be a file in the folder.
 *
 * @param writer uid of that user
 * @returns a path that leads to the opened file, whatever happens to its name. Linux only
 */
async function openOwn(
  folder: string,
  path: string,
  name: string,
  writer: number,
): Promise<{ path: string; close: () => Promise<void> }> {
  const handle = await open(path, openFlags).catch((error: unknown) => {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ServiceError('invalid', `the file '${name}' cannot be read where the task wrote it (${code})`);
  });
  const opened = `/proc/self/fd/${handle.fd}`;
  try {
    const [real, inside, found] = await Promise.all([readlink(opened), realpath(folder), handle.stat()]);
    // A second name of a file of the agent would be a way to it as well.
    const isOwn = found.uid === writer || found.nlink === 1;
    if (real.startsWith(`${inside}/`) && found.isFile() && isOwn)
      return { path: opened, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new ServiceError('invalid', `the file '${name}' is not a file in the spool folder of its task`);
}
