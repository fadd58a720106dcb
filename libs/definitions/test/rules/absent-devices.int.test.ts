import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLoader,
  formatDiagnostics,
  loadPackages,
  validateProtocolText,
  type Catalog,
} from '../../src/index.js';
import { assemble } from '../assemble.js';
import { createUserDir, edited, soundPackage, writeFiles, type Files } from '../package-fixture.js';

/** Task types that need a device type of a package that is not there. */

const mix = 'demo/tasks/mix/task.yml';
const protocol = 'demo/experiments/run/experiment.yml';

/** The task type `look` needs a camera. No protocol uses it. */
const look: Files = {
  'demo/tasks/look/task.yml':
    'type: look\ndesc: Looks\ndevice_types: [lamp, mixer]\ndevices:\n  eye: {type: camera}\n  hand: {type: mixer}\n',
  'demo/tasks/look/task.ts': 'export default class Look {}\n',
};
const camera: Files = {
  'other/devices/camera/device.yml': 'type: camera\ndesc: Looks\n',
  'other/devices/camera/device.ts': 'export default class Camera {}\n',
};
/** The protocol with a task of the type `look`. */
const looking = (devices: string): Files => ({
  [protocol]: `${soundPackage[protocol]}  - name: d\n    type: look\n    devices:\n${devices}`,
});

const places = (list: Catalog['diagnostics']): string[] =>
  list.map(({ line, path, code }) => `${line ?? '-'}:${path} ${code}`);
const soundOf = (catalog: Catalog, kind: string, name: string): boolean | undefined =>
  catalog.origins.find((origin) => origin.kind === kind && origin.name === name)?.sound;

describe('a task type whose device type no package defines', () => {
  it('is sound, with a warning for each place that names the device type', () => {
    const catalog = assemble(look);
    expect(catalog.diagnostics).toEqual([]);
    expect(places(catalog.warnings)).toEqual([
      '3:device_types[0] unknown_device_type',
      '5:devices.eye.type unknown_device_type',
    ]);
    expect(catalog.warnings[1]).toMatchObject({
      file: 'demo/tasks/look/task.yml',
      message: 'there is no device type "camera"; work that needs one is refused',
      hint: 'there are mixer, scale',
    });
    expect(soundOf(catalog, 'task', 'look')).toBe(true);
    expect(catalog.taskTypes()).toEqual(['look', 'mix', 'weigh']);
    expect(catalog.protocolTypes()).toEqual(['run']);
    expect(catalog.select({}).warnings).toEqual(catalog.warnings);
  });

  it('has a hint with the device type that is probably meant', () => {
    const { warnings } = assemble(edited(mix, 'mixer: {type: mixer}', 'mixer: {type: mixr}'));
    expect(warnings.map(({ hint }) => hint)).toEqual(['did you mean "mixer"?']);
  });

  it('has an error instead of the warning when a package defines the device type with errors', () => {
    const catalog = assemble({ ...look, ...camera, 'other/devices/camera/device.yml': 'type: camera\n' });
    expect(places(catalog.diagnostics)).toContain('5:devices.eye.type depends_on_broken');
    expect(places(catalog.warnings)).toEqual(['3:device_types[0] unknown_device_type']);
    expect(soundOf(catalog, 'task', 'look')).toBe(false);
  });
});

describe('a protocol that uses such a task type', () => {
  const hand = '      hand: {lab_name: lab, name: mixer2}\n';

  it.each([
    ['with a named device', `${hand}      eye: {lab_name: lab, name: mixer1}\n`, 37],
    [
      'with any device of that type',
      `${hand}      eye: {allocation_type: dynamic, device_type: camera}\n`,
      37,
    ],
    ['with the device of another task', `${hand}      eye: a.mixer\n    dependencies: [a]\n`, 37],
    ['without the device', hand, 35],
  ])('%s has one error, at the place of the device', (_, devices, line) => {
    const catalog = assemble({ ...look, ...looking(devices) });
    expect(places(catalog.diagnostics)).toEqual([`${line}:tasks[3].devices.eye unknown_device_type`]);
    expect(catalog.diagnostics[0]).toMatchObject({
      file: protocol,
      message:
        'the task type "look" needs a device of type "camera" as "eye", but there is no device type "camera"',
      hint: 'add the package that defines "camera", or change the type in the task.yml of "look"',
    });
    expect([soundOf(catalog, 'protocol', 'run'), soundOf(catalog, 'task', 'look')]).toEqual([false, true]);
  });

  it('is told which device type is probably meant', () => {
    const { diagnostics } = assemble(edited(mix, 'mixer: {type: mixer}', 'mixer: {type: mixr}'));
    expect(diagnostics.map(({ path, hint }) => [path, hint])).toContainEqual([
      'tasks[0].devices.mixer',
      'if "mixer" is meant, write it in the task.yml of "mix"',
    ]);
  });
});

describe('the packages on disk', () => {
  let place: Awaited<ReturnType<typeof createUserDir>>;
  beforeEach(async () => {
    place = await createUserDir();
  });
  afterEach(() => place.dispose());

  it('keep the warning when they are read again, and lose it when the device type appears', async () => {
    const loader = createLoader(place);
    const text = [
      'warning: demo/tasks/look/task.yml:5:15 unknown_device_type',
      '  devices.eye.type: there is no device type "camera"; work that needs one is refused',
      '    5 |   eye: {type: camera}',
      '      |               ^',
      '  hint: there are mixer, scale',
      '',
      '1 warning in 1 file',
    ].join('\n');
    const files = {
      ...look,
      'demo/tasks/look/task.yml': look['demo/tasks/look/task.yml']!.replace('lamp, ', ''),
    };
    await writeFiles(place.userDir, files);
    for (const catalog of [await loader.load(), await loader.load()]) {
      expect(catalog.diagnostics).toEqual([]);
      expect(formatDiagnostics(catalog.warnings, { userDir: place.userDir, severity: 'warning' })).toBe(text);
    }
    await writeFiles(place.userDir, { ...files, ...camera });
    const complete = await loader.load();
    expect([complete.diagnostics, complete.warnings]).toEqual([[], []]);
    await writeFiles(place.userDir, files);
    expect(places((await loader.load()).warnings)).toEqual(['5:devices.eye.type unknown_device_type']);
  });

  it('accept the text of a protocol with the task type only when they define the device type', async () => {
    const text =
      'type: new\ndesc: x\nlabs: [lab]\ntasks:\n  - name: a\n    type: look\n    devices:\n      eye: ';
    const slots =
      '{allocation_type: dynamic, device_type: camera}\n      hand: {lab_name: lab, name: mixer2}\n';
    await writeFiles(place.userDir, look);
    const without = validateProtocolText(await loadPackages(place), text + slots);
    expect(places(without)).toEqual(['8:tasks[0].devices.eye unknown_device_type']);
    const lab = edited(
      'demo/laboratories/lab/lab.yml',
      'resource_types:',
      '  eye1: {type: camera, computer: pc1}\nresource_types:',
    );
    await writeFiles(place.userDir, { ...look, ...camera, ...lab });
    expect(validateProtocolText(await loadPackages(place), text + slots)).toEqual([]);
  });
});
