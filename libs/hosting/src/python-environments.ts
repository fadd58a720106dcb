import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isServiceError, ServiceError, type ModuleReference } from '@lab/contracts';
import {
  largestLock,
  largestWheel,
  neededBy,
  readLock,
  type NeededLibrary,
} from '@lab/definitions/environments';
import type { Log } from '@lab/ports';
import type { CodeUser } from './code-user.js';
import { buildEnvironment, interpreterIn } from './environment-build.js';
import { fetchFile, type FilePiece } from './fetched-file.js';
import type { Interpreters, Python } from './python.js';
import { askPython, type PythonTools } from './python-kind.js';
import { WheelCache } from './wheel-cache.js';

/** Days without a use after which an environment, or a wheel, is deleted. It is built, or fetched, again when it is needed. */
const unusedDays = 30;
const defaultTimeoutMs = 600_000;
const markerSuffix = '.json';

/** Says that an environment is complete, and where. It is written last. */
interface Marker {
  /** SHA-256 of the lock. */
  lock: string;
  /** The interpreter that it was built with. */
  python: string;
  /** Name of its folder. */
  folder: string;
}

/**
 * Environments with the libraries of packages, for code in Python. Each is built once from a lock, for one kind of Python on one
 * platform, before code needs it. It lies where it was built, in a folder of its own that a marker names when it is complete. So what
 * a crash leaves behind is never used, and a program that survived the crash changes nothing that is. Wheels are kept beside the
 * environments, so that a lock that differs in one library needs one wheel. Processes that
 * share the folder of all environments must say so to {@link PythonEnvironments.removeUnused}.
 */
export class PythonEnvironments implements Interpreters {
  readonly #interpreters = new Map<string, string>();
  readonly #builds = new Map<string, Promise<string>>();
  readonly #closing = new AbortController();
  readonly #timeoutMs: number;
  readonly #user: CodeUser | undefined;
  readonly #wheels: WheelCache;
  #kind: Promise<PythonTools> | undefined;
  /** The last build. Builds do not overlap, because they would compete for the disk and for the processor. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param folder of the environments; the folder `wheels` beside it has the wheels
   * @param python was found before an environment is provided
   * @param timeoutMs limit of each command of a build; default: 10 minutes
   * @param user whose code uses the environments and must not change them; undefined: the user of this process
   */
  constructor(
    private readonly folder: string,
    private readonly python: Python,
    private readonly log: Log,
    { timeoutMs = defaultTimeoutMs, user }: { timeoutMs?: number; user?: CodeUser | undefined } = {},
  ) {
    this.#timeoutMs = timeoutMs;
    this.#user = user;
    this.#wheels = new WheelCache(join(dirname(folder), 'wheels'));
  }

  /** See {@link Interpreters.program}. @throws Error when the environment was not provided */
  program(environment: string | undefined): string {
    if (environment === undefined) return this.python.program;
    const interpreter = this.#interpreters.get(environment);
    if (interpreter === undefined) throw new Error(`the environment ${environment} was not provided`);
    return interpreter;
  }

