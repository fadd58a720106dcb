import { dirname, resolve } from 'node:path';
import {
  type BuiltCode,
  CodeCache,
  FileMemory,
  isPython,
  ModuleStore,
  Round,
  sha256,
} from '../code/index.js';
import {
  compareCauses,
  type Diagnostic,
  fileFault,
  maxFileSize,
  SourceDocument,
} from '../documents/index.js';
import { readArchives } from './archives.js';
import { Assembly } from './assembly.js';
import type { LoadedFile } from './loaded-file.js';
import { CheckMemory } from './check-memory.js';
import type { Catalog } from './catalog.js';
import {
  discoverPackages,
  readDefinition,
  type DeployedPackage,
  type FoundDefinition,
  type FoundPackage,
} from './discover.js';
import { EosPackages } from './eos-packages.js';
import { readManifest } from './manifest.js';
import { readPythonLibraries } from './python-libraries.js';
import { compareWithSigned, readSignedFiles, type PackageCode } from './package-code.js';

export interface LoadOptions {
  /** Folder that holds the packages. */
  userDir: string;
  /** Folder for bundled code: `modules/<hash>.mjs`, and the inputs of each module. Processes may share it. */
  cacheDir: string;
  /** Names of the packages to load; default: all. */
  packages?: readonly string[];
  /** Public code key that must have signed the code of all packages. Undefined: what differs from a signature is a warning. */
  codeKey?: string | undefined;
  /** Folder of wheels for packages that do not have them. Undefined: none. */
  wheelsDir?: string | undefined;
}

/** Reads packages repeatedly. */
export interface DefinitionLoader {
  /**
   * Reads the current packages: all of them the first time, then only files that were written since. Unchanged parts
   * are the same objects in the next catalog. Concurrent calls are served one after the other.
   *
   * @param deployed packages beside those of the user directory, which take the place of those with their names
   * @throws when the cache folder cannot be read or written
   */
  load(deployed?: readonly DeployedPackage[]): Promise<Catalog>;
}

/**
 * Reads, checks and bundles the packages of a user directory, on each request.
 *
 * Errors of packages are in the diagnostics of the catalog and are never thrown. A definition with an error, and
 * everything that depends on it, is left out. Everything else is usable.
 */
export function createLoader(options: LoadOptions): DefinitionLoader {
  const loader = new Loader(options);
  let last: Promise<unknown> = Promise.resolve();
  return {
    load(deployed = []) {
      const next = (): Promise<Catalog> => loader.load(deployed);
      const loaded = last.then(next, next);
      last = loaded;
      return loaded;
    },
  };
}

/** One load by {@link createLoader}. @throws when the cache folder cannot be read or written */
export async function loadPackages(options: LoadOptions): Promise<Catalog> {
  return createLoader(options).load();
}

/** A definition file with the hash of its text. */
interface ReadFile {
  hash: string;
  source: SourceDocument;
}

class Loader {
  private readonly userDir: string;
  private readonly store: ModuleStore;
  private readonly code: CodeCache;
  private readonly memory = new CheckMemory();
  private readonly eos = new EosPackages();
  private texts = new Map<string, FileMemory<ReadFile>>();
  /** The folder around each deployed package, by the path of its manifest. */
  private readonly around = new Map<string, string>();
  private readonly manifests = new FileMemory((path) =>
    readManifest(path, this.around.get(path) ?? this.userDir),
  );

  constructor(private readonly options: LoadOptions) {
    this.userDir = resolve(options.userDir);
    const cacheDir = resolve(options.cacheDir);
    this.store = new ModuleStore(resolve(cacheDir, 'modules'));
    this.code = new CodeCache(resolve(cacheDir, 'bundles'), this.store);
  }

