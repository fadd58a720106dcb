import { execFile } from 'node:child_process';
import { cp, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isServiceError } from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDiagnostics, loadPackages, ModuleStore } from '../src/index.js';
import { checkRunParameters } from '../src/model/index.js';
import { createUserDir, edited, soundPackage, writeFiles } from './package-fixture.js';

const run = promisify(execFile);
const lab = 'demo/laboratories/lab/lab.yml';
const protocol = 'demo/experiments/run/experiment.yml';

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
});
afterEach(() => place.dispose());

describe('a sound package', () => {
  it('is normalised, with defaults and merged overrides', async () => {
    await writeFiles(place.userDir, {});
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    const found = catalog.lab('lab');
    expect(found?.devices['mixer1']?.init_parameters).toEqual({ speed: 5, port: 'COM1' });
    expect(found?.computers['svc_computer']?.ip).toBe('127.0.0.1');
    expect(found?.resources['beaker1']?.meta).toEqual({ capacity: 100, colour: 'red', id: 7 });
    expect(found?.resources['vial1']?.meta).toEqual({});
    const mix = catalog.task('mix')?.task;
    expect(mix?.output_resources).toEqual({ cup: { type: 'beaker' } });
    expect(mix?.isolation).toBe('single_use');
    expect(catalog.task('weigh')?.task.isolation).toBe('reusable');
    const [a, b, c] = catalog.protocol('run')?.protocol.tasks ?? [];
    expect(a?.duration).toBe(1);
    expect(a?.devices['mixer']).toEqual({ kind: 'specific', lab_name: 'lab', name: 'mixer1', hold: true });
    expect(b?.devices['mixer']).toEqual({ kind: 'reference', task: 'a', slot: 'mixer', hold: false });
    expect(c?.resources['cup']).toEqual({ kind: 'reference', task: 'b', slot: 'cup', hold: true });
    expect(c?.devices['scale']).toEqual({
      kind: 'dynamic',
      device_type: 'scale',
      allowed_labs: ['lab'],
      allowed_devices: null,
      hold: false,
    });
    expect(Object.keys(catalog.protocol('run')?.tasks ?? {}).sort()).toEqual(['mix', 'weigh']);
    const snapshot = catalog.protocol('run');
    expect(snapshot && checkRunParameters(snapshot, { a: { volume: 3 } })).toEqual([]);
  });

  it('may use the newer names of folders and files and nest them', async () => {
    const files = Object.fromEntries(
      Object.entries(soundPackage).map(([path, text]) => [
        `sites/north/${path
          .replace('laboratories', 'labs')
          .replace('experiments/run/experiment.yml', 'protocols/deep/run/protocol.yml')
          .replace('tasks/mix', 'tasks/wet/mix')}`,
        text,
      ]),
    );
    await writeFiles(place.userDir, files, {});
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    expect(catalog.packages).toEqual(['demo']);
    expect(catalog.protocolTypes()).toEqual(['run']);
    expect(catalog.task('mix')?.task.module.source).toBe('tasks/wet/mix/task.ts');
  });

  it('has hashes that depend only on its content, not on the order of keys or its place', async () => {
    await writeFiles(place.userDir, {});
    const before = (await loadPackages(place)).protocol('run')?.hash;
    const elsewhere = join(dirname(place.userDir), 'else', 'where');
    await cp(place.userDir, elsewhere, { recursive: true });
    const text = soundPackage['demo/tasks/mix/task.yml'];
    const reordered = `input_resources:\n  cup: {type: beaker}\n${text.replace(/input_resources:[\s\S]*/, '')}`;
    await writeFile(join(elsewhere, 'demo/tasks/mix/task.yml'), reordered);
    const moved = await loadPackages({ userDir: elsewhere, cacheDir: `${place.cacheDir}2` });
    expect(moved.protocol('run')?.hash).toBe(before);
    await writeFile(join(elsewhere, 'demo/tasks/mix/task.ts'), 'export default class Mix { more = 1; }\n');
    const changed = await loadPackages({ userDir: elsewhere, cacheDir: `${place.cacheDir}2` });
    expect(changed.protocol('run')?.hash).not.toBe(before);
    expect(changed.task('weigh')?.hash).toBe(moved.task('weigh')?.hash);
  });
});

