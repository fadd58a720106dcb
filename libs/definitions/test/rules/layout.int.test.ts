import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPackages } from '../../src/index.js';
import { createUserDir, edited, soundPackage, writeFiles, type Files } from '../package-fixture.js';

/** Rules about packages, folders and files, and about names that are used twice. */

const lab = 'demo/laboratories/lab/lab.yml';
const protocol = 'demo/experiments/run/experiment.yml';

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeEach(async () => {
  place = await createUserDir();
});
afterEach(() => place.dispose());

/** The faults, without their consequences in other files. */
async function found(files: Files): Promise<string[]> {
  await writeFiles(place.userDir, files);
  const { diagnostics } = await loadPackages(place);
  return diagnostics
    .filter(({ code }) => code !== 'depends_on_broken')
    .map(({ file, line, path, code }) => `${file}:${line ?? '-'}:${path} ${code}`);
}

const labOf = (name: string, rest: string): Files => ({
  [`other/laboratories/${name}/lab.yml`]: `name: ${name}\ndesc: x\n${rest}devices: {}\n`,
});
const resources = (name: string): string => `resource_types: {b: {}}\nresources: {${name}: {type: b}}\n`;
const taskOf = (type: string): Files => ({
  'other/tasks/it/task.yml': `type: ${type}\ndesc: x\n`,
  'other/tasks/it/task.ts': '',
});
const deviceOf = (type: string): Files => ({
  'other/devices/it/device.yml': `type: ${type}\ndesc: x\n`,
  'other/devices/it/device.ts': '',
});
const protocolOf = (type: string): Files => ({
  'other/experiments/it/experiment.yml': soundPackage[protocol].replace('type: run', `type: ${type}`),
});

/** Edits that keep a rule, edits that break it, and the resulting diagnostics. */
type LayoutRule = readonly [rule: string, keeps: Files, breaks: Files, expected: readonly string[]];

function testLayout(rules: readonly LayoutRule[]): void {
  it.each(rules)('%s', async (_rule, keeps, breaks, expected) => {
    expect(await found(keeps)).toEqual([]);
    expect(await found(breaks)).toEqual(expected);
  });
}

describe('a name', () => {
  testLayout([
    [
      'of a package is its own',
      labOf('two', ''),
      { 'group/demo/laboratories/x/lab.yml': 'name: x\ndesc: x\ndevices: {}\n' },
      ['demo:-: duplicate_package', 'group/demo:-: duplicate_package'],
    ],
    [
      'of a lab is its own among all packages',
      labOf('two', ''),
      labOf('lab', ''),
      [`${lab}:1:name duplicate_definition`, 'other/laboratories/lab/lab.yml:1:name duplicate_definition'],
    ],
    [
      'of a device type is its own among all packages',
      deviceOf('pump'),
      deviceOf('scale'),
      [
        'demo/devices/scale/device.yml:1:type duplicate_definition',
        'other/devices/it/device.yml:1:type duplicate_definition',
      ],
    ],
    [
      'of a task type is its own among all packages',
      taskOf('stir'),
      taskOf('mix'),
      [
        'demo/tasks/mix/task.yml:1:type duplicate_definition',
        'other/tasks/it/task.yml:1:type duplicate_definition',
      ],
    ],
    [
      'of a protocol is its own among all packages',
      protocolOf('walk'),
      protocolOf('run'),
      [
        `${protocol}:1:type duplicate_definition`,
        'other/experiments/it/experiment.yml:1:type duplicate_definition',
      ],
    ],
    [
      'of a computer stands for one address in all labs',
      labOf('two', 'computers: {pc1: {ip: 10.0.0.2}}\n'),
      labOf('two', 'computers: {pc1: {ip: 10.0.0.9}}\n'),
      [
        `${lab}:4:computers.pc1.ip computer_conflict`,
        'other/laboratories/two/lab.yml:3:computers.pc1.ip computer_conflict',
      ],
    ],
    [
      'of a computer is the only one of its address in all labs',
      labOf('two', 'computers: {pc2: {ip: 10.0.0.3}}\n'),
      labOf('two', 'computers: {pc2: {ip: 10.0.0.2}}\n'),
      [
        `${lab}:4:computers.pc1.ip computer_conflict`,
        'other/laboratories/two/lab.yml:3:computers.pc2.ip computer_conflict',
      ],
    ],
    [
      'of a resource is its own among all labs',
      labOf('two', resources('vial9')),
      labOf('two', resources('vial1')),
      [
        `${lab}:18:resources.vial1 duplicate_resource`,
        'other/laboratories/two/lab.yml:4:resources.vial1 duplicate_resource',
      ],
    ],
  ]);

  it('that is used twice makes both of its definitions unusable, and no others', async () => {
    await writeFiles(place.userDir, { ...taskOf('mix'), ...labOf('two', resources('vial1')) });
    const catalog = await loadPackages(place);
    expect(catalog.taskTypes()).toEqual(['weigh']);
    expect(catalog.labNames()).toEqual([]);
    expect(catalog.deviceTypes()).toEqual(['mixer', 'scale']);
    expect(catalog.protocolTypes()).toEqual([]);
  });

  it('of a package that is used twice makes both packages unusable, and each error names the other', async () => {
    await writeFiles(place.userDir, {
      ...labOf('two', ''),
      'group/demo/laboratories/x/lab.yml': 'name: x\ndesc: x\ndevices: {}\n',
    });
    const catalog = await loadPackages(place);
    expect(catalog.packages).toEqual(['other']);
    expect(catalog.diagnostics.find(({ file }) => file === 'demo')?.message).toContain('group/demo');
    expect(catalog.diagnostics.find(({ file }) => file === 'group/demo')?.message).toContain(': demo');
  });
});

