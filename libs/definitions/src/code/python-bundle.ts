import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Bundle, BundleFault } from './bundle.js';
import { lockFile } from '../environments/index.js';
import { sha256 } from './module-store.js';
import { isMissing } from './whole-files.js';
import { pythonImports, pythonNames, type PythonImport } from './python-imports.js';

/** The form of the texts. `libs/python-host` reads it. */
const format = 1;

/** The folder of all packages in EOS, and the first name of what its packages import from each other. */
const userFolder = 'user';

/** What a package has at a path: the text of a file, a fault of the file, or null. */
type Read = (path: string) => Promise<string | BundleFault | null>;

/** True for the source of a module that Python runs. */
export const isPython = (source: string): boolean => source.endsWith('.py');

/**
 * Puts each entry of a package, with the files of the package that it imports, into one JSON text. In the host, the file
 * `devices/pump/device.py` of the package `color_lab` is the module `color_lab.devices.pump.device`. The texts depend only on
 * the sources, not on the location of the package. Modules outside of the package are not included. A text names the lock of the
 * libraries of the package, if there is one, so that its hash covers them.
 *
 * @param root absolute folder of the package
 * @param entries sources relative to the package folder, with forward slashes
 */
export async function bundlePython(
  root: string,
  packageName: string,
  entries: readonly string[],
): Promise<Map<string, Bundle>> {
  const files = new Map<string, ReturnType<Read>>();
  const read: Read = (path) => {
    const known = files.get(path) ?? readSource(root, path);
    files.set(path, known);
    return known;
  };
  const environment = entries.length === 0 ? undefined : await lockOf(root);
  const bundled = entries.map(
    async (entry) => [entry, await bundleEntry(packageName, entry, read, environment)] as const,
  );
  return new Map(await Promise.all(bundled));
}

/** The SHA-256 of the lock of a package; undefined: it has none. */
async function lockOf(root: string): Promise<string | undefined> {
  try {
    return sha256(await readFile(join(root, lockFile)));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function bundleEntry(
  packageName: string,
  entry: string,
  read: Read,
  environment: string | undefined,
): Promise<Bundle> {
  const texts = new Map<string, string>();
  const faults: BundleFault[] = [];
  // Also files that do not exist: when one is made, an import means it.
  const looked = new Set<string>();
  const take = async (path: string): Promise<boolean> => {
    looked.add(path);
    if (texts.has(path)) return true;
    const text = await read(path);
    if (text === null) return false;
    if (typeof text !== 'string') {
      faults.push(text);
      return true;
    }
    texts.set(path, text);
    for (const each of pythonImports(text)) await follow(path, each);
    return true;
  };
  /** Takes a module with the packages around it. @param path its place in the package, in parts */
  const takeModule = async (path: readonly string[]): Promise<boolean> => {
    const inside = await take(posix.join(...path, '__init__.py'));
    if (path.length === 0) return inside;
    const isFile = await take(`${path.join('/')}.py`);
    if (!inside && !isFile) return false;
    for (let depth = path.length - 1; depth >= 0; depth -= 1)
      await take(posix.join(...path.slice(0, depth), '__init__.py'));
    return true;
  };
  const follow = async (importer: string, found: PythonImport): Promise<void> => {
    const [own] = found.module;
    if (found.dots === 0 && own === userFolder && !found.module.includes(packageName, 1)) {
      if (found.module.length > 1) faults.push(elsewhere(importer, packageName, found));
      return;
    }
    const path = placeOf(packageName, importer, found);
    if (path === undefined) return;
    const isModule = await takeModule(path);
    let any = isModule;
    for (const name of found.names) any = (await takeModule([...path, name])) || any;
    // A package without `__init__.py` is a module too.
    const isWhole = path.length === 0 && found.names.length === 0;
    if (!any && !isWhole) faults.push(missing(importer, found));
  };
  await take(entry);
  if (!texts.has(entry) && faults.length === 0)
    faults.push({
      ...{ source: entry, line: null, column: null },
      message: 'the file is missing',
      hint: null,
    });
  for (let depth = entry.split('/').length - 1; depth >= 0; depth -= 1)
    await take(posix.join(...entry.split('/').slice(0, depth), '__init__.py'));
  if (faults.length > 0) return { ok: false, faults };
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
  const named = environment === undefined ? {} : { environment };
  const content = { svc_python: format, package: packageName, ...named, files: Object.fromEntries(sorted) };
  const text = `${JSON.stringify(content, null, 1)}\n`;
  const exports = pythonNames(texts.get(entry) ?? '');
  return { ok: true, text, inputs: [...looked, lockFile], dependencies: [], exports, ...named };
}

/**
 * The place of an import in the package, in parts; undefined: it leads out of the package. Packages of EOS import
 * `user.<folders>.<package>.…`, by their place in the folder of all packages.
 */
function placeOf(
  packageName: string,
  importer: string,
  { dots, module }: PythonImport,
): string[] | undefined {
  if (dots === 0) {
    const own = module[0] === userFolder ? module.indexOf(packageName, 1) : 0;
    return module[own] === packageName ? module.slice(own + 1) : undefined;
  }
  // Of an `__init__.py` too, the first dot is the folder of the file.
  const folder = importer.split('/').slice(0, -1);
  const base = dots - 1 > folder.length ? [] : folder.slice(0, folder.length - (dots - 1));
  return [...base, ...module];
}

function elsewhere(source: string, packageName: string, { module, line, column }: PythonImport): BundleFault {
  return {
    ...{ source, line, column },
    message: `the import "${module.join('.')}" leads to another package than ${packageName}`,
    hint: `a package runs with its own files only: copy the files that it needs into ${packageName}`,
  };
}

function missing(source: string, { dots, module, names, line, column }: PythonImport): BundleFault {
  const name = `${'.'.repeat(dots)}${module.join('.')}`;
  const shown = module.length === 0 ? `from ${name} import ${names.join(', ')}` : name;
  return {
    ...{ source, line, column },
    message: `cannot find the import "${shown}" in the package`,
    hint: 'is there such a file?',
  };
}

async function readSource(root: string, path: string): ReturnType<Read> {
  try {
    const bytes = await readFile(join(root, path));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    // A folder with the name of a module is no file.
    if (isMissing(error) || ['ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    if (!(error instanceof TypeError)) throw error;
    const at = { source: path, line: null, column: null };
    return { ...at, message: 'the file is not valid UTF-8', hint: 'save it as UTF-8' };
  }
}
