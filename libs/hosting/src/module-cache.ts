import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { orchestratorRequests, ServiceError, toServiceError, type ModuleReference } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { dependenciesOf } from '@lab/definitions/model';
import type { Bus } from '@lab/messaging';
import type { NpmPackages } from './npm-packages.js';

const largestBytes = 64 * 1024 * 1024;
const tries = 5;
const pauseMs = 400;

/**
 * Code modules on disk, each under its hash. A module is fetched once, in pieces. A file is used only after this process has
 * verified its SHA-256. A module that imports npm packages is stored beside them, where Node finds them.
 */
export class ModuleCache {
  readonly #found = new Map<string, Promise<string>>();

  constructor(
    private readonly folder: string,
    private readonly packages: NpmPackages,
    private readonly bus: Bus,
    private readonly log: Log,
  ) {}

  /**
   * Provides the file of a module. Concurrent requests for a module share one fetch.
   *
   * @returns its absolute path
   * @throws ServiceError `not_found` when the leader does not know the module or its npm packages cannot be installed; the
   *   error of the request when the leader cannot be reached after several tries
   */
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

  async #provide(module: ModuleReference): Promise<string> {
    const name = `${module.hash}.mjs`;
    const path = join(this.folder, name);
    const text = (await verified(path, module.hash)) ?? (await this.#fetchInto(path, module));
    const dependencies = requireSame(module, text);
    if (dependencies.length === 0) return path;
    const beside = join(await this.packages.install(dependencies), 'modules', name);
    if ((await verified(beside, module.hash)) === undefined) await writeWhole(beside, text);
    return beside;
  }

  async #fetchInto(path: string, { hash, package: owner, source }: ModuleReference): Promise<Buffer> {
    const text = await this.#fetchPatiently(hash);
    const actual = sha256(text);
    if (actual !== hash) {
      throw new ServiceError(
        'internal',
        `${owner}/${source}: the code received for module ${hash} has the hash ${actual}`,
      );
    }
    await writeWhole(path, text);
    this.log.info('fetched a module', { module: `${owner}/${source}`, hash, bytes: text.length });
    return text;
  }

  async #fetchPatiently(hash: string): Promise<Buffer> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#fetch(hash);
      } catch (error) {
        const { code, message } = toServiceError(error);
        if (code === 'not_found' || tried === tries) throw error;
        this.log.debug('a module could not be fetched yet', { hash, reason: message });
        await delay(pauseMs * tried);
      }
    }
  }

  async #fetch(hash: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let offset = 0; ;) {
      const { data, total } = await this.bus.request(orchestratorRequests.fetchModule, {}, { hash, offset });
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

/** Returns the npm packages that a verified module names. They must equal those of its reference. */
function requireSame({ package: owner, source, dependencies = [] }: ModuleReference, text: Buffer): string[] {
  const end = text.indexOf('\n');
  const named = dependenciesOf(text.toString('utf8', 0, end === -1 ? text.length : end));
  if (JSON.stringify(named) === JSON.stringify(dependencies)) return named;
  throw new ServiceError(
    'internal',
    `${owner}/${source} imports the npm packages ${list(named)}, and its reference names ${list(dependencies)}`,
  );
}

function list(dependencies: readonly string[]): string {
  return dependencies.length === 0 ? '(none)' : dependencies.join(', ');
}

/** Reads a file; undefined: it is missing or has another hash. */
async function verified(path: string, hash: string): Promise<Buffer | undefined> {
  try {
    const text = await readFile(path);
    return sha256(text) === hash ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file so that readers see the whole file or none. */
async function writeWhole(path: string, text: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
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
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
