import { dirname, join } from 'node:path';
import { dirname as folderOf } from 'node:path/posix';
import { isServiceError, ServiceError, type DefinitionType, type Fault } from '@lab/contracts';
import {
  createLoader,
  readPackageSources,
  loadPackages,
  type Catalog,
  type DefinitionLoader,
  type DeployedPackage,
  type DefinitionOrigin,
  type Diagnostic,
  type PackageSource,
} from '@lab/definitions';

import type { Log } from '@lab/ports';
import type { CodeSigner } from '@lab/trust/code-manifest';
import { ArchiveStore } from './archive-store.js';
import { CodeManifests, type SignedAbout } from './code-manifests.js';

/** The version of a package that a code module was read from. */
export interface CodeSource extends PackageSource {
  hash: string;
}

export interface PackagePlaces {
  userDir: string;
  dataDir: string;
  /** Public code key that must have signed all packages; undefined: they need not be signed. */
  codeKey?: string | undefined;
  /** Folder of wheels that packages do not have themselves; undefined: none. */
  wheelsDir?: string | undefined;
}

/** A version of a package that is not in the folder of packages. */
export interface DeployedVersion extends DeployedPackage {
  /** Commit of its sources. */
  commit: string | null;
}

/** Knows the uploaded versions of packages. */
export interface Deployed {
  /** The active ones, unpacked. @throws ServiceError `store_unavailable` */
  active(): Promise<DeployedVersion[]>;
  /** An unpacked version that has a code module; undefined: none has. */
  withModule(hash: string): Promise<DeployedPackage | undefined>;
}

/** The packages as they were read at one moment. */
export interface ReadPackages {
  catalog: Catalog;
  sources: readonly PackageSource[];
}

/** The packages as they were last read: those in the folder of packages, and uploaded ones that are active. */
export class PackageIndex {
  #deployed: Deployed | undefined;

  private constructor(
    private readonly places: Pick<PackagePlaces, 'userDir'> & { cacheDir: string },
    private readonly loader: DefinitionLoader,
    private readonly manifests: CodeManifests,
    private readonly archives: ArchiveStore,
    private latest: Catalog,
    private sources: readonly PackageSource[] = [],
  ) {}

  /**
   * Reads the packages; mistakes in them are found in the catalog.
   *
   * @param signer signs the code for agents; undefined: it is not signed
   */
  static async read(
    { userDir, dataDir, codeKey, wheelsDir }: PackagePlaces,
    signer?: CodeSigner,
    log: Pick<Log, 'error'> = { error: () => undefined },
  ): Promise<PackageIndex> {
    const cacheDir = join(dataDir, 'code');
    const loader = createLoader({ userDir, cacheDir, codeKey, wheelsDir });
    const manifests = new CodeManifests(join(cacheDir, 'lab-manifests'), { signer, lab: codeKey });
    const catalog = await loader.load();
    const archives = new ArchiveStore(join(cacheDir, 'archives'), log);
    const index = new PackageIndex({ userDir, cacheDir }, loader, manifests, archives, catalog);
    await index.note(catalog);
    return index;
  }

  private async note({ code }: Catalog): Promise<void> {
    await this.manifests.note(code);
    for (const file of code.flatMap(({ archives, environment }) => [...archives, ...environment]))
      this.archives.note(file);
  }

  get catalog(): Catalog {
    return this.latest;
  }

  /** Reads uploaded packages, too, from the next {@link refresh} on. */
  follow(deployed: Deployed): void {
    this.#deployed = deployed;
  }