  async load(deployed: readonly DeployedPackage[]): Promise<Catalog> {
    const round = new Round();
    for (const { root } of deployed) this.around.set(resolve(root, 'package.json'), dirname(root));
    const { packages, diagnostics, warnings } = await discoverPackages(
      this.userDir,
      this.options.packages,
      deployed,
    );
    const texts = new Map<string, FileMemory<ReadFile>>();
    for (const { definitions } of packages) {
      for (const { path, file } of definitions) {
        texts.set(
          path,
          this.texts.get(path) ?? new FileMemory((from, before) => readText(from, file, before)),
        );
      }
    }
    this.texts = texts;
    // One after the other: all packages at once would open more files than a process may.
    const loaded: Awaited<ReturnType<Loader['loadPackage']>>[] = [];
    for (const found of packages) loaded.push(await this.loadPackage(found, round));
    const assembly = new Assembly(
      loaded.flatMap((result) => result.files),
      this.memory,
    );
    const all: Diagnostic[] = [...diagnostics, ...loaded.flatMap((result) => result.codeDiagnostics)];
    return assembly.catalog(
      packages.map((found) => found.name),
      (ofFiles) => [...all, ...ofFiles].sort(compareCauses),
      this.store,
      {
        warnings: [...warnings, ...loaded.flatMap((result) => result.warnings)],
        code: loaded.map((result) => result.code),
      },
    );
  }

  private async loadPackage(
    found: FoundPackage,
    round: Round,
  ): Promise<{
    files: LoadedFile[];
    codeDiagnostics: Diagnostic[];
    warnings: Diagnostic[];
    code: PackageCode;
  }> {
    const entries = found.definitions.flatMap(({ code }) => code ?? []);
    const manifest = await this.manifests.of(resolve(found.root, 'package.json'), round);
    const [sources, built, ofLab, packed, libraries] = await Promise.all([
      Promise.all(found.definitions.map(({ path }) => this.texts.get(path)?.of(path, round))),
      this.code.build(found.root, found.name, entries, manifest, round),
      readSignedFiles(found.root),
      readArchives(found.root, found.file),
      readPythonLibraries(found.root, found.file, this.options.wheelsDir),
    ]);
    const documents = found.definitions.map(
      ({ file }, index) => sources[index]?.source ?? SourceDocument.parse(file, ''),
    );
    const isOfEos = await this.eos.has(found, documents, round);
    const codeDiagnostics = new Map<string, Diagnostic>();
    const code: PackageCode = {
      ...{ package: found.name, version: manifest.version, modules: modulesOf(built) },
      ...{ lock: ofLab.lock, signed: ofLab.signed, archives: packed.archives },
      environment: libraries.files,
    };
    const { codeKey } = this.options;
    const unsigned = compareWithSigned(code, ofLab, found.file, codeKey);
    // EOS installs libraries by itself, so its packages name them without a lock.
    const isMild = ({ code }: Diagnostic): boolean => isOfEos && code === 'missing_lock';
    const unlocked = libraries.errors.filter((error) => !isMild(error));
    const isRefused = (source: string): boolean =>
      codeKey !== undefined &&
      (unsigned.ofModules.has(source) || unsigned.ofPackage.some((finding) => !isHarmless(finding)));
    const findings = [...unsigned.ofPackage, ...unsigned.ofModules.values()];
    const files = found.definitions.map((definition, index): LoadedFile => {
      const document = documents[index] ?? SourceDocument.parse(definition.file, '');
      const text = isOfEos ? this.eos.translate(definition, document) : document;
      const source = definition.code;
      const result = source === null ? undefined : withFactory(definition, built.get(source));
      const isUnsigned = source !== null && isRefused(source);
      const isUnlocked = source !== null && isPython(source) && unlocked.length > 0;
      const isUsable = manifest.isReadable && !isUnsigned && !isUnlocked;
      if (result?.ok === false) {
        for (const fault of result.faults) {
          if (fault.source === 'package.json' && !manifest.isReadable) continue;
          const diagnostic: Diagnostic = {
            file: fault.source === null ? definition.file : join(found.file, fault.source),
            line: fault.line,
            column: fault.column,
            path: '',
            code: fault.code ?? 'code',
            message: fault.message,
            hint: fault.hint,
          };
          // A faulty helper that two entries import is reported once.
          codeDiagnostics.set(JSON.stringify(diagnostic), diagnostic);
        }
      }
      return {
        definition,
        packageName: found.name,
        source: text.unchecked(),
        text,
        module:
          source === null || result?.ok !== true || !isUsable
            ? null
            : {
                hash: result.hash,
                package: found.name,
                source,
                ...(isPython(source) ? { runtime: 'python' as const } : {}),
                ...(result.dependencies.length === 0 ? {} : { dependencies: result.dependencies }),
                ...(result.environment === undefined ? {} : { environment: result.environment }),
              },
        codeIsBroken: result !== undefined && (!result.ok || !isUsable),
      };
    });
    const hasPython = entries.some(isPython);
    const isError = (finding: Diagnostic): boolean => codeKey !== undefined && !isHarmless(finding);
    return {
      files,
      codeDiagnostics: [
        ...manifest.diagnostics,
        ...codeDiagnostics.values(),
        ...findings.filter(isError),
        ...(hasPython ? unlocked : []),
      ],
      warnings: [
        ...findings.filter((finding) => !isError(finding)),
        ...packed.faults,
        ...(hasPython ? [...libraries.errors.filter(isMild), ...libraries.warnings] : []),
      ],
      code,
    };
  }
}

