import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productLibraries } from '@lab/definitions';

/**
 * Links the libraries of the product and the types of Node into the `node_modules` of a package, so that editors find them.
 * `tsconfig.json` then names no folder of this computer. A library that the package can already find is left alone.
 *
 * @param root absolute
 * @returns the names of the linked libraries
 */
export function linkProduct(root: string): string[] {
  return [...productLibraries, '@types/node'].filter((name) => {
    if (isFound(root, name)) return false;
    const link = join(root, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    // A link to a product that was moved leads nowhere.
    rmSync(link, { force: true });
    symlinkSync(folderOf(name), link, 'junction');
    return true;
  });
}

function isFound(root: string, name: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', name))) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** The folder of a library of the product, absolute. */
function folderOf(name: string): string {
  const product = createRequire(fileURLToPath(import.meta.url));
  if (name.startsWith('@types/')) return dirname(product.resolve(`${name}/package.json`));
  return dirname(dirname(product.resolve(name)));
}
