import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { splitDependency } from '@lab/definitions/model';
import type { CodeUser } from './code-user.js';
import { npmByHand, npmInstall } from './npm-command.js';

/** Folder of a set in which modules that import its packages are stored. */
export const modulesFolder = 'modules';
const draftPrefix = '.draft-';
/** Of a set that this process unpacks. No other user may write there, so this process may delete it. */
const packedDraftPrefix = '.packed-';
const packedSuffix = '-packed';
const defaultTimeoutMs = 600_000;

/**
 * Puts the packages of a set into a folder, if somebody has packed them for this kind of computer.
 *
 * @returns false: nobody has packed this set for any computer
 * @throws ServiceError when they cannot be had at present, are damaged, or were packed for other kinds of computers only
 */
export type Unpack = (folder: string, signal: AbortSignal) => Promise<boolean>;

/**
 * Sets of npm packages on disk for code that imports them, each set in its own folder. A folder exists completely or not at
 * all. Concurrent requests for a set share one run of npm. After a failure the next request tries again.
 */
export class NpmPackages {
  readonly #timeoutMs: number;
  readonly #sets = new Map<string, Promise<string>>();
  readonly #closing = new AbortController();
  /** The last run of npm. Runs do not overlap, because they would compete for the cache of npm and for the processor. */
  #last: Promise<unknown> = Promise.resolve();

  readonly #user: CodeUser | undefined;

  /**
   * @param timeoutMs limit of one run of npm; default: 10 minutes
   * @param user under whom npm runs, and who can read the packages; undefined: the user of this process
   */
  constructor(
    private readonly folder: string,
    private readonly log: Log,
    { timeoutMs = defaultTimeoutMs, user }: { timeoutMs?: number; user?: CodeUser | undefined } = {},
  ) {
    this.#timeoutMs = timeoutMs;
    this.#user = user;
  }

  /** Removes unfinished folders of an earlier process. Call it before the first installation. */
  async removeLeftovers(): Promise<void> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const beginning = (prefix: string): string[] =>
      names.filter((name) => name.startsWith(prefix)).map((name) => join(this.folder, name));
    await Promise.all([
      ...beginning(draftPrefix).map((path) => this.#remove(path)),
      ...beginning(packedDraftPrefix).map((path) => rm(path, { recursive: true, force: true })),
    ]);
  }

  async #remove(folder: string): Promise<void> {
    if (this.#user === undefined) await rm(folder, { recursive: true, force: true });
    else await this.#user.remove(folder);
  }

