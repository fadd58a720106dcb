import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { build, stop, type BuildFailure, type Message, type Metafile } from 'esbuild';
import { dependencyLine } from '../model/index.js';
import { externalsOf, nativeImports, type External, type NativeImport } from './outside.js';
import { ownFiles } from './own-files.js';
import { carriedSolver, productLibrary } from './product-libraries.js';

/** Bundles the TypeScript of packages. Only this file knows esbuild. */

export interface BundleFault {
  /** Source relative to the package folder; null when the fault belongs to no file. */
  source: string | null;
  line: number | null;
  column: number | null;
  /** Code of the diagnostic; absent: `code`. */
  code?: string;
  message: string;
  hint: string | null;
}

export type Bundle =
  | {
      ok: true;
      text: string;
      /** Files read, relative to the package folder. */
      inputs: string[];
      /** npm packages that the text imports but does not contain, as `name@version`, sorted. */
      dependencies: string[];
      /** Names that the module exports, without those behind `export *` of an external package. */
      exports: string[];
      /** SHA-256 of the lock of the libraries that the text needs, of a text in Python; absent: none. */
      environment?: string;
    }
  | { ok: false; faults: BundleFault[] };

/** Changes whenever the same sources would give another bundle. */
export const bundleFormat = 'esbuild-0.28.2/6';

/** How the text of a module names its own address. In two parts, because the bundler of the services replaces the whole in their code. */
const ownAddress = ['import.meta', 'url'].join('.');

/** The output folder for esbuild, which writes nothing. */
const outFolder = 'out';

let building = 0;

/**
 * Bundles every entry of a package into a module of its own. Imports are included, except those of Node and of
 * `external`. Standard decorators are lowered. An inline source map names a source as `package:///<package>/<path>`.
 * The texts depend only on the sources, not on the location of the package. An import by path must stay within the package. A
 * faulty entry does not affect the others.
 *
 * @param entries sources relative to the package folder, with forward slashes
 * @param external an entry that imports one without a version fails, with no fault of its own
 */
export async function bundle(
  root: string,
  packageName: string,
  entries: readonly string[],
  external: External = new Map(),
): Promise<Map<string, Bundle>> {
  if (entries.length === 0) return new Map();
  return whileBundling(async () => {
    const whole = await tryBundle(root, packageName, entries, external);
    if (entries.length === 1 || [...whole.values()].every((result) => result.ok)) return whole;
    const single = await Promise.all(entries.map((entry) => tryBundle(root, packageName, [entry], external)));
    return new Map(single.flatMap((results) => [...results]));
  });
}

/** Keeps the child process of esbuild for the duration of the work, and ends it when nobody bundles. */
export async function whileBundling<T>(work: () => Promise<T>): Promise<T> {
  building += 1;
  try {
    return await work();
  } finally {
    building -= 1;
    if (building === 0) await stop();
  }
}

async function tryBundle(
  root: string,
  packageName: string,
  entries: readonly string[],
  external: External,
): Promise<Map<string, Bundle>> {
  try {
    const result = await build({
      absWorkingDir: root,
      entryPoints: entries.map((entry) => ({ in: `./${entry}`, out: entry })),
      outdir: join(root, outFolder),
      outExtension: { '.js': '.mjs' },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: [...external.keys()].flatMap((name) => [name, `${name}/*`]),
      // Native parts are found in the files that were read, where the import that leads to them is known too.
      loader: { '.node': 'empty' },
      charset: 'utf8',
      sourcemap: 'external',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'silent',
      tsconfigRaw: { compilerOptions: { target: 'ES2022', useDefineForClassFields: true } },
      plugins: [ownFiles(root), productLibrary, carriedSolver],
      ...(conditions.length === 0 ? {} : { conditions }),
    });
    const names = new StableNames(root);
    const texts = new Map(result.outputFiles.map((file) => [file.path, file.text]));
    return new Map(
      entries.map((entry): [string, Bundle] => {
        const native = nativeImports(result.metafile, root, entry);
        if (native.length > 0) return [entry, { ok: false, faults: native.map(nativeFault) }];
        const output = outputOf(result.metafile, entry);
        const dependencies: string[] = [];
        for (const name of externalsOf(output, external)) {
          const version = external.get(name);
          if (typeof version !== 'string') return [entry, { ok: false, faults: [] }];
          dependencies.push(`${name}@${version}`);
        }
        const out = join(root, outFolder, `${entry}.mjs`);
        const inputs = Object.keys(output.inputs);
        const map = JSON.parse(texts.get(`${out}.map`) ?? '{}') as RawMap;
        const parts = { entry, packageName, inputs, dependencies };
        const text = finish(texts.get(out) ?? '', map, parts, names);
        return [entry, { ok: true, text, inputs, dependencies, exports: output.exports }];
      }),
    );
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return new Map(entries.map((entry) => [entry, { ok: false, faults: error.errors.map(faultOf) }]));
  }
}