describe('a faulty package', () => {
  it('makes only its own definitions and their users unusable, and is listed before them', async () => {
    await writeFiles(place.userDir, {
      ...edited(lab, 'type: mixer, computer', 'type: mixxer, computer'),
      'other/laboratories/two/lab.yml': 'name: two\ndesc: x\ndevices: {}\n',
    });
    const catalog = await loadPackages(place);
    expect(catalog.labNames()).toEqual(['two']);
    expect(catalog.protocolTypes()).toEqual([]);
    expect(catalog.taskTypes()).toEqual(['mix', 'weigh']);
    expect(catalog.diagnostics.map(({ file, code, hint }) => [file, code, hint])).toEqual([
      [lab, 'unknown_device_type', 'did you mean "mixer"?'],
      [protocol, 'depends_on_broken', `see ${lab}`],
    ]);
  });

  it('leads to a diagnostic when its user directory or itself is missing', async () => {
    const absent = await loadPackages({ ...place, userDir: join(place.userDir, 'none') });
    expect(absent.diagnostics.map(({ code }) => code)).toEqual(['missing_folder']);
    await writeFiles(place.userDir, {});
    const unknown = await loadPackages({ ...place, packages: ['dmo'] });
    expect(unknown.diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      ['unknown_package', 'did you mean "demo"?'],
    ]);
  });

  it('is shown with the source line and a caret, in the template as the author wrote it', async () => {
    await writeFiles(place.userDir, {
      [protocol]: soundPackage[protocol].replace(
        '      target: 2',
        '{{#if true}}\n      target: {{concat "t" "wo"}}\n{{/if}}',
      ),
    });
    const catalog = await loadPackages(place);
    expect(formatDiagnostics(catalog.diagnostics, { userDir: place.userDir })).toBe(
      [
        `${protocol}:32:15 value_type`,
        '  tasks[2].parameters.target: must be a finite number, not the string "two"',
        '    32 |       target: {{concat "t" "wo"}}',
        '       |               ^',
        '',
        '1 error in 1 file',
      ].join('\n'),
    );
  });
});

describe('select', () => {
  it('gives the chosen labs and the protocols that can run on them', async () => {
    await writeFiles(place.userDir, {
      'other/laboratories/two/lab.yml': 'name: two\ndesc: x\ndevices: {}\n',
    });
    const catalog = await loadPackages(place);
    expect(catalog.select({ labs: ['two'] }).protocolTypes()).toEqual([]);
    expect(catalog.select({ labs: ['lab'] }).protocolTypes()).toEqual(['run']);
    expect(catalog.select({}).labNames()).toEqual(['lab', 'two']);
    expect(catalog.select({ labs: [], protocols: [] }).taskTypes()).toEqual(['mix', 'weigh']);
  });

  it('refuses unknown and broken choices and a missing lab, with the reason for each', async () => {
    await writeFiles(place.userDir, { 'other/laboratories/two/lab.yml': 'name: two\ndesc: x\n' });
    const catalog = await loadPackages(place);
    try {
      catalog.select({ labs: ['two', 'lob'], protocols: ['run', 'walk'] });
      expect.unreachable();
    } catch (error) {
      if (!isServiceError(error)) throw error;
      expect(error.code).toBe('invalid');
      expect(error.faults.map(({ path, code }) => `${path} ${code}`)).toEqual([
        'labs[0] broken_lab',
        'labs[1] unknown_lab',
        'protocols[0] lab_not_loaded',
        'protocols[1] unknown_protocol',
      ]);
      expect(error.faults[0]?.hint).toBe('other/laboratories/two/lab.yml:1: the key "devices" is required');
    }
  });
});

