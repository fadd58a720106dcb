/**
 * Compiles libs/optimization/assembly to WebAssembly and writes it, as text, to
 * libs/optimization/src/numeric/kernel-wasm.ts together with the hash of its sources. Both are committed; a test compares
 * them.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

const lib = new URL('../libs/optimization/', import.meta.url);
const names = (await readdir(new URL('assembly', lib))).sort();
const sources = await Promise.all(names.map((name) => readFile(new URL(`assembly/${name}`, lib), 'utf8')));
const files = new Map(names.map((name, i) => [name, sources[i]]));
let binary;
const { error, stderr } = await asc.main(
  [
    ...['kernel.ts', '-o', 'kernel.wasm', '-O3', '--noAssert', '--runtime', 'stub'],
    ...['--enable', 'simd,bulk-memory', '--memoryBase', '128'],
  ],
  {
    readFile: (name) => files.get(name) ?? null,
    writeFile: (name, content) => {
      if (name === 'kernel.wasm') binary = content;
    },
    listFiles: () => [],
  },
);
if (error || binary === undefined) {
  process.stderr.write(`${stderr.toString()}\n`);
  process.exit(1);
}
const hash = createHash('sha256').update(sources.join('')).digest('hex');
const text = Buffer.from(binary)
  .toString('base64')
  .replace(/.{1,90}/g, "  '$&',\n");
await writeFile(
  new URL('src/numeric/kernel-wasm.ts', lib),
  `/** Written by \`npm run build:kernel\` from the files of assembly; not to be edited. */

/** SHA-256 of the sources, one after another by their names. */
export const kernelSourceHash = '${hash}';

/** The module, in base64. */
export const kernelModule = [
${text}].join('');
`,
);
process.stdout.write(`${binary.length} bytes of WebAssembly\n`);
