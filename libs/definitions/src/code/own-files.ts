import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Refuses imports by path that lead out of the package. The service bundles packages of others. A bundle, or the error about a file
 * that is no code, would show what a file of the server contains.
 *
 * @param root folder of the package
 */
export function ownFiles(root: string): Plugin {
  const isOwn = (file: string): boolean => {
    const path = relative(root, file);
    return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  };
  return {
    name: 'own-files',
    setup(context) {
      const byPath = /^(\.\.?([\\/]|$)|[\\/]|[A-Za-z]:|file:)/;
      context.onResolve({ filter: byPath }, ({ path, kind, resolveDir }) => {
        // What an npm package imports from its own files is its own affair.
        if (kind === 'entry-point' || !isOwn(resolveDir) || isNpm(relative(root, resolveDir)))
          return undefined;
        if (!path.startsWith('file:') && isOwn(resolve(resolveDir, path))) return undefined;
        return { errors: [{ text: `the import "${path}" leads out of the package` }] };
      });
    },
  };
}

const isNpm = (path: string): boolean => path.split(sep).includes('node_modules');
