import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPackages } from '../../src/index.js';
import { createUserDir, writeFiles, type Files } from '../package-fixture.js';

/** Rules about `package.json` and about external npm packages. */

const file = 'demo/package.json';
const task = 'demo/tasks/mix/task.ts';

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
});
afterEach(() => place.dispose());

const uses = (name: string): string =>
  `import thing from '${name}';\nexport default class Mix {\n  thing = thing;\n}\n`;
const manifest = (external: unknown, dependencies: unknown): string =>
  JSON.stringify({ name: 'demo', svc: { external }, dependencies }, null, 2);
const usb = manifest(['usb'], { usb: '2.0.0' });

async function found(files: Files): Promise<string[]> {
  await writeFiles(place.userDir, files);
  const { diagnostics } = await loadPackages(place);
  return diagnostics
    .filter(({ code }) => code !== 'depends_on_broken')
    .map((each) => `${each.file}:${each.line ?? '-'}:${each.column ?? '-'} ${each.path} ${each.code}`);
}

describe('package.json', () => {
  const rules: [rule: string, keeps: string, breaks: string, expected: string][] = [
    ['is JSON', '{}', '{\n  "name": \n}\n}', `${file}:3:1  json_syntax`],
    ['holds an object', '{}', '[]', `${file}:1:1  value_type`],
    ['svc is an object', usb, '{"svc": []}', `${file}:1:9 svc value_type`],
    ['svc has the key external only', usb, '{"svc": {"extern": []}}', `${file}:1:10 svc.extern unknown_key`],
    ['external is a list', usb, '{"svc": {"external": "usb"}}', `${file}:1:22 svc.external value_type`],
    ['lists names', usb, manifest([7], {}), `${file}:5:7 svc.external[0] package_name`],
    ['lists packages', usb, manifest(['../usb'], {}), `${file}:5:7 svc.external[0] package_name`],
    ['not the SDK', usb, manifest(['@lab/sdk'], {}), `${file}:5:7 svc.external[0] package_name`],
    [
      'not the optimizers',
      usb,
      manifest(['@lab/optimization'], {}),
      `${file}:5:7 svc.external[0] package_name`,
    ],
    ['in dependencies', usb, manifest(['usb'], {}), `${file}:5:7 svc.external[0] missing_dependency`],
    [
      'with one version',
      manifest(['usb'], { usb: '2.0.0-rc.1' }),
      manifest(['usb'], { usb: '^2.0.0' }),
      `${file}:9:12 dependencies.usb inexact_version`,
    ],
  ];
  it.each(rules)('%s', async (_rule, keeps, breaks, expected) => {
    expect(await found({ [file]: keeps })).toEqual([]);
    expect(await found({ [file]: breaks })).toEqual([expected]);
  });

  it('may be missing or begin with a byte order mark', async () => {
    expect(await found({})).toEqual([]);
    expect(await found({ [file]: `\uFEFF${usb}` })).toEqual([]);
  });

  it('with a fault is reported once for all code that needs it, and affects no other code', async () => {
    const wrong = manifest(['usb', 'usb'], { usb: 'latest' });
    const device = 'demo/devices/scale/device.ts';
    await writeFiles(place.userDir, { [file]: wrong, [task]: uses('usb'), [device]: uses('usb/sub') });
    const catalog = await loadPackages(place);
    expect(catalog.diagnostics.filter((each) => each.file === file)).toHaveLength(1);
    expect(catalog.deviceTypes()).toEqual(['mixer']);
    expect(catalog.task('mix')).toBeUndefined();
  });

  it('makes all code unusable when it is unreadable', async () => {
    await writeFiles(place.userDir, { [file]: '{' });
    const catalog = await loadPackages(place);
    expect(catalog.deviceTypes()).toEqual([]);
    expect(catalog.taskTypes()).toEqual([]);
  });

  it('leads to a suggestion for a mistyped dependency', async () => {
    await writeFiles(place.userDir, { [file]: manifest(['serialprot'], { serialport: '12.0.0' }) });
    const { diagnostics } = await loadPackages(place);
    expect(diagnostics.map(({ hint }) => hint)).toEqual(['did you mean "serialport"?']);
  });
});

describe('a native part', () => {
  const native: Files = {
    'demo/node_modules/usb/index.js': "module.exports = require('./build/usb.node');\n",
    'demo/node_modules/usb/package.json': '{"name": "usb", "version": "2.0.0"}',
    'demo/node_modules/usb/build/usb.node': 'binary',
  };
  const rules: [rule: string, files: Files, expected: string][] = [
    ['is not bundled', { ...native, [task]: uses('usb') }, `${task}:1:19  code`],
    [
      'is not bundled below another package',
      {
        ...native,
        'demo/node_modules/port/index.js': "export { default } from 'usb';\n",
        'demo/node_modules/port/package.json': '{"name": "port", "type": "module"}',
        [task]: uses('port'),
      },
      `${task}:1:19  code`,
    ],
    [
      'is not bundled when it is looked for at run time',
      {
        ...native,
        'demo/node_modules/node-gyp-build/package.json': '{"name": "node-gyp-build"}',
        'demo/node_modules/node-gyp-build/index.js': 'module.exports = () => 1;\n',
        'demo/node_modules/usb/index.js': "module.exports = require('node-gyp-build')(__dirname);\n",
        [task]: uses('usb'),
      },
      `${task}:1:19  code`,
    ],
    [
      'is not bundled from the package itself, nor by way of another file of it',
      {
        'demo/shared/driver.ts': "\nexport { default } from './driver.node';\n",
        'demo/shared/driver.node': 'binary',
        [task]: uses('../../shared/driver.js'),
      },
      'demo/shared/driver.ts:2:25  code',
    ],
    [
      'that was never built is no missing file',
      { ...native, 'demo/node_modules/usb/build/usb.node': null, [task]: uses('usb') },
      'demo/node_modules/usb/index.js:1:26  code',
    ],
  ];
  it.each(rules)('%s', async (_rule, files, expected) => {
    expect(await found(files)).toEqual([expected]);
    const { diagnostics } = await loadPackages(place);
    expect(diagnostics.map(({ hint }) => hint)).toContainEqual(expect.stringContaining('"svc": {"external"'));
  });

  it('may exist once its package is listed', async () => {
    expect(await found({ ...native, [task]: uses('usb'), [file]: usb })).toEqual([]);
  });
});