  /**
   * Provides the environment that a module names, if it names one. Concurrent requests for an environment share one build. After a
   * failure the next request tries again.
   *
   * @param piece fetches the lock and its wheels
   * @throws ServiceError `not_found` in one sentence when it cannot be built; `forbidden` when what comes is another file;
   *   `service_unavailable` while this process stops; that of `piece`
   */
  async provide(module: ModuleReference, piece: FilePiece): Promise<void> {
    const { environment } = module;
    if (environment === undefined) return;
    const known = this.#builds.get(environment);
    const build = known ?? this.#provide(module, environment, piece);
    this.#builds.set(environment, build);
    if (known === undefined) build.catch(() => this.#builds.delete(environment));
    this.#interpreters.set(environment, await build);
  }

  /**
   * Deletes environments and wheels that no code has used for a month, and what earlier processes left unfinished. Call it before
   * the first use.
   *
   * @param now milliseconds since 1970
   * @param builtElsewhereMs another process may use the folder too, and builds no environment for longer than this
   */
  async removeUnused(now: number, builtElsewhereMs = 0): Promise<void> {
    const usedBefore = now - unusedDays * 86_400_000;
    await this.#wheels.removeUnused(usedBefore, now - builtElsewhereMs);
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const kept = new Set<string>();
    for (const name of names.filter((each) => each.endsWith(markerSuffix))) {
      const path = join(this.folder, name);
      const marker = await readMarker(path);
      const { mtimeMs } = await stat(path);
      if (marker === undefined || mtimeMs < usedBefore) continue;
      kept.add(name).add(marker.folder);
    }
    for (const name of names.filter((each) => !kept.has(each))) {
      const path = join(this.folder, name);
      if (builtElsewhereMs > 0 && (await changedAt(path)) > now - builtElsewhereMs) continue;
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Ends the build in progress and begins no other. Resolves when its programs have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }

  async #provide(module: ModuleReference, lock: string, piece: FilePiece): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(lock))
      throw new ServiceError('not_found', `'${lock}' is not the hash of a lock`);
    this.#kind ??= askPython(this.python.program);
    this.#kind.catch(() => (this.#kind = undefined));
    const kind = await this.#kind.catch((error: unknown) => {
      throw new ServiceError('not_found', (error as Error).message, { cause: error });
    });
    const path = join(this.folder, `${environmentKey(lock, kind)}${markerSuffix}`);
    const turn = this.#last.then(
      async () => (await this.#complete(path)) ?? this.#build(module, lock, kind, path, piece),
    );
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** The interpreter of an environment that is complete; undefined: there is none, or its Python is another one. */
  async #complete(path: string): Promise<string | undefined> {
    const marker = await readMarker(path);
    if (marker?.python !== this.python.program) return undefined;
    const interpreter = interpreterIn(join(this.folder, marker.folder));
    // A link to an interpreter that was removed is no interpreter.
    if ((await stat(interpreter).catch(() => undefined)) === undefined) return undefined;
    // The time of the latest use, for `removeUnused`.
    await utimes(path, new Date(), new Date()).catch(() => undefined);
    return interpreter;
  }

  async #build(
    module: ModuleReference,
    lock: string,
    kind: PythonTools,
    path: string,
    piece: FilePiece,
  ): Promise<string> {
    this.#demandOpen();
    const begun = Date.now();
    const name = `${environmentKey(lock, kind)}-${randomBytes(6).toString('hex')}`;
    const [folder, wheels] = [join(this.folder, name), join(this.folder, `${name}-wheels`)];
    this.#user?.share(this.folder, 'read');
    await mkdir(wheels, { recursive: true });
    try {
      const { libraries, fetched } = await this.#fetch(module, lock, kind, wheels, piece);
      const said = { package: module.package, lock, libraries: libraries.length, fetched };
      this.log.info('building an environment of Python', said);
      const limits = { timeoutMs: this.#timeoutMs, signal: this.#closing.signal, user: this.#user };
      const tool = await buildEnvironment(
        { python: this.python.program, kind, folder, wheels, libraries },
        limits,
      ).catch((error: unknown) => {
        this.#demandOpen();
        throw notBuilt(
          module,
          kind,
          (error as Error).message,
          'remove the cause, and load the package again',
        );
      });
      await writeMarker(path, { lock, python: this.python.program, folder: name });
      this.log.info('built an environment of Python', { ...said, tool, ms: Date.now() - begun });
      return interpreterIn(folder);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    } finally {
      await rm(wheels, { recursive: true, force: true });
    }
  }

  /** Fetches the lock, and those of its wheels that this Python needs and that are not kept. @returns how many wheels came */
  async #fetch(
    module: ModuleReference,
    lock: string,
    kind: PythonTools,
    folder: string,
    piece: FilePiece,
  ): Promise<{ libraries: NeededLibrary[]; fetched: number }> {
    const { signal } = this.#closing;
    const text = join(folder, 'lock');
    const of = `of the package ${module.package}`;
    const wanted = { what: `the lock ${lock} ${of}`, sha256: lock, size: null, most: largestLock };
    await fetchFile(text, wanted, piece, signal).catch((error: unknown) => {
      throw withRemedy(module, error);
    });
    let libraries: NeededLibrary[];
    try {
      libraries = neededBy(readLock(await readFile(text, 'utf8')), kind);
    } catch (error) {
      const remedy = `lock the package for this computer too, with "svc pkg lock ${module.package}" and the option --platform or --python, and load it again`;
      throw notBuilt(module, kind, `the lock ${(error as Error).message}`, remedy);
    }
    let fetched = 0;
    for (const { name, sha256, size } of libraries.flatMap((library) => library.wheels)) {
      const wheel = { what: `the wheel ${name} ${of}`, sha256, size, most: largestWheel };
      const came = await this.#wheels
        .place(join(folder, name), wheel, piece, signal)
        .catch((error: unknown) => {
          throw withRemedy(module, error, name);
        });
      if (came) fetched += 1;
    }
    return { libraries, fetched };
  }

  #demandOpen(): void {
    if (this.#closing.signal.aborted)
      throw new ServiceError('service_unavailable', 'this part of the service is stopping');
  }
}

/** Environments with the same key are the same. */
export function environmentKey(lock: string, { abi, platform, libc }: PythonTools): string {
  const content = JSON.stringify([lock, abi, platform, libc?.name ?? null]);
  return createHash('sha256').update(content).digest('hex');
}

function notBuilt(
  { package: owner }: ModuleReference,
  { version, platform }: PythonTools,
  why: string,
  remedy: string,
): ServiceError {
  return new ServiceError(
    'not_found',
    `the libraries of the package ${owner} cannot be installed on ${hostname()} (Python ${version}, ${platform}): ${why}; ${remedy}`,
  );
}

/** A file that the service does not have can be had only where packages are made. */
function withRemedy({ package: owner }: ModuleReference, error: unknown, wheel?: string): unknown {
  if (!isServiceError(error) || error.code !== 'not_found') return error;
  const what = wheel === undefined ? 'the lock' : `the wheel ${wheel}`;
  return new ServiceError(
    'not_found',
    `the service does not have ${what} of the package ${owner}: ${error.message}; type "svc pkg lock ${owner} --wheels" where the package is, and load it again`,
    { cause: error },
  );
}

async function readMarker(path: string): Promise<Marker | undefined> {
  try {
    const { lock, python, folder } = JSON.parse(await readFile(path, 'utf8')) as Partial<Marker>;
    const isWhole = [lock, python, folder].every((each) => typeof each === 'string');
    return isWhole && !/[\\/]/.test(folder ?? '') ? ({ lock, python, folder } as Marker) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeMarker(path: string, marker: Marker): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx');
  try {
    await file.writeFile(JSON.stringify(marker));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** When a file or folder was last changed, in milliseconds since 1970; 0: another process has removed it. */
const changedAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
