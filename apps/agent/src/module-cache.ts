import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log, Modules } from '@lab/actors';
import { orchestratorRequests, ServiceError, toServiceError, type ModuleReference } from '@lab/contracts';
import type { Bus } from '@lab/messaging';

const largestBytes = 64 * 1024 * 1024;
const tries = 5;
const pauseMs = 400;

/**
 * Code modules on disk, each under its hash. A module is fetched once, in pieces, and a file is used only after its
 * SHA-256 was found right in this life of the agent.
 */
export class ModuleCache implements Modules {
  readonly #folder: string;
  readonly #bus: Bus;
  readonly #log: Log;
  readonly #found = new Map<string, Promise<string>>();

  constructor(folder: string, bus: Bus, log: Log) {
    this.#folder = folder;
    this.#bus = bus;
    this.#log = log;
  }

  path(module: ModuleReference): Promise<string> {
    const { hash } = module;
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      return Promise.reject(new ServiceError('not_found', `'${hash}' is not the hash of a module`));
    }
    const known = this.#found.get(hash);
    if (known !== undefined) return known;
    const found = this.#provide(module);
    this.#found.set(hash, found);
    found.catch(() => this.#found.delete(hash));
    return found;
  }

  async #provide({ hash, package: owner, source }: ModuleReference): Promise<string> {
    const path = join(this.#folder, `${hash}.mjs`);
    if (await hasHash(path, hash)) return path;
    const text = await this.#fetchPatiently(hash);
    const actual = sha256(text);
    if (actual !== hash) {
      throw new ServiceError(
        'internal',
        `${owner}/${source}: what came for module ${hash} has the hash ${actual}`,
      );
    }
    await mkdir(this.#folder, { recursive: true });
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    this.#log.info('fetched a module', { module: `${owner}/${source}`, hash, bytes: text.length });
    return path;
  }

  async #fetchPatiently(hash: string): Promise<Buffer> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#fetch(hash);
      } catch (error) {
        const { code, message } = toServiceError(error);
        if (code === 'not_found' || tried === tries) throw error;
        this.#log.debug('a module could not be fetched yet', { hash, reason: message });
        await delay(pauseMs * tried);
      }
    }
  }

  async #fetch(hash: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let offset = 0; ;) {
      const { data, total } = await this.#bus.request(orchestratorRequests.fetchModule, {}, { hash, offset });
      const piece = Buffer.from(data, 'base64');
      pieces.push(piece);
      offset += piece.length;
      if (total > largestBytes) {
        throw new ServiceError(
          'not_found',
          `module ${hash} has ${total} bytes; at most ${largestBytes} are taken`,
        );
      }
      if (offset >= total) return Buffer.concat(pieces);
      if (piece.length === 0)
        throw new ServiceError('internal', `module ${hash} ended at byte ${offset} of ${total}`);
    }
  }
}

async function hasHash(path: string, hash: string): Promise<boolean> {
  try {
    return sha256(await readFile(path)) === hash;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
