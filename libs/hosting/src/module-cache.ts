import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { orchestratorRequests, ServiceError, toServiceError, type ModuleReference } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { environmentOf } from '@lab/definitions/environments';
import { dependenciesOf } from '@lab/definitions/model';
import type { Bus } from '@lab/messaging';
import type { CodeUser } from './code-user.js';
import type { FilePiece } from './fetched-file.js';
import { modulesFolder, type NpmPackages, type Unpack } from './npm-packages.js';

/** What an orchestrator says that was signed about a module. */
export interface CodeManifests {
  /** By the service. */
  manifest?: string | undefined;
  /** By the lab. */
  lab_manifest?: string | undefined;
}

/** Decides which modules may run in this process. */
export interface CodeCheck {
  /** Whether manifests that this process already has allow the module. */
  allows(module: ModuleReference): Promise<boolean>;
  /**
   * Keeps the manifests if they allow the module.
   *
   * @throws ServiceError `forbidden`, with the reason; `service_unavailable` when a later answer may allow it
   */
  demand(module: ModuleReference, given: CodeManifests): Promise<void>;
}

/** npm packages that manifests name as archives. */
export interface PackedPackages {
  /**
   * @param manifests asks for what was signed about the module
   * @param piece asks for a part of an archive
   */
  unpacking(module: ModuleReference, manifests: () => Promise<CodeManifests>, piece: FilePiece): Unpack;
}

/** What manifests must name. */
interface Named {
  package: string;
  source: string;
}

const largestBytes = 64 * 1024 * 1024;
const tries = 5;
const pauseMs = 400;

/** Days without a use after which a module leaves the disk. It is fetched again when it is needed. */
const unusedDays = 30;

/**
 * Removes modules that no process has used for a month, such as those of deleted versions of packages. Called before the first
 * use: a running process may load a file of its modules again.
 *
 * @param now milliseconds since 1970
 */
export async function forgetUnused(folder: string, now: number): Promise<void> {
  const before = now - unusedDays * 86_400_000;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => /\.(mjs|json)$/.test(each))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true });
  }
}

/**
 * Code modules on disk, each under its hash. A module is fetched once, in pieces. A file is used only after this process has
 * verified its SHA-256, and after its check has allowed the module. A module that imports npm packages is stored beside
 * them, where Node finds them.
 */
export class ModuleCache {
  readonly #found = new Map<string, Promise<string>>();

  /**
   * @param check undefined: every module whose hash is right may run
   * @param user who reads the modules and must not change them; undefined: the user of this process
   * @param packed undefined: npm installs all packages
   */
  constructor(
    private readonly folder: string,
    private readonly packages: NpmPackages,
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly check?: CodeCheck,
    private readonly user?: CodeUser,
    private readonly packed?: PackedPackages,
  ) {}

  /**
   * Provides the file of a module. Concurrent requests for a module share one fetch.
   *
   * @returns its absolute path
   * @throws ServiceError `not_found` when the leader does not know the module or its npm packages cannot be installed;
   *   `forbidden` when the check does not allow it; the error of the request when the leader cannot be reached after several
   *   tries
   */
  path(module: ModuleReference): Promise<string> {
    const { hash } = module;
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      return Promise.reject(new ServiceError('not_found', `'${hash}' is not the hash of a module`));
    }
    // The same text may be allowed as a module of one package and not as that of another.
    const { dependencies = [], environment = null } = module;
    const key = JSON.stringify([hash, module.package, module.source, dependencies, environment]);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#provide(module);
    this.#found.set(key, found);
    found.catch(() => this.#found.delete(key));
    return found;
  }