describe('a file', () => {
  const device = 'demo/devices/scale/device.yml';
  const sized = (characters: number): Files => ({
    [device]: `${soundPackage[device]}#${' '.repeat(characters - soundPackage[device].length - 1)}`,
  });
  testLayout([
    [
      'of a device type has code beside it',
      {},
      { 'demo/devices/scale/device.ts': null },
      [`${device}:1: missing_code`],
    ],
    [
      'of a task type has code beside it',
      {},
      { 'demo/tasks/mix/task.ts': null },
      ['demo/tasks/mix/task.yml:1: missing_code'],
    ],
    [
      'with code has a definition beside it',
      {},
      { 'demo/tasks/weigh/task.yml': null },
      [`${protocol}:25:tasks[2].type unknown_task_type`, 'demo/tasks/weigh/task.ts:-: missing_definition'],
    ],
    [
      'of a definition ends in .yml',
      { 'demo/labs/two/lab.yml': 'name: two\ndesc: x\ndevices: {}\n' },
      { 'demo/labs/two/lab.yaml': 'name: two\ndesc: x\ndevices: {}\n' },
      ['demo/labs/two/lab.yaml:-: missing_definition'],
    ],
    [
      'of a protocol is the only one in its folder',
      { 'demo/experiments/walk/protocol.yml': soundPackage[protocol].replace('type: run', 'type: walk') },
      { 'demo/experiments/run/protocol.yml': soundPackage[protocol].replace('type: run', 'type: walk') },
      ['demo/experiments/run:-: two_definitions'],
    ],
    ['has 256 KB at most', sized(256 * 1024), sized(256 * 1024 + 1), [`${device}:-: file_too_large`]],
    ['holds something', {}, { [device]: '' }, [`${device}:-: empty_file`]],
    ['is a template', {}, { [device]: 'type: scale\n{{#if}}\n' }, [`${device}:3: template`]],
    ['is YAML', {}, { [device]: 'type: scale\ndesc: [\n' }, [`${device}:2: yaml_syntax`]],
    [
      'called package.json can be read',
      {},
      { 'demo/package.json': null, 'demo/package.json/inside': '' },
      ['demo/package.json:-: unreadable'],
    ],
  ]);

  it('is read as UTF-8', async () => {
    expect(await found(edited(device, 'desc: Weighs', 'desc: Wägt'))).toEqual([]);
    await writeFile(join(place.userDir, device), Buffer.from('type: scale\ndesc: W\u00e4gt\n', 'latin1'));
    const { diagnostics } = await loadPackages(place);
    expect(diagnostics.map(({ file, code }) => `${file} ${code}`)).toContain(`${device} not_utf8`);
  });
});
