import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';

/**
 * Files that agents fetch beside code, by their SHA-256: archives of npm packages, locks and wheels of Python. They are copies,
 * because accepted work keeps its code when a package is replaced.
 */
export class ArchiveStore {
  /** Where the packages have the files that were not copied yet. */
  readonly #sources = new Map<string, string>();
  /** Copies that are being made. */
  readonly #copying = new Map<string, Promise<string>>();

  /** @param folder of the copies */
  constructor(
    private readonly folder: string,
    private readonly log: Pick<Log, 'error'>,
  ) {}

  /** Notes where a file is. @param path absolute */
  note({ sha256, path }: { sha256: string; path: string }): void {
    this.#sources.set(sha256, path);
  }

  /**
   * A piece of a file.
   *
   * @throws ServiceError `not_found` when no package has a file with this SHA-256, or it is another one
   */
  async piece(sha256: string, offset: number, bytes: number): Promise<{ data: Buffer; total: number }> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new ServiceError('not_found', `'${sha256}' is no SHA-256`);
    const file = await open(await this.#kept(sha256));
    try {
      const { size: total } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
      return { data: buffer.subarray(0, bytesRead), total };
    } finally {
      await file.close();
    }
  }

  /** The path of the copy, which is made first if it is missing. */
  #kept(sha256: string): Promise<string> {
    const known = this.#copying.get(sha256);
    if (known !== undefined) return known;
    const copy = this.#copy(sha256).finally(() => this.#copying.delete(sha256));
    this.#copying.set(sha256, copy);
    return copy;
  }

  async #copy(sha256: string): Promise<string> {
    const path = join(this.folder, sha256);
    const source = this.#sources.get(sha256);
    if (await isFile(path)) return path;
    if (source === undefined || !(await isFile(source)))
      throw new ServiceError('not_found', `no package has a file with the SHA-256 ${sha256}`);
    await mkdir(this.folder, { recursive: true });
    const draft = `${path}.${randomUUID()}.draft`;
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        hash.update(piece);
        done(null, piece);
      },
    });
    const file = await open(draft, 'wx');
    try {
      await pipeline(createReadStream(source), hashed, file.createWriteStream({ flush: true }));
      if (hash.digest('hex') === sha256) {
        await rename(draft, path);
        return path;
      }
    } finally {
      await file.close();
      await rm(draft, { force: true });
    }
    this.log.error('a file is another one than its package says', {
      file: source,
      sha256,
    });
    throw new ServiceError(
      'not_found',
      `${source} does not have the SHA-256 ${sha256}: make it anew with "svc pkg vendor", or "svc pkg lock" if it is a wheel`,
    );
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
