import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoader, loadPackages, type Catalog } from '../src/index.js';
import { dependenciesOf } from '../src/model/index.js';
import { createUserDir, writeFiles } from './package-fixture.js';

const run = promisify(execFile);
const task = 'demo/tasks/mix/task.ts';
const manifest = (versions: Record<string, string>): string =>
  JSON.stringify({ name: 'demo', svc: { external: Object.keys(versions) }, dependencies: versions });

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
});
afterEach(() => place.dispose());

const codeOf = (catalog: Catalog) => {
  const module = catalog.task('mix')?.task.module;
  if (module === undefined) throw new Error('the task is not sound');
  return module;
};

/** Puts the module of the task next to the packages, as an agent does, and runs it. */
async function outputBeside(catalog: Catalog, installed: Record<string, string>): Promise<string> {
  const folder = join(dirname(place.userDir), 'agent');
  for (const [path, text] of Object.entries(installed)) {
    await mkdir(dirname(join(folder, 'node_modules', path)), { recursive: true });
    await writeFile(join(folder, 'node_modules', path), text);
  }
  const path = join(folder, 'modules', 'task.mjs');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await catalog.module(codeOf(catalog).hash));
  const { stdout } = await run(process.execPath, ['--enable-source-maps', path]);
  return stdout;
}

describe('npm packages that are listed as external', () => {
  it('stay outside the bundle, are named with their versions, and may be absent during bundling', async () => {
    await writeFiles(place.userDir, {
      'demo/package.json': manifest({ usb: '2.0.0', '@port/wire': '1.1.0', unused: '1.0.0' }),
      [task]: [
        "import { readFileSync } from 'fs';",
        "import { wire } from '@port/wire/lib';",
        'interface Odd { a: string }',
        '',
        'const odd: Odd = { a: wire };',
        "const usb = await import('usb');",
        'console.log(typeof readFileSync, odd.a, usb.default);',
        "try { throw new Error('here'); } catch (error) { console.log((error as Error).stack); }",
      ].join('\n'),
    });
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    const { hash, dependencies } = codeOf(catalog);
    expect(dependencies).toEqual(['@port/wire@1.1.0', 'usb@2.0.0']);
    expect(dependenciesOf(await catalog.module(hash))).toEqual(dependencies);
    const printed = await outputBeside(catalog, {
      '@port/wire/package.json': '{"name": "@port/wire", "type": "module", "exports": {"./lib": "./lib.js"}}',
      '@port/wire/lib.js': "export const wire = 'wired';",
      'usb/package.json': '{"name": "usb", "main": "index.js"}',
      'usb/index.js': "module.exports = 'plugged';",
    });
    expect(printed).toContain('function wired plugged');
    expect(printed).toContain('package:///demo/tasks/mix/task.ts:8:13');
  });

  it('are found from CommonJS inside a bundle as well, with correct places in stacks', async () => {
    await writeFiles(place.userDir, {
      'demo/package.json': manifest({ usb: '2.0.0' }),
      'demo/node_modules/old/index.js': "module.exports = require('usb');\n",
      'demo/node_modules/old/package.json': '{"name": "old"}',
      [task]: "import old from 'old';\nconsole.log(old, new Error('here').stack);\n",
    });
    const catalog = await loadPackages(place);
    expect(codeOf(catalog).dependencies).toEqual(['usb@2.0.0']);
    const printed = await outputBeside(catalog, {
      'usb/package.json': '{"name": "usb"}',
      'usb/index.js': "module.exports = 'plugged';",
    });
    expect(printed).toContain('plugged');
    expect(printed).toContain('package:///demo/tasks/mix/task.ts:2:18');
  });

  it('change the hash of their users by their version, and no other hash', async () => {
    const loader = createLoader(place);
    const files = { [task]: "import usb from 'usb';\nexport default class Mix { usb = usb; }\n" };
    const hashes = new Set<string>();
    const snapshots = new Set<string | undefined>();
    for (const version of ['2.0.0', '2.0.1', '2.0.0']) {
      await writeFiles(place.userDir, { ...files, 'demo/package.json': manifest({ usb: version }) });
      const catalog = await loader.load();
      expect(codeOf(catalog).dependencies).toEqual([`usb@${version}`]);
      expect(catalog.task('weigh')?.task.module).not.toHaveProperty('dependencies');
      expect(await loadPackages(place).then(codeOf)).toEqual(codeOf(catalog));
      hashes.add(codeOf(catalog).hash);
      snapshots.add(catalog.task('weigh')?.hash);
    }
    expect(hashes.size).toBe(2);
    expect(snapshots.size).toBe(1);
  });

  it('are bundled when they are no longer listed', async () => {
    const files = {
      'demo/node_modules/usb/package.json': '{"name": "usb", "version": "2.0.0"}',
      'demo/node_modules/usb/index.js': "module.exports = 'inside';\n",
      [task]: "import usb from 'usb';\nconsole.log(usb);\n",
    };
    const loader = createLoader(place);
    await writeFiles(place.userDir, { ...files, 'demo/package.json': manifest({ usb: '2.0.0' }) });
    expect(codeOf(await loader.load()).dependencies).toEqual(['usb@2.0.0']);
    await writeFiles(place.userDir, { ...files, 'demo/package.json': '{"dependencies": {"usb": "2.0.0"}}' });
    const catalog = await loader.load();
    expect(codeOf(catalog)).not.toHaveProperty('dependencies');
    expect(await outputBeside(catalog, {})).toBe('inside\n');
  });
});