  /** Reads what was written since, and which uploaded versions are active. @throws ServiceError `store_unavailable` */
  async refresh(): Promise<Catalog> {
    const read = await this.readWith((await this.#deployed?.active()) ?? []);
    await this.adopt(read);
    return read.catalog;
  }

  /** Reads the folder of packages with these uploaded versions. What was read last stays. */
  async readWith(deployed: readonly DeployedVersion[]): Promise<ReadPackages> {
    const [catalog, sources] = await Promise.all([
      this.loader.load(deployed),
      readPackageSources(this.places.userDir, deployed),
    ]);
    return { catalog, sources };
  }

  /** The packages as they were last read, to adopt them again. */
  get present(): ReadPackages {
    return { catalog: this.latest, sources: this.sources };
  }

  /** Makes these the packages that were read last. */
  async adopt({ catalog, sources }: ReadPackages): Promise<void> {
    await this.note(catalog);
    [this.latest, this.sources] = [catalog, sources];
  }

  /**
   * The computers that the laboratories name. The packages are read again unless `wanted` is among the computers.
   *
   * @returns null when a laboratory has errors, because it may name any computer
   */
  async computers(wanted: string): Promise<ReadonlySet<string> | null> {
    const known = computersOf(this.latest);
    return known?.has(wanted) === true ? known : computersOf(await this.refresh());
  }

  /** Each code module of the packages, with the version of its package at the last refresh. */
  codeOrigins(): CodeSource[] {
    const { latest, sources } = this;
    const modules = [
      ...latest.deviceTypes().map((type) => latest.deviceType(type)?.module),
      ...latest.taskTypes().map((type) => latest.task(type)?.task.module),
      ...latest.protocolTypes().map((type) => latest.protocol(type)?.protocol.optimizer),
    ];
    const found = new Map<string, CodeSource>();
    for (const module of modules) {
      const source = sources.find((each) => each.package === module?.package);
      if (module !== undefined && source !== undefined)
        found.set(`${module.package}/${module.hash}`, { hash: module.hash, ...source });
    }
    return [...found.values()];
  }

  /** What was signed about a code module. See {@link CodeManifests.about}. */
  signedAbout(...asked: Parameters<CodeManifests['about']>): SignedAbout {
    return this.manifests.about(...asked);
  }

  /** A piece of an archive of npm packages. See {@link ArchiveStore.piece}. */
  archivePiece(...asked: Parameters<ArchiveStore['piece']>): ReturnType<ArchiveStore['piece']> {
    return this.archives.piece(...asked);
  }

  /** The text of a code module, as bytes; also of an earlier version. @throws ServiceError `not_found` */
  async readModule(hash: string): Promise<Buffer> {
    const read = async (): Promise<Buffer> => Buffer.from(await this.latest.module(hash));
    return read().catch(async (error: unknown) => {
      // Work that another orchestrator accepted may need a version that this one has never read.
      const version =
        isServiceError(error) && error.code === 'not_found'
          ? await this.#deployed?.withModule(hash)
          : undefined;
      if (version === undefined) throw error;
      await loadPackages({ userDir: dirname(version.root), cacheDir: this.places.cacheDir });
      return read();
    });
  }
}

function computersOf(catalog: Catalog): ReadonlySet<string> | null {
  if (catalog.origins.some(({ kind, sound }) => kind === 'lab' && !sound)) return null;
  return new Set(catalog.labs().flatMap(({ computers }) => Object.keys(computers)));
}

/**
 * Refuses names that the packages do not define, or define with errors.
 *
 * @param field of the request, for the paths
 * @throws ServiceError `invalid`: a fault per unknown name, and every mistake in broken files
 */
export function requireSound(
  catalog: Catalog,
  type: DefinitionType,
  names: readonly string[],
  field: string,
): void {
  const unknown: Fault[] = [];
  const broken = new Set<Diagnostic>();
  const brokenNames: string[] = [];
  const known = catalog.origins.filter((origin) => origin.kind === type);
  for (const [index, name] of names.entries()) {
    const origins = known.filter((origin) => origin.name === name);
    if (origins.length === 0) {
      const choice = known.map((origin) => origin.name).sort();
      unknown.push({
        path: `${field}[${index}]`,
        code: `unknown_${type}`,
        message: `the packages define no ${type} "${name}"`,
        hint: choice.length === 0 ? 'there are none' : `there are ${choice.join(', ')}`,
      });
    } else if (!origins.some((origin) => origin.sound)) {
      brokenNames.push(name);
      for (const diagnostic of diagnosticsOf(catalog, origins)) broken.add(diagnostic);
    }
  }
  if (unknown.length === 0 && brokenNames.length === 0) return;
  const words = [
    ...(brokenNames.length === 0
      ? []
      : [`the files of the ${type} ${brokenNames.join(', ')} have errors; what was loaded stays as it is`]),
    ...unknown.map((fault) => fault.message),
  ];
  throw new ServiceError('invalid', words.join('; '), { faults: [...unknown, ...[...broken].map(faultOf)] });
}

/** Refuses names that the packages do not define. @throws ServiceError as {@link requireSound} */
export function requireKnown(
  catalog: Catalog,
  type: DefinitionType,
  names: readonly string[],
  field: string,
): void {
  const known = new Set(catalog.origins.flatMap(({ kind, name }) => (kind === type ? [name] : [])));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) requireSound(catalog, type, unknown, field);
}

/**
 * What is wrong with the folders of definitions, and with those of the broken ones that they depend on. Where that explains
 * nothing, the mistake is in what the code of the definition uses: a file that it imports, `package.json`, or the layout.
 */
export function diagnosticsOf(catalog: Catalog, origins: readonly DefinitionOrigin[]): Diagnostic[] {
  const found = new Set<Diagnostic>();
  const unexplained = new Set<string>();
  const seen = new Set<string>();
  const visit = (some: readonly DefinitionOrigin[]): void => {
    for (const { file, package: owner, sound } of some) {
      const folder = folderOf(file);
      if (seen.has(folder)) continue;
      seen.add(folder);
      const own = catalog.diagnostics.filter((diagnostic) => folderOf(diagnostic.file) === folder);
      if (own.length === 0 && !sound) unexplained.add(owner);
      for (const diagnostic of own) {
        found.add(diagnostic);
        if (diagnostic.code === 'depends_on_broken' && diagnostic.hint !== null)
          visit(catalog.origins.filter((other) => diagnostic.hint?.endsWith(other.file)));
      }
    }
  };
  visit(origins);
  const definitions = new Set(catalog.origins.map(({ file }) => file));
  const isOfCode = ({ file }: Diagnostic): boolean =>
    !definitions.has(file) && file.split('/').some((part) => unexplained.has(part));
  return catalog.diagnostics.filter((diagnostic) => found.has(diagnostic) || isOfCode(diagnostic));
}

export function faultOf({ file, line, column, path, code, message, hint }: Diagnostic): Fault {
  return {
    path,
    code,
    message,
    ...(hint === null ? {} : { hint }),
    ...(file === '' ? {} : { file }),
    ...(line === null ? {} : { line }),
    ...(column === null ? {} : { column }),
  };
}
