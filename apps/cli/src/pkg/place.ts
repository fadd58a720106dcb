import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, settings } from '@lab/runtime';

/** Folders of which a package has at least one. */
export const definitionFolders = ['laboratories', 'labs', 'devices', 'tasks', 'experiments', 'protocols'];

const productRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** The packages that a command works on. */
export interface Place {
  /** Absolute. */
  userDir: string;
  /** Absolute folder of one package; null: all packages of the user directory. */
  packageDir: string | null;
}

/**
 * The configured folder of packages, absolute. If it does not exist and the current folder is inside a clone of the
 * product, the folder of packages of that clone.
 *
 * @throws ConfigError when the configuration cannot be read
 */
export function configuredUserDir(): string {
  const { userDir } = defineConfig({ userDir: settings.userDir }).load();
  return !existsSync(userDir) && isInside(productRoot, process.cwd())
    ? join(productRoot, 'lab-packages')
    : userDir;
}

/**
 * The packages that a path names: a folder of packages, one package, or a file inside a package. The path is relative to
 * the current folder or else to the user directory.
 *
 * @throws Error when the folder does not exist
 */
export function placeOf(path: string): Place {
  const userDir = configuredUserDir();
  const wanted = existsSync(path) ? resolve(path) : resolve(userDir, path);
  if (!existsSync(wanted)) throw new Error(`there is no folder ${path}, neither here nor in ${userDir}`);
  const start = statSync(wanted).isDirectory() ? wanted : dirname(wanted);
  if (start === userDir) return { userDir, packageDir: null };
  for (let folder = start; folder !== dirname(folder) && folder !== userDir; folder = dirname(folder)) {
    if (!isPackage(folder)) continue;
    return { userDir: isInside(userDir, folder) ? userDir : dirname(folder), packageDir: folder };
  }
  return { userDir: start, packageDir: null };
}

/** True when `path` is `folder` or is inside it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** `path` relative to `folder`, with forward slashes. */
export function relativeTo(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** Files of which a package that is named by its folder has one. */
const markers = ['package.json', 'pyproject.toml'];

function isPackage(folder: string): boolean {
  const names = readdirSync(folder);
  return (
    markers.some((marker) => names.includes(marker)) && names.some((name) => definitionFolders.includes(name))
  );
}
