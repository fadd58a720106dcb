import { mkdir, open, readdir, rename, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { isServiceError, ServiceError } from '@lab/contracts';
import { checkRange, fromSource } from './content.js';
import { absent, errorCode, prepareIncoming, receive } from './incoming.js';
import { keyOfPath, pathOfKey } from './key-path.js';
import type { ByteRange, Content, FileGrant, FileStore, ListedObject, ObjectHead } from './object-store.js';
import { PartialUploads } from './partial-uploads.js';
import { FileTickets, type FileTicketsOptions } from './file-tickets.js';
import { TicketedStore } from './ticketed-store.js';

export interface FileStoreOptions extends FileTicketsOptions {
  /** The store creates the folder if it does not exist. Several processes may use the same folder. */
  folder: string;
}

/**
 * Opens a store in a folder, and removes uploads there that were interrupted with the end of their process.
 *
 * @throws ServiceError `bad_request` for a short secret; `service_unavailable` when the folder cannot be used
 */
export async function openFileStore(options: FileStoreOptions): Promise<FileStore> {
  const store = new FolderStore(options);
  await store.prepare();
  return store;
}

/** How often another process may remove the empty folder between its creation and the arrival of a file. */
const folderAttempts = 10;

class FolderStore extends TicketedStore implements FileStore {
  readonly #objects: string;
  readonly #incoming: string;
  readonly #partial: PartialUploads;
  readonly #now: () => number;

  constructor({ folder, now = Date.now, ...tickets }: FileStoreOptions) {
    super(new FileTickets({ ...tickets, now }));
    this.#objects = resolve(folder, 'objects');
    this.#incoming = resolve(folder, 'incoming');
    this.#partial = new PartialUploads(this.#incoming);
    this.#now = now;
  }

  prepare(): Promise<void> {
    return storage(async () => {
      await mkdir(this.#objects, { recursive: true });
      await prepareIncoming(this.#incoming, this.#now());
    });
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, expected?: Content): Promise<Content> {
    const path = this.#pathOf(key);
    return fromSource(source, (watched) =>
      storage(async () => {
        const received = await receive(this.#incoming, watched, expected);
        try {
          await this.#publish(received.path, path);
        } catch (error) {
          await rm(received.path, { force: true });
          throw error;
        }
        return received.content;
      }),
    );
  }

  async get(key: string, range: ByteRange = { start: 0 }): Promise<Readable> {
    const path = this.#pathOf(key);
    const file = await storage(() => open(path, 'r').catch(absent));
    if (file === undefined) throw new ServiceError('not_found', 'there is no such object');
    try {
      const { size } = await storage(() => file.stat());
      const end = checkRange(range, size);
      // An end before the start selects nothing: an empty object has nothing to read.
      return file.createReadStream(size === 0 ? {} : { start: range.start, end });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const path = this.#pathOf(key);
    const info = await storage(() => stat(path).catch(absent));
    return info === undefined ? undefined : { size: info.size, modifiedAt: info.mtime };
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    yield* this.#walk([], prefix);
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await storage(async () => {
      await rm(path).catch(absent);
      await this.#removeEmptyFolders(dirname(path));
    });
  }

  protected arrived(grant: FileGrant): Promise<number | undefined> {
    return storage(() => this.#partial.received(grant));
  }

  async receive(grant: FileGrant, source: AsyncIterable<Uint8Array>, from: number): Promise<Content> {
    const path = this.#pathOf(grant.key);
    const confirmed = await this.confirmed(grant, from);
    if (confirmed !== undefined) return confirmed;
    return fromSource(source, (watched) =>
      storage(async () => {
        const { path: whole, content } = await this.#partial.receive(grant, watched, from);
        await this.#publish(whole, path);
        return content;
      }),
    );
  }

  #pathOf(key: string): string {
    return join(this.#objects, ...pathOfKey(key));
  }

  /** Moves a durable file to its place, and makes the place durable too: every new folder, and its parent. */
  async #publish(from: string, to: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const folder = dirname(to);
      const firstMade = await mkdir(folder, { recursive: true });
      try {
        await rename(from, to);
      } catch (error) {
        if (errorCode(error) === 'ENOENT' && attempt < folderAttempts) continue;
        throw error;
      }
      const last = firstMade === undefined ? folder : dirname(firstMade);
      for (let changed = folder; ; changed = dirname(changed)) {
        await syncFolder(changed);
        if (changed === last) return;
      }
    }
  }

  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let empty = folder; empty !== this.#objects; empty = dirname(empty)) {
      try {
        await rmdir(empty);
      } catch (error) {
        const code = errorCode(error);
        if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
        absent(error);
      }
    }
  }

  async *#walk(parts: readonly string[], prefix: string): AsyncIterable<ListedObject> {
    const folder = join(this.#objects, ...parts);
    const entries = (await storage(() => readdir(folder, { withFileTypes: true }).catch(absent))) ?? [];
    for (const entry of entries) {
      const path = [...parts, entry.name];
      const key = keyOfPath(path);
      if (key === undefined) continue;
      if (entry.isDirectory()) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* this.#walk(path, prefix);
      } else if (key.startsWith(prefix)) {
        const info = await storage(() => stat(join(folder, entry.name)).catch(absent));
        if (info !== undefined) yield { key, size: info.size, modifiedAt: info.mtime };
      }
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    // Windows does not open folders, and needs no sync.
    if (errorCode(error) === 'EISDIR' || errorCode(error) === 'EPERM') return;
    absent(error);
    return;
  }
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Maps errors of the file system to errors of the service, without the path, which callers must not see. */
async function storage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = errorCode(cause);
    if (isServiceError(cause) || code === undefined) throw cause;
    throw new ServiceError('service_unavailable', `the object store failed (${code})`, {
      effect: 'none',
      cause,
    });
  }
}
