import { tarGz } from '../package/archive.js';
import { npmPackages, version } from './contents.js';

/** Name of the file of an npm package, as `npm pack` would name it. */
export const fileOf = (name: string): string => `${name.slice(1).replace('/', '-')}-${version}.tgz`;

/**
 * Packs an npm package. The same build gives the same bytes, whenever and wherever it is packed.
 *
 * @throws Error when there is no such package, or a part of it was not built
 */
export async function tarballOf(name: string): Promise<Buffer> {
  const files = npmPackages[name];
  if (files === undefined) throw new Error(`there is no npm package "${name}"`);
  const entries = files().map((entry) => ({ ...entry, path: `package/${entry.path}` }));
  return tarGz(
    entries.sort((a, b) => (a.path < b.path ? -1 : 1)),
    9,
  );
}