/** Whether a difference from what the lab has signed leaves the signed modules as they are. */
const isHarmless = ({ code }: Diagnostic): boolean => code === 'other_lock' || code === 'other_archives';

/** Everything that could be bundled, by source. */
function modulesOf(built: ReadonlyMap<string, BuiltCode>): PackageCode['modules'] {
  return [...built]
    .flatMap(([source, result]) =>
      result.ok ? [{ source, sha256: result.hash, dependencies: result.dependencies }] : [],
    )
    .sort((a, b) => (a.source < b.source ? -1 : 1));
}

/** The function that a campaign calls in the module beside a protocol. */
const factory = 'svc_create_campaign_optimizer';
/** Its name in packages of EOS, for the host of Python. */
const factoryOfEos = 'eos_create_campaign_optimizer';

/** Code beside a protocol is an optimizer, and useless without its factory. */
function withFactory({ kind, code }: FoundDefinition, built: BuiltCode | undefined): BuiltCode | undefined {
  if (kind !== 'protocol' || built?.ok !== true || built.exports.includes(factory)) return built;
  const python = code !== null && isPython(code);
  if (python && built.exports.includes(factoryOfEos)) return built;
  // What Python imports by a star is known only when it runs.
  if (python && built.exports.includes('*')) return built;
  const fault = {
    source: code,
    line: null,
    column: null,
    code: 'missing_export',
    message: `it does not ${python ? 'define' : 'export'} a function "${factory}"`,
    hint: python
      ? `write: def ${factory}(): return {"inputs": ...}, OptimizerClass`
      : `write: export const ${factory}: CreateCampaignOptimizer<Arguments> = () => [args, OptimizerClass]`,
  };
  return { ok: false, faults: [fault] };
}

/** The same document as before when the text is unchanged. */
async function readText(path: string, file: string, before: ReadFile | undefined): Promise<ReadFile> {
  const text = await readDefinition(path, maxFileSize);
  const hash = sha256(typeof text === 'string' ? text : JSON.stringify(text));
  if (before?.hash === hash) return before;
  if (typeof text === 'string') return { hash, source: SourceDocument.parse(file, text) };
  return { hash, source: SourceDocument.broken(fileFault(file, text.code, text.message)) };
}

function join(folder: string, source: string): string {
  return folder === '' ? source : `${folder}/${source}`;
}
