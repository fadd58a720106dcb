import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import { ServiceError } from '@lab/contracts';
import type { ListedObject, ObjectStore } from '@lab/object-store';
import { decrypterWith, encrypterFor } from './keys.js';

/**
 * Where a backup is. What it holds is compressed, then encrypted for a recipient. Notes are in clear. They
 * hold nothing of the laboratory.
 */
export class Vault {
  constructor(private readonly store: ObjectStore) {}

  /** Stores content under a key, completely or not at all. */
  async put(key: string, content: NodeJS.ReadableStream | Uint8Array, recipient: string): Promise<void> {
    const packed = createGzip({ level: 1 });
    const plain = content instanceof Uint8Array ? Readable.from([content]) : content;
    // When one of the two fails, it ends the other.
    const filling = pipeline(plain, packed);
    const web = Readable.toWeb(packed) as unknown as globalThis.ReadableStream<Uint8Array>;
    const sealed = await encrypterFor(recipient).encrypt(web);
    const storing = this.store.put(key, Readable.fromWeb(sealed as unknown as ReadableStream));
    await Promise.all([filling, storing]);
  }

  /**
   * The content of a key. Its stream fails when a byte of it was changed.
   *
   * @param secret of the key for which it was encrypted
   * @throws ServiceError `not_found`; Error in one sentence when it was encrypted for another key, or is damaged
   */
  async get(key: string, secret: string): Promise<Readable> {
    const sealed = await this.store.get(key);
    const web = Readable.toWeb(sealed) as unknown as globalThis.ReadableStream<Uint8Array>;
    let plain;
    try {
      plain = await decrypterWith(secret).decrypt(web);
    } catch (error) {
      sealed.destroy();
      throw new Error(`${key} of the backup cannot be opened with this key, or is damaged.`, {
        cause: error,
      });
    }
    const opened = Readable.fromWeb(plain as unknown as ReadableStream);
    const unpacked = createGunzip();
    opened.on('error', (error) =>
      unpacked.destroy(new Error(`${key} of the backup is damaged: ${error.message}`, { cause: error })),
    );
    unpacked.on('close', () => opened.destroy());
    return opened.pipe(unpacked);
  }

  /** Stores a note. */
  async note(key: string, value: unknown): Promise<void> {
    await this.store.put(key, Readable.from([Buffer.from(JSON.stringify(value))]));
  }

  /** Reads a note; undefined: there is none. */
  async noted<Value>(key: string): Promise<Value | undefined> {
    try {
      return JSON.parse((await buffer(await this.store.get(key))).toString('utf8')) as Value;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** All keys that begin with the prefix, in alphabetical order. */
  async list(prefix: string): Promise<ListedObject[]> {
    const listed: ListedObject[] = [];
    for await (const each of this.store.list(prefix)) listed.push(each);
    return listed.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  delete(key: string): Promise<void> {
    return this.store.delete(key);
  }
}
