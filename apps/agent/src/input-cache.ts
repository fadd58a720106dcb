import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileTicket } from '@lab/actors';
import { ServiceError } from '@lab/contracts';
import { requestTo, sizeOf } from './store-access.js';

/** What arrived of a fetch that nobody continues is kept for so long, in milliseconds. */
const partialMs = 24 * 3_600_000;

const partial = '.part';

interface Content {
  /** Bytes. */
  size: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

/**
 * The files that tasks of this computer got, under their SHA-256: what several tasks get is fetched once, and what broke
 * off goes on where it did, also in another process.
 *
 * Guarantees: what a task is given is a copy that was compared with its size and SHA-256 while it was made; whatever
 * happens to a copy, the next one is right. The cache grows beyond its bound only by the file that is being handed out.
 */
export class InputCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Resolves when what is under way with a content is over, by its SHA-256: one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** @param maxBytes of all files together; those that were not given out for longest go first */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /**
   * Writes the content to a file that does not exist yet.
   *
   * @param ticket asked for only when something is to be fetched
   * @param signal gives up; rejects with ServiceError `aborted`
   * @throws ServiceError `not_found` when the store does not have it; `invalid` when what it has is something else;
   *   `service_unavailable` when store or disk do not do their work at present
   */
  async copyTo(
    path: string,
    content: Content,
    ticket: () => Promise<FileTicket>,
    signal: AbortSignal,
  ): Promise<void> {
    const { sha256 } = content;
    const before = this.#turns.get(sha256) ?? Promise.resolve();
    const own = unlessAborted(before, signal).then(() => this.#copy(path, content, ticket, signal));
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
    path: string,
    content: Content,
    ticket: () => Promise<FileTicket>,
    signal: AbortSignal,
  ): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const kept = join(this.#folder, content.sha256);
    if ((await sizeOf(kept)) !== undefined) {
      if (await copyChecked(kept, path, content, signal)) {
        await utimes(kept, new Date(), new Date());
        return;
      }
      await rm(kept, { force: true });
    }
    const inOneGo = await this.#fetch(`${kept}${partial}`, content, await ticket(), signal);
    if (!(await copyChecked(`${kept}${partial}`, path, content, signal))) {
      await rm(`${kept}${partial}`, { force: true });
      if (inOneGo) throw new ServiceError('invalid', 'what the store has is not what the task left there');
      throw new ServiceError('service_unavailable', 'what arrived in several pieces is not the file');
    }
    await rename(`${kept}${partial}`, kept);
    await this.#evict();
  }

  /** Fetches what is missing of a partial file. @returns whether all of it came in this one answer */
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
    const request = requestTo(ticket, 'GET', headers, signal);
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
    await pipeline(response, bounded, createWriteStream(path, { flags, mode: 0o600 }), { signal });
    if (left > 0) throw new ServiceError('service_unavailable', 'the connection ended before the file did');
    return flags === 'w';
  }

  /** Removes what was not given out for longest until the rest is within the bound, and what nobody continues. */
  async #evict(): Promise<void> {
    const now = Date.now();
    const kept: { path: string; size: number; at: number }[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) continue;
      if (!name.endsWith(partial)) kept.push({ path, size: found.size, at: found.mtimeMs });
      else if (now - found.mtimeMs > partialMs) await rm(path, { force: true });
    }
    let total = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of kept.sort((a, b) => a.at - b.at)) {
      if (total <= this.#maxBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }
}

/** Copies a file to one that does not exist. @returns whether the copy is what it must be; if not, there is none */
async function copyChecked(
  from: string,
  to: string,
  { size, sha256 }: Content,
  signal: AbortSignal,
): Promise<boolean> {
  const hash = createHash('sha256');
  let copied = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      copied += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(from), counted, createWriteStream(to, { flags: 'wx', mode: 0o600 }), {
    signal,
  });
  if (copied === size && hash.digest('hex') === sha256) return true;
  await rm(to);
  return false;
}

/** Waits for what never fails, or rejects with the reason of the signal. */
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
  // Anything else may pass: a ticket that ran out is renewed, a server that restarts comes back.
  return new ServiceError('service_unavailable', `the store refused it with ${status}`);
}

function asServiceError(error: unknown, signal: AbortSignal): ServiceError {
  if (signal.aborted) return new ServiceError('aborted', 'given up', { cause: error });
  if (error instanceof ServiceError) return error;
  // The text of an error of the disk names folders of this computer, and this one reaches people.
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  return new ServiceError('service_unavailable', `it could not be fetched (${code})`, { cause: error });
}

function ignore(): void {
  return;
}