describe('bundled code', () => {
  const task = [
    "import { BaseTask } from '@lab/sdk';",
    "import { setTimeout as delay } from 'node:timers/promises';",
    "import { fail, Kind } from '../../shared/fail.js';",
    '',
    'function traced<T>(value: T, _context: ClassMethodDecoratorContext): T {',
    '  return value;',
    '}',
    '',
    'export default class Mix extends (BaseTask as unknown as new () => object) {',
    '  @traced',
    '  async run(): Promise<void> {',
    '    await delay(1);',
    '    fail(Kind.Wet);',
    '  }',
    '}',
    '',
  ].join('\n');
  const helper = [
    'export enum Kind { Dry, Wet }',
    '',
    'export function fail(kind: Kind): never {',
    '  throw new Error(`kind ${kind}`);',
    '}',
    '',
  ].join('\n');

  it('runs outside its package with its helpers and the library, and its stacks name the source', async () => {
    await writeFiles(place.userDir, { 'demo/tasks/mix/task.ts': task, 'demo/shared/fail.ts': helper });
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    const { hash } = catalog.task('mix')!.task.module;
    const text = await catalog.module(hash);
    expect(text).not.toContain(place.userDir);
    expect(text).not.toMatch(/from ["'](?!node:)/);
    const module = join(dirname(place.userDir), 'alone.mjs');
    await writeFile(module, text);
    const script = `const { default: Mix } = await import(${JSON.stringify(module)});
      await new Mix().run().catch((error) => console.log(error.stack));`;
    const { stdout } = await run(process.execPath, [
      '--enable-source-maps',
      '--input-type=module',
      '-e',
      script,
    ]);
    expect(stdout).toContain('kind 1');
    expect(stdout).toContain('package:///demo/shared/fail.ts:4:9');
    expect(stdout).toContain('package:///demo/tasks/mix/task.ts:13:5');
  });

  it('with CommonJS inside can still require the modules of Node', async () => {
    await writeFiles(place.userDir, {
      'demo/node_modules/old/index.js': "module.exports = require('os').EOL;\n",
      'demo/node_modules/old/package.json': '{"name": "old", "main": "index.js"}',
      'demo/tasks/mix/task.ts':
        "import eol from 'old';\nconsole.log(JSON.stringify(eol));\nconst boom = (): never => { throw new Error('boom'); };\nboom();\n",
    });
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics).toEqual([]);
    const module = join(dirname(place.userDir), 'alone.mjs');
    await writeFile(module, await catalog.module(catalog.task('mix')!.task.module.hash));
    await expect(run(process.execPath, ['--enable-source-maps', module])).rejects.toMatchObject({
      stdout: '"\\n"\n',
      stderr: expect.stringContaining('package:///demo/tasks/mix/task.ts:3:35') as unknown,
    });
  });

  it.each(['../../../../secret.json', '../../../secret.json', '/etc/hostname'])(
    'may not read %s, which is no file of the package',
    async (path) => {
      await writeFiles(place.userDir, {
        'secret.json': '{ "password": "hunter2" }',
        '../secret.json': '{ "password": "hunter2" }',
        'demo/tasks/mix/task.ts': `import { password } from '${path}';\nconsole.log(password);\n`,
      });
      const { diagnostics } = await loadPackages(place);
      expect(diagnostics.filter(({ code }) => code === 'code')).toMatchObject([
        { file: 'demo/tasks/mix/task.ts', message: `the import "${path}" leads out of the package` },
      ]);
    },
  );

  it('with an error leads to a diagnostic at its place and spoils no other code', async () => {
    await writeFiles(place.userDir, {
      'demo/tasks/mix/task.ts': 'export default class Mix {\n  run( {}\n}\n',
      'demo/devices/scale/device.ts':
        "import { x } from './gone.js';\nimport y from 'not-installed';\nconsole.log(x, y);\n",
    });
    const catalog = await loadPackages(place);
    expect(
      catalog.diagnostics
        .filter(({ code }) => code === 'code')
        .map(({ file, line, column, message }) => [file, line, column, message]),
    ).toEqual([
      ['demo/devices/scale/device.ts', 1, 19, 'cannot find the import "./gone.js"'],
      ['demo/devices/scale/device.ts', 2, 15, 'cannot find the import "not-installed"'],
      ['demo/tasks/mix/task.ts', 3, 1, expect.any(String)],
    ]);
    expect(catalog.deviceTypes()).toEqual(['mixer']);
    expect(catalog.taskTypes()).toEqual([]);
  });

  it('is bundled again only after an input such as a helper changed', async () => {
    const old = new Date(Date.now() - 60_000);
    await writeFiles(place.userDir, { 'demo/tasks/mix/task.ts': task, 'demo/shared/fail.ts': helper });
    for (const path of Object.keys(soundPackage)) {
      if (path.endsWith('.ts') || path.endsWith('.json')) await utimes(join(place.userDir, path), old, old);
    }
    await utimes(join(place.userDir, 'demo/shared/fail.ts'), old, old);
    const modules = join(place.cacheDir, 'modules');
    const first = await loadPackages(place);
    const written = await stat(
      join(place.cacheDir, 'bundles', (await readdir(join(place.cacheDir, 'bundles')))[0]!),
    );
    const second = await loadPackages(place);
    const again = await stat(
      join(place.cacheDir, 'bundles', (await readdir(join(place.cacheDir, 'bundles')))[0]!),
    );
    expect(again.mtimeMs).toBe(written.mtimeMs);
    expect(second.task('mix')).toEqual(first.task('mix'));
    const count = (await readdir(modules)).length;
    await writeFile(join(place.userDir, 'demo/shared/fail.ts'), helper.replace('kind $', 'sort $'));
    const third = await loadPackages(place);
    expect(third.task('mix')?.hash).not.toBe(first.task('mix')?.hash);
    expect(third.task('weigh')?.hash).toBe(first.task('weigh')?.hash);
    expect(await readdir(modules)).toHaveLength(count + 1);
  });
});

describe('ModuleStore', () => {
  it('stores a text under its hash and refuses unknown hashes and changed files', async () => {
    const store = new ModuleStore(join(place.cacheDir, 'm'));
    const hash = await store.write('export {};\n');
    expect(await store.read(hash)).toBe('export {};\n');
    expect(await store.write('export {};\n')).toBe(hash);
    await expect(store.read('0'.repeat(64))).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.read('../../etc/passwd')).rejects.toMatchObject({ code: 'not_found' });
    await writeFile(store.path(hash), 'changed');
    await expect(store.read(hash)).rejects.toMatchObject({ code: 'internal' });
    await store.write('export {};\n');
    expect(await store.read(hash)).toBe('export {};\n');
  });
});

const product = fileURLToPath(new URL('../../../lab-packages', import.meta.url));
describe('the packages of the product', () => {
  it('load without a diagnostic', async () => {
    const catalog = await loadPackages({ userDir: product, cacheDir: place.cacheDir });
    expect(formatDiagnostics(catalog.diagnostics, { userDir: product })).toBe('');
    expect(catalog.packages).toEqual(expect.arrayContaining(['color_lab', 'multiplication_lab']));
    expect(catalog.labNames()).toEqual(expect.arrayContaining(['color_lab', 'multiplication_lab']));
    expect(catalog.protocolTypes()).toContain('color_mixing');
  });
});
