import { writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Python } from '@lab/hosting';
import { withoutPython } from '@lab/testkit/python';
import { bundlePython } from '../../definitions/src/code/index.js';

/** The languages of author code. One suite holds the hosts of all of them to the same guarantees. */

const require = createRequire(import.meta.url);
const fixtures = fileURLToPath(new URL('../fixtures/sdk_lab/', import.meta.url));
const sdk = fileURLToPath(new URL('../src/index.ts', import.meta.url));

export interface Module {
  hash: string;
  package: string;
  source: string;
}

export interface Language {
  name: 'TypeScript' | 'Python';
  /** The program of a host and its arguments. @throws Error that says what this computer lacks */
  start(
    host: 'device-host' | 'task-host',
    nodeOptions: string[],
  ): Promise<[program: string, ...args: string[]]>;
  /** Bundles a file of the fixture package as the service bundles packages. @param source without its ending */
  bundle(source: string, folder: string): Promise<{ module: Module; path: string }>;
  /** A frame of a stack, as a pattern. @param file in the fixture package, without its ending */
  frame(file: string): string;
  /** What the language calls things in messages. */
  words: Words;
}

interface Words {
  /** An error whose values are out of range. */
  rangeError: string;
  /** Nothing. */
  nothing: string;
  /** A list with one element. */
  listOfOne: string;
  listOfTwo: string;
  error: string;
  number: string;
  /** A class of the standard library whose objects are no JSON. */
  date: string;
  resource: string;
}

const typescript: Language = {
  name: 'TypeScript',
  start: (host, nodeOptions) =>
    Promise.resolve([process.execPath, ...nodeOptions, require.resolve(`@lab/sdk/${host}`)]),
  async bundle(file, folder) {
    const source = `${file}.ts`;
    const result = await build({
      entryPoints: [join(fixtures, source)],
      absWorkingDir: fixtures,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      sourceRoot: 'package:///sdk_lab/',
      outdir: fixtures,
      alias: { '@lab/sdk': sdk },
    });
    return written(folder, source, result.outputFiles[0]?.text ?? '', 'mjs');
  },
  frame: (file) => `sdk_lab/${file}\\.ts:\\d+:\\d+`,
  words: {
    rangeError: 'RangeError',
    nothing: 'undefined',
    listOfOne: 'a list of 1',
    listOfTwo: 'a list of 2',
    error: 'Error',
    number: 'a number',
    date: 'Date',
    resource: 'resource',
  },
};

const interpreter = new Python();

const python: Language = {
  name: 'Python',
  async start(host) {
    await interpreter.demand({ package: 'the test', source: 'of its hosts' });
    const folder = dirname(require.resolve('@lab/python-host/src/device-host.py'));
    return [interpreter.program, '-I', '-X', 'utf8', join(folder, `${host}.py`)];
  },
  async bundle(file, folder) {
    const source = `${file}.py`;
    const bundled = (await bundlePython(fixtures, 'sdk_lab', [source])).get(source);
    if (bundled?.ok !== true) throw new Error(JSON.stringify(bundled));
    return written(folder, source, bundled.text, 'json');
  },
  frame: (file) => `sdk_lab/${file}\\.py:\\d+`,
  words: {
    rangeError: 'ValueError',
    nothing: 'None',
    listOfOne: 'a tuple of 1',
    listOfTwo: 'a tuple of 2',
    error: 'Exception',
    number: 'an int',
    date: 'datetime',
    resource: 'Resource',
  },
};

/** The languages that this computer can run. */
export const languages: Language[] = withoutPython() ? [typescript] : [typescript, python];

function written(
  folder: string,
  source: string,
  text: string,
  ending: string,
): { module: Module; path: string } {
  const hash = createHash('sha256').update(text).digest('hex');
  const path = join(folder, `${hash}.${ending}`);
  writeFileSync(path, text);
  return { module: { hash, package: 'sdk_lab', source }, path };
}
