import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders of the repository. They are the same for the sources, which tests import, and for the compiled tools. */

/** The root of the repository. */
export const root = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package-lock.json')) ? folder : rootAbove(dirname(folder));
}

/** A file or folder below `tools/`. */
export const inTools = (path: string): string => join(root, 'tools', path);

/** The command line, compiled. */
export const svc = join(root, 'apps', 'cli', 'bin', 'svc.mjs');

export const labPackages = join(root, 'lab-packages');

/** The package with the devices, tasks and protocols of the benchmarks. */
export const benchPackages = inTools('bench/packages');