function outputOf(metafile: Metafile, entry: string): Metafile['outputs'][string] {
  const found = Object.values(metafile.outputs).find((output) => output.entryPoint === entry);
  if (!found) throw new Error(`esbuild made no output for ${entry}`);
  return found;
}

/** If the product runs from source, packages import the workspace from source too: its build may be missing or old. */
const conditions = import.meta.url.endsWith('.ts') ? ['@lab/source'] : [];

interface RawMap {
  version: 3;
  sources: string[];
  names: string[];
  mappings: string;
}

interface Parts {
  entry: string;
  packageName: string;
  inputs: readonly string[];
  dependencies: readonly string[];
}

/** Replaces paths by stable names, and adds the dependencies at the begin and the source map at the end. */
function finish(
  text: string,
  map: RawMap,
  { entry, packageName, inputs, dependencies }: Parts,
  names: StableNames,
): string {
  const renamed = new Map(inputs.map((input) => [input, names.of(input)]));
  // esbuild names the source of a part in a comment line, and for CommonJS in a property too. One pass over the text: a library may have
  // thousands of sources.
  let code = `\n${text}`
    .replace(/(?<=\n\/\/ )[^\n]+(?=\n)/g, (source) => renamed.get(source) ?? source)
    .replace(/(?<=")[^"\\\n]+(?="\()/g, (source) => renamed.get(source) ?? source);
  code = code.slice(1).trimEnd();
  const lead = dependencies.length === 0 ? [] : [dependencyLine(dependencies)];
  if (/\b__require\d*\(/.test(code)) {
    lead.push(
      `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(${ownAddress});`,
    );
  }
  code = [...lead, code].join('\n');
  const mappings = `${';'.repeat(lead.length)}${map.mappings}`;
  const finished = {
    version: 3,
    sourceRoot: `package:///${encodeURIComponent(packageName)}/`,
    sources: map.sources.map((source) => names.of(posix.join(outFolder, posix.dirname(entry), source))),
    names: map.names,
    mappings,
  };
  const encoded = Buffer.from(JSON.stringify(finished)).toString('base64');
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

/** Names of sources that do not depend on the location of the package, its dependencies and the product. */
class StableNames {
  private readonly outside = new Map<string, string>();

  constructor(private readonly root: string) {}

  /** @param path relative to the package folder */
  of(path: string): string {
    const modules = path.lastIndexOf('node_modules/');
    if (modules !== -1) return path.slice(modules);
    if (!path.startsWith('../')) return path;
    const known = this.outside.get(path);
    if (known !== undefined) return known;
    const name = nameInPackage(resolve(this.root, path));
    this.outside.set(path, name);
    return name;
  }
}

/** The name of an external file by its place in its npm package. */
function nameInPackage(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown };
    if (typeof name !== 'string') continue;
    return posix.join('node_modules', name, relative(folder, file).split(sep).join('/'));
  }
  return posix.join('outside', basename(file));
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function nativeFault({ source, line, column, name }: NativeImport): BundleFault {
  return {
    source,
    line,
    column,
    message: `${name === null ? 'the file' : `"${name}"`} is native or has native parts, which cannot be bundled`,
    hint:
      name === null
        ? 'put it into an npm package, and list that in package.json under "svc": {"external": [...]}'
        : `list it in package.json: "svc": {"external": ["${name}"]}, with its exact version in "dependencies"`,
  };
}

function faultOf({ text, location }: Message): BundleFault {
  const unresolved = /^Could not resolve "(.+?)"/.exec(text);
  const isRelative = unresolved?.[1]?.startsWith('.') ?? false;
  return {
    source: location?.file ?? null,
    line: location?.line ?? null,
    column: location ? location.column + 1 : null,
    message: unresolved ? `cannot find the import "${unresolved[1]}"` : text,
    hint: unresolved
      ? isRelative
        ? unresolved?.[1]?.endsWith('.node') === true
          ? 'list the npm package in package.json: "svc": {"external": [...]}, with its exact version in "dependencies"'
          : 'is there such a file?'
        : 'declare it in the package.json of the package and install it'
      : location?.suggestion
        ? `write ${location.suggestion}`
        : null,
  };
}