  async #provide(module: ModuleReference): Promise<string> {
    // Node takes a file for a module by its ending. The host of Python reads JSON.
    const name = `${module.hash}.${module.runtime === 'python' ? 'json' : 'mjs'}`;
    const path = join(this.folder, name);
    const text = await this.#allowed(path, module);
    const dependencies = requireSame(module, text);
    if (dependencies.length === 0) {
      await this.#share(path);
      return path;
    }
    const unpack = this.packed?.unpacking(
      module,
      () => this.#patiently(module, (named) => this.#piece(module.hash, text.length, named)),
      this.archivePieces(module),
    );
    const beside = join(await this.packages.install(dependencies, unpack), modulesFolder, name);
    if ((await verified(beside, module.hash)) === undefined) await writeWhole(beside, text);
    await this.#share(beside);
    return beside;
  }

  /** Lets the user read a module. It may be from before this process had such a user. */
  async #share(path: string): Promise<void> {
    if (this.user === undefined) return;
    this.user.share(dirname(path), 'read');
    const file = await open(path, 'r');
    try {
      await this.user.shareFile(file);
    } finally {
      await file.close();
    }
  }

  /** The text of a module that may run: from the disk, or from the leader, together with its manifests. */
  async #allowed(path: string, module: ModuleReference): Promise<Buffer> {
    const { check } = this;
    const isAllowed = check === undefined || (await check.allows(module));
    const text = await verified(path, module.hash);
    // The time of the latest use, for `forgetUnused`.
    if (text !== undefined) await utimes(path, new Date(), new Date()).catch(() => undefined);
    if (text === undefined) return this.#fetchInto(path, module, isAllowed ? undefined : check);
    if (!isAllowed)
      await check.demand(
        module,
        await this.#patiently(module, (named) => this.#piece(module.hash, text.length, named)),
      );
    return text;
  }

  async #fetchInto(path: string, module: ModuleReference, check: CodeCheck | undefined): Promise<Buffer> {
    const { hash, package: owner, source } = module;
    const { text, manifests } = await this.#patiently(module, (named) => this.#fetch(hash, named));
    await check?.demand(module, manifests);
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

  async #patiently<T>(
    { hash, package: owner, source }: ModuleReference,
    ask: (named: Named | undefined) => Promise<T>,
  ): Promise<T> {
    const named = this.check === undefined ? undefined : { package: owner, source };
    for (let tried = 1; ; tried += 1) {
      try {
        return await ask(named);
      } catch (error) {
        const { code, message } = toServiceError(error);
        if (code === 'not_found' || tried === tries) throw error;
        this.log.debug('a module could not be fetched yet', { hash, reason: message });
        await delay(pauseMs * tried);
      }
    }
  }

  /** The text of a module, and the manifests that came with its first piece. */
  async #fetch(hash: string, named: Named | undefined): Promise<{ text: Buffer; manifests: CodeManifests }> {
    const pieces: Buffer[] = [];
    let manifests: CodeManifests = {};
    for (let offset = 0; ;) {
      const { data, total, ...given } = await this.#piece(hash, offset, offset === 0 ? named : undefined);
      if (offset === 0) manifests = given;
      const piece = Buffer.from(data, 'base64');
      pieces.push(piece);
      offset += piece.length;
      if (total > largestBytes) {
        throw new ServiceError(
          'not_found',
          `module ${hash} has ${total} bytes; at most ${largestBytes} are taken`,
        );
      }
      if (offset >= total) return { text: Buffer.concat(pieces), manifests };
      if (piece.length === 0)
        throw new ServiceError('internal', `module ${hash} ended at byte ${offset} of ${total}`);
    }
  }

  /** Fetches files of the package of a module from the leader, with several tries. */
  archivePieces(module: ModuleReference): FilePiece {
    return (hash, offset) =>
      this.#patiently(module, async () => {
        const { data, total } = await this.bus.request(
          orchestratorRequests.fetchModule,
          {},
          { hash, offset, archive: true },
        );
        return { data: Buffer.from(data, 'base64'), total };
      });
  }

  /** One piece of a module. An offset at its end asks for nothing but the manifests. */
  #piece(
    hash: string,
    offset: number,
    named: Named | undefined,
  ): Promise<{ data: string; total: number } & CodeManifests> {
    return this.bus.request(
      orchestratorRequests.fetchModule,
      {},
      { hash, offset, ...(named === undefined ? {} : { named }) },
    );
  }
}

/** Returns the npm packages that a verified module names. They and its lock must equal those of its reference. */
function requireSame(module: ModuleReference, text: Buffer): string[] {
  const { package: owner, source, dependencies = [], environment } = module;
  const differs = (what: string): ServiceError => new ServiceError('internal', `${owner}/${source} ${what}`);
  if (module.runtime === 'python') {
    const locked = environmentOf(text.toString());
    if (locked !== environment)
      throw differs(`has the lock ${locked ?? '(none)'}, and its reference names ${environment ?? '(none)'}`);
    return [];
  }
  const end = text.indexOf('\n');
  const named = dependenciesOf(text.toString('utf8', 0, end === -1 ? text.length : end));
  if (JSON.stringify(named) === JSON.stringify(dependencies)) return named;
  throw differs(`imports the npm packages ${list(named)}, and its reference names ${list(dependencies)}`);
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
