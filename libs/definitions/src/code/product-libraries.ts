import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** Libraries of the product that packages may import without listing them as dependencies. */
export const productLibraries: readonly string[] = [
  '@lab/sdk',
  '@lab/optimization',
  '@lab/instruments',
  '@lab/sila',
];

/** Where the product is. A bundle knows the folder of this module, which an npm package need not have. */
const here = existing(dirname(fileURLToPath(import.meta.url)));

function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

/** A package without its own copy of a product library gets that of the product. */
export const productLibrary: Plugin = {
  name: 'product-library',
  setup(context) {
    const filter = new RegExp(`^(${productLibraries.join('|')})($|/)`);
    context.onResolve({ filter }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === productLibrary) return undefined;
      const own = await context.resolve(path, { kind, resolveDir, pluginData: productLibrary });
      if (own.errors.length === 0) return own;
      return context.resolve(path, { kind, resolveDir: here, pluginData: productLibrary });
    });
  },
};

/**
 * The solver of linear programs reads its WebAssembly from a file beside it, which a bundled module does not have. Its
 * factory accepts the bytes as an argument, so the bundle contains them.
 */
export const carriedSolver: Plugin = {
  name: 'carried-solver',
  setup(context) {
    const folder = String.raw`[\\/]node_modules[\\/]glpk\.js[\\/]dist[\\/]`;
    context.onLoad({ filter: new RegExp(`${folder}glpk\\.js$`) }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const [call, ...more] = [...text.matchAll(/=\(\)=>r\(\);export\b/g)];
      if (call === undefined || more.length > 0) {
        return { errors: [{ text: 'this version of glpk.js does not take its WebAssembly as an argument' }] };
      }
      const carried = text.replace(call[0], call[0].replace('r()', 'r({ wasmBinary: carriedWebAssembly })'));
      return { contents: `import carriedWebAssembly from './glpk.wasm';\n${carried}` };
    });
    context.onLoad({ filter: new RegExp(`${folder}glpk\\.wasm$`) }, async ({ path }) => ({
      contents: await readFile(path),
      loader: 'binary',
    }));
  },
};
