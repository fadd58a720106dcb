import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { root } from './command.mjs';

const sources = join(root, 'apps', 'web', 'src');
const folder = join(root, 'apps', 'web', 'dist', 'page');

/** Name of the file that says what the page consists of. The gateway reads it. */
const contents = 'page.json';

const types = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' };

/** Whether there is a page. */
export const isPageThere = () => existsSync(join(folder, contents));

/**
 * Builds the web page: scripts and styles whose names have a hash of their content, each also compressed, and a document that
 * names them.
 *
 * @throws Error with the errors of esbuild
 */
export async function buildPage() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: { page: join(sources, 'main.tsx') },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    write: false,
    metafile: true,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    jsx: 'automatic',
    conditions: ['@lab/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
  });
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(join(draft, 'assets'), { recursive: true });
  const assets = await Promise.all(outputFiles.map((file) => writeAsset(draft, file)));
  // Parts that are loaded later are entries as well.
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('/main.tsx'),
  );
  const html = (await readFile(join(sources, 'index.html'), 'utf8'))
    .replace('{preloads}', preloadsOf(entry[0], metafile.outputs))
    .replace('{script}', `/assets/${basename(entry[0])}`)
    .replace('{style}', `/assets/${basename(entry[1].cssBundle)}`);
  const addresses = JSON.parse(await readFile(join(sources, 'addresses.json'), 'utf8'));
  await writeFile(join(draft, contents), JSON.stringify({ html, addresses, assets }));
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

/** Links with which a browser asks at once for the parts that a script needs before it runs, and not one after the other. */
function preloadsOf(script, outputs) {
  const needed = new Set([script]);
  for (const part of needed)
    for (const { kind, path } of outputs[part].imports) if (kind === 'import-statement') needed.add(path);
  needed.delete(script);
  return [...needed].map((part) => `<link rel="modulepreload" href="/assets/${basename(part)}" />`).join('');
}

async function writeAsset(draft, { path, contents: content }) {
  const name = basename(path);
  const place = join(draft, 'assets', name);
  const bytes = Buffer.from(content);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(place, bytes), writeFile(`${place}.br`, br), writeFile(`${place}.gz`, gz)]);
  const type = types[name.slice(name.lastIndexOf('.'))];
  return { name, type };
}
