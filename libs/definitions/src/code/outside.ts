import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * The parts of a program that a bundle does not contain: external npm packages, and native parts, which no bundle can
 * contain.
 */

/** External npm packages, with the version that is installed where the code runs; null: unknown. */
export type External = ReadonlyMap<string, string | null>;

/** A native part in the code of an entry, with the import of the author that leads to it. */
export interface NativeImport {
  /** Source file of the author, relative to the package folder. */
  source: string;
  /** From 1; null when the import was not found in the text. */
  line: number | null;
  column: number | null;
  /** The name of the imported npm package; null for a file of the package itself. */
  name: string | null;
}

/** Libraries that load a native part at run time, from their own folder. */
const nativeLoaders = [
  'bindings',
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  '@mapbox/node-pre-gyp',
];

/** The names of `external` that an output imports, sorted. */
export function externalsOf(output: Metafile['outputs'][string], external: External): string[] {
  const imported = output.imports.filter((each) => each.external).map(({ path }) => packageOf(path));
  return [...new Set(imported)].filter((name) => external.has(name)).sort();
}

/**
 * The native parts that an entry reaches through its imports: `.node` files, and libraries that load such files.
 *
 * @param entry relative to the package folder `root`
 */
export function nativeImports(metafile: Metafile, root: string, entry: string): NativeImport[] {
  const found = new Map<string, NativeImport>();
  const seen = new Set([entry]);
  const waiting: { path: string; via: NativeImport | null }[] = [{ path: entry, via: null }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { path, original, external } of metafile.inputs[next.path]?.imports ?? []) {
      if (external === true || seen.has(path)) continue;
      seen.add(path);
      const inside = path.lastIndexOf('node_modules/');
      const leavesPackage = inside !== -1 || path.endsWith('.node');
      const via = next.via ?? (leavesPackage ? importOf(root, next.path, original ?? path) : null);
      const name = inside === -1 ? null : packageOf(path.slice(inside + 'node_modules/'.length));
      const isNative = path.endsWith('.node') || (name !== null && nativeLoaders.includes(name));
      if (isNative && via !== null) found.set(`${via.source} ${via.name}`, via);
      else waiting.push({ path, via });
    }
  }
  return [...found.values()];
}

function importOf(root: string, source: string, specifier: string): NativeImport {
  const name = /^[./]/.test(specifier) ? null : packageOf(specifier);
  const text = readFileSync(join(root, source), 'utf8');
  const quoted = [`'${specifier}'`, `"${specifier}"`].map((each) => text.indexOf(each));
  const at = quoted.find((offset) => offset !== -1);
  if (at === undefined) return { source, line: null, column: null, name };
  const lines = text.slice(0, at).split('\n');
  return { source, line: lines.length, column: (lines.at(-1) ?? '').length + 1, name };
}

/** The package of an import: `a/b` belongs to `a`, `@a/b/c` to `@a/b`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
