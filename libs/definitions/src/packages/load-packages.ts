import { resolve } from 'node:path';
import { CodeCache } from '../code/code-cache.js';
import { ModuleStore } from '../code/module-store.js';
import { compareDiagnostics, type Diagnostic } from '../documents/diagnostic.js';
import { maxFileSize, SourceDocument } from '../documents/source-document.js';
import { Assembly, type LoadedFile } from './assembly.js';
import type { Catalog } from './catalog.js';
import { discoverPackages, readDefinition, type FoundPackage } from './discover.js';

export interface LoadOptions {
  /** Folder that holds the packages. */
  userDir: string;
  /** Folder for bundled code: `modules/<hash>.mjs`, and what they were made of. May be shared by processes. */
  cacheDir: string;
  /** Names of the packages to load; all when not given. */
  packages?: readonly string[];
}

/**
 * Reads, checks and bundles the packages of a user directory.
 *
 * Errors of packages are collected in the catalog's diagnostics and never thrown. A definition with an error, and what
 * depends on it, is left out; everything else is usable.
 *
 * @throws when the cache folder cannot be read or written
 */
export async function loadPackages(options: LoadOptions): Promise<Catalog> {
  const userDir = resolve(options.userDir);
  const cacheDir = resolve(options.cacheDir);
  const store = new ModuleStore(resolve(cacheDir, 'modules'));
  const cache = new CodeCache(resolve(cacheDir, 'bundles'), store);
  const { packages, diagnostics } = await discoverPackages(userDir, options.packages);
  const loaded = await Promise.all(packages.map((found) => loadPackage(found, cache)));
  const assembly = new Assembly(loaded.flatMap((result) => result.files));
  const all: Diagnostic[] = [...diagnostics, ...loaded.flatMap((result) => result.codeDiagnostics)];
  return assembly.catalog(
    packages.map((found) => found.name),
    (ofFiles) => [...all, ...ofFiles].sort(compareDiagnostics),
    store,
  );
}

async function loadPackage(
  found: FoundPackage,
  cache: CodeCache,
): Promise<{ files: LoadedFile[]; codeDiagnostics: Diagnostic[] }> {
  const entries = found.definitions.flatMap(({ code }) => code ?? []);
  const [sources, built] = await Promise.all([
    Promise.all(found.definitions.map(({ file, path }) => readSource(file, path))),
    cache.build(found.root, found.name, entries),
  ]);
  const codeDiagnostics = new Map<string, Diagnostic>();
  const files = found.definitions.map((definition, index): LoadedFile => {
    const source = sources[index] ?? SourceDocument.parse(definition.file, '');
    const result = definition.code === null ? undefined : built.get(definition.code);
    if (result?.ok === false) {
      for (const fault of result.faults) {
        const diagnostic: Diagnostic = {
          file: fault.source === null ? definition.file : join(found.file, fault.source),
          line: fault.line,
          column: fault.column,
          path: '',
          code: 'code',
          message: fault.message,
          hint: fault.hint,
        };
        // A helper that two entries import is faulty once.
        codeDiagnostics.set(JSON.stringify(diagnostic), diagnostic);
      }
    }
    return {
      definition,
      packageName: found.name,
      source,
      module:
        definition.code === null || result?.ok !== true
          ? null
          : { hash: result.hash, package: found.name, source: definition.code },
      codeIsBroken: result?.ok === false,
    };
  });
  return { files, codeDiagnostics: [...codeDiagnostics.values()] };
}

async function readSource(file: string, path: string): Promise<SourceDocument> {
  const text = await readDefinition(path, maxFileSize);
  if (typeof text === 'string') return SourceDocument.parse(file, text);
  return SourceDocument.broken(file, { line: null, column: null, path: '', ...text, hint: null });
}

function join(folder: string, source: string): string {
  return folder === '' ? source : `${folder}/${source}`;
}
