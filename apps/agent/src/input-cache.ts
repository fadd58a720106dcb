import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import type { FileTicket } from '@lab/actors';
import { ServiceError } from '@lab/contracts';
import type { CodeUser } from '@lab/hosting';
import { Digest, writeFrom } from './files/index.js';
import type { HttpWay } from './joining/index.js';
import { requestTo, sizeOf } from './store-access.js';

/** How long the partial file of an abandoned fetch is kept, in milliseconds. */
const partialMs = 24 * 3_600_000;

const partial = '.part';

interface Content {
  /** In bytes. */
  size: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

/** Another user who may read a file. */
type Reader = Pick<CodeUser, 'shareFile'>;

interface Target {
  path: string;
  user: Reader | undefined;
}

/**
 * The input files of tasks on this computer, by their SHA-256. A file that several tasks get is fetched once. An interrupted
 * fetch continues where it stopped, also in another process.
 *
 * Guarantees: a task gets a copy whose size and SHA-256 were checked while it was made, so damage to one copy does not affect
 * the next. The cache exceeds its bound only by the file that is being copied.
 */
export class InputCache {
  /** By SHA-256: resolves when the operations on that content are over. They run one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** @param maxBytes bound for all files together; the least recently used files are removed first */
  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
    private readonly way: HttpWay = {},
  ) {}

  /**
   * Writes the content to a file that does not exist yet.
   *
   * @param user who may read the file; undefined: the user of this process
   * @param ticket called only when something has to be fetched
   * @param signal when it fires, the promise rejects with ServiceError `aborted`
   * @throws ServiceError `not_found` when the store does not have the file; `invalid` when its content differs;
   *   `service_unavailable` when the store or the disk fails at present
   */
  async copyTo(
    path: string,
    content: Content,
    ticket: () => Promise<FileTicket>,
    signal: AbortSignal,
    user?: Reader,
  ): Promise<void> {
    const { sha256 } = content;
    const before = this.#turns.get(sha256) ?? Promise.resolve();
    const own = unlessAborted(before, signal).then(() => this.#copy({ path, user }, content, ticket, signal));
    const over: Promise<unknown> = Promise.allSettled([before, own]);
    this.#turns.set(sha256, over);
    void over.then(() => {
      if (this.#turns.get(sha256) === over) this.#turns.delete(sha256);
    });
    try {
      await own;
    } catch (error) {
      await rm(path, { force: true }).catch(ignore);
      throw asServiceError(error, signal);
    }
  }

  async #copy(
    to: Target,
    content: Content,
    ticket: () => Promise<FileTicket>,
    signal: AbortSignal,
  ): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const kept = join(this.folder, content.sha256);
    if ((await sizeOf(kept)) !== undefined) {
      if (await copyChecked(kept, to, content, signal)) {
        await utimes(kept, new Date(), new Date());
        return;
      }
      await rm(kept, { force: true });
    }
    const inOneGo = await this.#fetch(`${kept}${partial}`, content, await ticket(), signal);
    if (!(await copyChecked(`${kept}${partial}`, to, content, signal))) {
      await rm(`${kept}${partial}`, { force: true });
      if (inOneGo) throw new ServiceError('invalid', 'what the store has is not what the task left there');
      throw new ServiceError('service_unavailable', 'what arrived in several pieces is not the file');
    }
    await rename(`${kept}${partial}`, kept);
    await this.#evict();
  }

  /** Fetches the missing part of a partial file. @returns whether one response contained the whole file */
  async #fetch(
    path: string,
    { size, sha256 }: Content,
    ticket: FileTicket,
    signal: AbortSignal,
  ): Promise<boolean> {
    const there = (await sizeOf(path)) ?? 0;
    const from = there <= size ? there : 0;
    if (from === size && size > 0) return false;
    const headers =
      from === 0 ? ticket.headers : { ...ticket.headers, range: `bytes=${from}-`, 'if-range': `"${sha256}"` };
    const request = await requestTo(ticket, this.way, 'GET', headers, signal);
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    request.end();
    const [response] = await answered;
    const status = response.statusCode ?? 0;
    const goesOn = status === 206 && response.headers['content-range']?.startsWith(`bytes ${from}-`) === true;
    if (status !== 200 && !goesOn) {
      response.destroy();
      throw refusal(status);
    }
    let left = goesOn ? size - from : size;
    const bounded = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        left -= chunk.length;
        if (left < 0) done(new ServiceError('invalid', 'the store sends more than the file has'));
        else done(null, chunk);
      },
    });
    const flags = goesOn && from > 0 ? 'a' : 'w';
    await writeFrom(response, bounded, path, { flags, mode: 0o600, signal });
    if (left > 0) throw new ServiceError('service_unavailable', 'the connection ended before the file did');
    return flags === 'w';
  }

  /** Removes abandoned partial files, and the least recently used files until the rest is within the bound. */
  async #evict(): Promise<void> {
    const now = Date.now();
    const kept: { path: string; size: number; at: number }[] = [];
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) continue;
      if (!name.endsWith(partial)) kept.push({ path, size: found.size, at: found.mtimeMs });
      else if (now - found.mtimeMs > partialMs) await rm(path, { force: true });
    }
    let total = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept.sort((a, b) => a.at - b.at)) {
      if (total <= this.maxBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }
}

/** Copies a file to a new path and checks the copy. @returns false when the check failed and the copy was removed */
async function copyChecked(
  from: string,
  { path, user }: Target,
  { size, sha256 }: Content,
  signal: AbortSignal,
): Promise<boolean> {
  const digest = new Digest();
  await writeFrom(createReadStream(from), digest, path, {
    ...{ flags: 'wx', mode: 0o600, signal },
    // By the descriptor: in a folder of another user, the path may lead elsewhere by now.
    opened: async (file) => user?.shareFile(file),
  });
  if (digest.size === size && digest.sha256() === sha256) return true;
  await rm(path);
  return false;
}

/** Waits for a promise that never rejects. Rejects with the reason of the signal when that fires first. */
function unlessAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}

function refusal(status: number): ServiceError {
  if (status === 404) return new ServiceError('not_found', 'the store does not have it');
  // All other failures may be temporary: a ticket can be renewed, a server can come back.
  return new ServiceError('service_unavailable', `the store refused it with ${status}`);
}

function asServiceError(error: unknown, signal: AbortSignal): ServiceError {
  if (signal.aborted) return new ServiceError('aborted', 'given up', { cause: error });
  if (error instanceof ServiceError) return error;
  // This message reaches people, and the text of a disk error would show folders of this computer.
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new ServiceError('service_unavailable', `it could not be fetched (${code})`, { cause: error });
}

function ignore(): void {
  return;
}