  /**
   * Returns the folder whose `node_modules` has the packages, and installs them if necessary.
   *
   * @param dependencies `name@version`, sorted
   * @param unpack is asked before npm runs; undefined: nobody has packed them
   * @throws ServiceError `not_found` when npm cannot install them; `service_unavailable` while this process stops; that of `unpack`
   */
  install(dependencies: readonly string[], unpack?: Unpack): Promise<string> {
    const key = keyOf(dependencies, this.#user?.uid);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const set = this.#provide(key, dependencies, unpack);
    this.#sets.set(key, set);
    set.catch(() => this.#sets.delete(key));
    return set;
  }

  /** Ends the installation in progress and begins no other. Resolves when npm has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }

  async #provide(key: string, dependencies: readonly string[], unpack: Unpack | undefined): Promise<string> {
    const folder = join(this.folder, key);
    const packed = `${folder}${packedSuffix}`;
    for (const each of [packed, folder]) if (await isInstalled(each, dependencies)) return each;
    const turn = this.#last.then(async () =>
      unpack !== undefined && (await this.#unpack(packed, dependencies, unpack))
        ? packed
        : this.#install(folder, dependencies),
    );
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** @returns false: nobody has packed them */
  async #unpack(folder: string, dependencies: readonly string[], unpack: Unpack): Promise<boolean> {
    this.#demandOpen();
    const draft = join(this.folder, `${packedDraftPrefix}${randomBytes(6).toString('hex')}`);
    try {
      await mkdir(draft, { recursive: true, mode: 0o700 });
      if (!(await unpack(draft, this.#closing.signal))) return false;
      if (!(await isInstalled(draft, dependencies)))
        throw new ServiceError(
          'not_found',
          `the archive that was packed for ${dependencies.join(', ')} does not contain all of them: pack them anew with "svc pkg vendor"`,
        );
      if (this.#user !== undefined) await closeTo(this.#user, draft);
      await rm(folder, { recursive: true, force: true });
      await rename(draft, folder);
      this.log.info('unpacked npm packages', { packages: dependencies });
      return true;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  #demandOpen(): void {
    if (this.#closing.signal.aborted)
      throw new ServiceError('service_unavailable', 'this part of the service is stopping');
  }

  async #install(folder: string, dependencies: readonly string[]): Promise<string> {
    this.#demandOpen();
    const draft = join(this.folder, `${draftPrefix}${randomBytes(6).toString('hex')}`);
    // Another user may have no home to keep the cache of npm in.
    const cache = this.#user === undefined ? undefined : `${draft}-cache`;
    try {
      await mkdir(draft, { recursive: true });
      const listed = dependencies.map(splitDependency).map(({ name, version }) => [name, version]);
      const manifest = { private: true, dependencies: Object.fromEntries(listed) as Record<string, string> };
      await this.#write(join(draft, 'package.json'), JSON.stringify(manifest, null, 2));
      this.log.info('installing npm packages', { packages: dependencies });
      this.#user?.share(draft, 'write');
      if (cache !== undefined) this.#user?.share(cache, 'write');
      const end = await npmInstall(draft, this.#timeoutMs, this.#closing.signal, { user: this.#user, cache });
      if (!end.ok) {
        if (this.#closing.signal.aborted) throw new ServiceError('service_unavailable', end.reason);
        if (end.isMissing) throw withoutNpm(dependencies);
        this.log.error('npm packages could not be installed', {
          packages: dependencies,
          output: end.output,
        });
        throw notInstalled(dependencies, end.reason);
      }
      if (!(await isInstalled(draft, dependencies))) {
        throw notInstalled(dependencies, 'npm reported no error but did not install all of them');
      }
      if (this.#user !== undefined) await closeTo(this.#user, draft);
      // An incomplete folder from which files were removed. No code can use it.
      await this.#remove(join(folder, modulesFolder));
      await this.#remove(folder);
      await rename(draft, folder);
      this.log.info('installed npm packages', { packages: dependencies });
      return folder;
    } finally {
      await this.#remove(draft);
      if (cache !== undefined) await this.#remove(cache);
    }
  }

  async #write(path: string, text: string): Promise<void> {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(text);
      await this.#user?.shareFile(file);
    } finally {
      await file.close();
    }
  }
}

/**
 * Takes a folder of packages from the user who installed them, and makes the folder of the modules that this process stores
 * beside them.
 */
async function closeTo(user: CodeUser, folder: string): Promise<void> {
  user.share(folder, 'read');
  const modules = join(folder, modulesFolder);
  // An install script could leave a link there, through which this process would write elsewhere.
  if ((await lstat(modules).catch(() => undefined)) !== undefined)
    throw new ServiceError(
      'not_found',
      `an install script of the npm packages has made ${modulesFolder}, where modules are stored`,
    );
  user.share(modules, 'read');
}

function notInstalled(dependencies: readonly string[], reason: string): ServiceError {
  return new ServiceError(
    'not_found',
    `npm could not install ${dependencies.join(', ')}: ${reason}; to see its whole output, run in an empty folder: ${npmByHand(dependencies)}`,
  );
}

function withoutNpm(dependencies: readonly string[]): ServiceError {
  return new ServiceError(
    'not_found',
    `the computer ${hostname()} has no npm, which its code needs for ${dependencies.join(', ')}: install Node ${process.versions.node} with npm there, or run this code on another computer`,
  );
}

/**
 * The key contains the platform and Node's ABI version, because native parts are built for them.
 *
 * @param uid of the user who must be able to read the packages; undefined: the user of this process
 */
function keyOf(dependencies: readonly string[], uid: number | undefined): string {
  const { platform, arch, versions } = process;
  const reader = uid === undefined ? [] : [uid];
  return createHash('sha256')
    .update(JSON.stringify([platform, arch, versions.modules, ...reader, ...dependencies]))
    .digest('hex');
}

async function isInstalled(folder: string, dependencies: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    dependencies.map(splitDependency).map(async ({ name, version }) => {
      try {
        const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
        return (JSON.parse(text) as { version?: unknown }).version === version;
      } catch (error) {
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    }),
  );
  return found.every(Boolean);
}
