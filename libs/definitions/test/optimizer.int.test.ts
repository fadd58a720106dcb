import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoader, loadPackages } from '../src/index.js';
import { createUserDir, writeFiles } from './package-fixture.js';

const run = promisify(execFile);
const file = 'demo/experiments/run/optimizer.ts';
const builtIn = (initial: number): string => `import {
  BayesianSequentialOptimizer, continuousInput, continuousOutput, linearEquality, minimize, type BayesianArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';

const args: BayesianArguments = {
  inputs: [continuousInput('a.volume', [0, 1]), continuousInput('b.volume', [0, 1])],
  outputs: [continuousOutput('c.mass', minimize())],
  constraints: [linearEquality(['a.volume', 'b.volume'], [1, 1], 1)],
  num_initial_samples: ${initial},
};
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<BayesianArguments> = () => [
  args,
  BayesianSequentialOptimizer,
];
`;

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
});
afterEach(() => place.dispose());

describe('an optimizer beside a protocol', () => {
  it('is one module that works outside the repository', async () => {
    await writeFiles(place.userDir, { [file]: builtIn(2) });
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    const optimizer = catalog.protocol('run')?.protocol.optimizer;
    expect(optimizer).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      package: 'demo',
      source: 'experiments/run/optimizer.ts',
    });
    const text = await catalog.module(optimizer?.hash ?? '');
    // The bundle omits unused parts of the product, which would add two million characters.
    expect(text.length).toBeLessThan(1_500_000);
    const folder = join(dirname(place.userDir), 'worker');
    await mkdir(folder);
    await writeFile(join(folder, 'optimizer.mjs'), text);
    await writeFile(
      join(folder, 'main.mjs'),
      `import { svc_create_campaign_optimizer } from './optimizer.mjs';
const [args, Optimizer] = svc_create_campaign_optimizer();
const optimizer = new Optimizer(args);
const rows = optimizer.sample(2);
optimizer.report(rows, rows.map((row) => ({ 'c.mass': row['a.volume'] })));
console.log(JSON.stringify([...rows, ...optimizer.sample(1)]));
`,
    );
    const { stdout } = await run(process.execPath, [join(folder, 'main.mjs')]);
    const rows = JSON.parse(stdout) as Record<string, number>[];
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row['a.volume']! + row['b.volume']!).toBeCloseTo(1, 9);
  });

  it('is part of the definitions that a run keeps', async () => {
    const loader = createLoader(place);
    const found = [];
    for (const initial of [2, 3, 2]) {
      await writeFiles(place.userDir, { [file]: builtIn(initial) });
      const snapshot = (await loader.load()).protocol('run');
      found.push([snapshot?.hash, snapshot?.protocol.optimizer?.hash]);
    }
    expect(found[0]).toEqual(found[2]);
    expect(found[0]?.[0]).not.toBe(found[1]?.[0]);
    expect(found[0]?.[1]).not.toBe(found[1]?.[1]);
  });

  it.each([
    ['nothing', 'const a = 1;\n'],
    ['another name', 'export const create_campaign_optimizer = () => [{}, Object];\n'],
    ['it as the default', 'export default function svc_create_campaign_optimizer() {}\n'],
    ['it as a type only', 'export type svc_create_campaign_optimizer = () => void;\n'],
  ])('with the export %s is refused at its file, also when it is read again', async (_, text) => {
    await writeFiles(place.userDir, { [file]: text });
    for (const loader of [createLoader(place), createLoader(place)]) {
      const catalog = await loader.load();
      expect(catalog.diagnostics.map((each) => [each.file, each.code, each.message])).toEqual([
        [file, 'missing_export', 'it does not export a function "svc_create_campaign_optimizer"'],
      ]);
      expect(catalog.diagnostics[0]?.hint).toContain('export const svc_create_campaign_optimizer');
      expect(catalog.protocolTypes()).toEqual([]);
      expect(catalog.taskTypes()).toEqual(['mix', 'weigh']);
    }
  });

  it('may import its factory from another file', async () => {
    await writeFiles(place.userDir, {
      [file]:
        "export { create as svc_create_campaign_optimizer } from './parts.js';\nexport * from './parts.js';\n",
      'demo/experiments/run/parts.ts': 'export const create = () => [{}, Object];\n',
    });
    for (const catalog of [await loadPackages(place), await loadPackages(place)]) {
      expect(catalog.diagnostics).toEqual([]);
      expect(catalog.protocol('run')?.protocol.optimizer?.source).toBe('experiments/run/optimizer.ts');
    }
  });

  it('in Python is the factory with the files that it imports', async () => {
    await writeFiles(place.userDir, {
      'demo/experiments/run/optimizer.py':
        'from .parts import (\n    Search,\n    create as svc_create_campaign_optimizer,\n)\n',
      'demo/experiments/run/parts.py': 'class Search: ...\ndef create():\n    return {}, Search\n',
    });
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    const optimizer = catalog.protocol('run')?.protocol.optimizer;
    expect(optimizer).toMatchObject({ runtime: 'python', source: 'experiments/run/optimizer.py' });
    const { files } = JSON.parse(await catalog.module(optimizer?.hash ?? '')) as { files: object };
    expect(Object.keys(files)).toEqual(['experiments/run/optimizer.py', 'experiments/run/parts.py']);
  });

  it.each([
    ['without the factory', '# def svc_create_campaign_optimizer(): ...\ncreate = 1\n', 'missing_export'],
    ['inside of a class', 'class A:\n    def svc_create_campaign_optimizer(): ...\n', 'missing_export'],
    ['as a variable', 'svc_create_campaign_optimizer = lambda: ({}, object)\n', undefined],
    ['from a star', 'from lib import *\n', undefined],
  ])('in Python with the factory %s', async (_, text, code) => {
    await writeFiles(place.userDir, { 'demo/experiments/run/optimizer.py': text });
    const [found] = (await loadPackages(place)).diagnostics;
    expect(found?.code).toBe(code);
    if (code !== undefined) expect(found?.hint).toContain('def svc_create_campaign_optimizer');
  });

  it('in two languages is refused', async () => {
    await writeFiles(place.userDir, { [file]: builtIn(2), [file.replace(/ts$/, 'py')]: 'x = 1\n' });
    expect((await loadPackages(place)).diagnostics.map(({ code }) => code)).toContain('two_definitions');
  });
});
