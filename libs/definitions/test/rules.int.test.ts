import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPackages, type Catalog } from '../src/index.js';
import { createUserDir, edited, soundPackage, writeFiles, type Files } from './package-fixture.js';

const lab = 'demo/laboratories/lab/lab.yml';
const device = 'demo/devices/mixer/device.yml';
const task = 'demo/tasks/mix/task.yml';
const protocol = 'demo/experiments/run/experiment.yml';

let place: Awaited<ReturnType<typeof createUserDir>>;
beforeAll(async () => {
  place = await createUserDir();
});
afterAll(() => place.dispose());

async function load(files: Files): Promise<Catalog> {
  await writeFiles(place.userDir, files);
  return loadPackages(place);
}

/** `line:path code` of every diagnostic of the file. */
const found = (catalog: Catalog, file: string): string[] =>
  catalog.diagnostics
    .filter((diagnostic) => diagnostic.file === file)
    .map(({ line, path, code }) => `${line ?? '-'}:${path} ${code}`);

/** What each edit of the sound package breaks: file, text, its replacement, and the one expected diagnostic. */
const cases: [rule: string, file: keyof typeof soundPackage, from: string, to: string, expected: string][] = [
  // lab.yml
  ['a lab has a name', lab, 'name: lab\n', '', '1:name missing_key'],
  [
    'a lab has devices',
    lab,
    /devices:[\s\S]*?(?=resource_types)/.exec(soundPackage[lab])![0],
    '',
    '1:devices missing_key',
  ],
  ['a key must be known', lab, 'desc: A lab', 'desc: A lab\ncomputer: {}', '3:computer unknown_key'],
  ['texts are text', lab, 'desc: A lab', 'desc: 5', '2:desc wrong_type'],
  [
    'svc_computer cannot be defined',
    lab,
    'pc1: {ip',
    'svc_computer: {ip',
    '4:computers.svc_computer reserved_computer',
  ],
  ['127.0.0.1 belongs to svc_computer', lab, '10.0.0.2', '127.0.0.1', '4:computers.pc1.ip reserved_ip'],
  ['an address is an IP address', lab, '10.0.0.2', 'lab-pc', '4:computers.pc1.ip bad_ip'],
  [
    'two computers have two addresses',
    lab,
    'pc1: {ip: 10.0.0.2}',
    'pc1: {ip: 10.0.0.2}\n  pc2: {ip: 10.0.0.2}',
    '5:computers.pc2.ip duplicate_ip',
  ],
  ['a device has a type', lab, 'mixer2: {type: mixer, ', 'mixer2: {', '10:devices.mixer2.type missing_key'],
  [
    'a device type exists',
    lab,
    'mixer2: {type: mixer',
    'mixer2: {type: mixr',
    '10:devices.mixer2.type unknown_device_type',
  ],
  [
    'the computer of a device exists',
    lab,
    'computer: pc1',
    'computer: pc2',
    '8:devices.mixer1.computer unknown_computer',
  ],
  [
    'init parameters are those of the device type',
    lab,
    '{speed: 5}',
    '{sped: 5}',
    '9:devices.mixer1.init_parameters.sped unknown_init_parameter',
  ],
  ['names of devices hold no dot', lab, 'mixer2:', 'mixer.2:', '10:devices.mixer.2 bad_name'],
  [
    'a resource type is declared',
    lab,
    'vial1: {type: vial}',
    'vial1: {type: vail}',
    '18:resources.vial1.type unknown_resource_type',
  ],
  ['meta is a mapping', lab, 'meta: {room: 1}', 'meta: 1', '11:devices.scale1.meta wrong_type'],
  ['keys stand once', lab, '  beaker2:', '  beaker1:', '17:resources.beaker1 duplicate_key'],
  // device.yml
  ['a device file has a type', device, 'type: mixer\n', '', '1:type missing_key'],
  ['init parameters are a mapping', device, '{speed: 1, port: COM1}', '[1]', '3:init_parameters wrong_type'],
  // task.yml
  ['a task file has a description', task, 'desc: Mixes\n', '', '1:desc missing_key'],
  [
    'the device type of a handle exists',
    task,
    'mixer: {type: mixer}',
    'mixer: {type: mixr}',
    '4:devices.mixer.type unknown_device_type',
  ],
  [
    'isolation is single_use or reusable',
    task,
    'input_resources:',
    'isolation: shared\ninput_resources:',
    '12:isolation invalid_value',
  ],
  [
    'a parameter has a known type',
    task,
    'type: str',
    'type: string',
    '8:input_parameters.label.type unknown_parameter_type',
  ],
  ['a parameter has a type', task, '{type: str, ', '{', '8:input_parameters.label.type missing_key'],
  ['a parameter has a description', task, 'desc: Volume, ', '', '6:input_parameters.volume.desc missing_key'],
  [
    'int and float have a unit',
    task,
    'unit: ml, desc: Volume',
    'desc: Volume',
    '6:input_parameters.volume.unit missing_key',
  ],
  [
    'a unit is not blank',
    task,
    'unit: ml, desc: Volume',
    'unit: " ", desc: Volume',
    '6:input_parameters.volume.unit invalid_value',
  ],
  [
    'str has no unit',
    task,
    'desc: Label',
    'desc: Label, unit: n/a',
    '8:input_parameters.label.unit unknown_key',
  ],
  [
    'the minimum is not above the maximum',
    task,
    'min: 0',
    'min: 11',
    '6:input_parameters.volume.min min_above_max',
  ],
  [
    'a default has the type of its parameter',
    task,
    'value: 1}',
    'value: 1.5}',
    '7:input_parameters.times.value bad_default',
  ],
  [
    'a default is within the bounds',
    task,
    'max: 10}',
    'max: 10, value: 11}',
    '6:input_parameters.volume.value bad_default',
  ],
  [
    'choices are not empty',
    task,
    'type: str, desc: Label, value: none',
    'type: choice, desc: Label, choices: []',
    '8:input_parameters.label.choices invalid_value',
  ],
  [
    'a default is one of the choices',
    task,
    'type: str, desc: Label, value: none',
    'type: choice, desc: Label, choices: [1, {a: 2}], value: 2',
    '8:input_parameters.label.value bad_default',
  ],
  [
    'a list has an element type',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label',
    '8:input_parameters.label.element_type missing_key',
  ],
  [
    'lists of lists do not exist',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label, element_type: list',
    '8:input_parameters.label.element_type invalid_value',
  ],
  [
    'bounds per element need a length',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label, element_type: int, min: [1]',
    '8:input_parameters.label.min bounds_without_length',
  ],
  [
    'there are as many bounds as elements',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label, element_type: int, length: 2, max: [1]',
    '8:input_parameters.label.max bounds_length',
  ],
  [
    'only numbers have bounds',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label, element_type: str, length: 1, max: [1]',
    '8:input_parameters.label.max bounds_without_numbers',
  ],
  [
    'the default of a list has its length',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label, element_type: int, length: 2, value: [1]',
    '8:input_parameters.label.value bad_default',
  ],
  [
    'the elements of a default are within bounds',
    task,
    'type: str, desc: Label, value: none',
    'type: list, desc: Label, element_type: int, length: 2, min: [0, 0], value: [1, -1]',
    '8:input_parameters.label.value[1] bad_default',
  ],
  // experiment.yml
  ['a protocol lists its labs', protocol, 'labs: [lab]\n', '', '1:labs missing_key'],
  [
    'a protocol has tasks',
    protocol,
    /tasks:[\s\S]*/.exec(soundPackage[protocol])![0],
    'tasks: []\n',
    '6:tasks invalid_value',
  ],
  [
    'an annotated resource exists',
    protocol,
    '  beaker1: {meta',
    '  beaker9: {meta',
    '5:resources.beaker9 unknown_resource',
  ],
  [
    'a task has a name',
    protocol,
    '  - name: c\n    type: weigh',
    '  - type: weigh',
    '24:tasks[2].name missing_key',
  ],
  ['a task type exists', protocol, 'type: weigh', 'type: weight', '25:tasks[2].type unknown_task_type'],
  [
    'a duration is not negative',
    protocol,
    'type: weigh',
    'type: weigh\n    duration: -1',
    '26:tasks[2].duration invalid_value',
  ],
  [
    'keys that do nothing are refused',
    protocol,
    'type: weigh',
    'type: weigh\n    run_if: x',
    '26:tasks[2].run_if unknown_key',
  ],
  ['names of tasks hold no dot', protocol, 'name: c', 'name: c.d', '24:tasks[2].name bad_name'],
  [
    'a dependency exists',
    protocol,
    'dependencies: [b]',
    'dependencies: [b, d]',
    '32:tasks[2].dependencies[1] unknown_dependency',
  ],
  [
    'a device of a lab exists',
    protocol,
    'name: mixer1',
    'name: mixer9',
    '10:tasks[0].devices.mixer.name unknown_device',
  ],
  [
    'a device has the type that the task needs',
    protocol,
    'name: mixer1',
    'name: scale1',
    '10:tasks[0].devices.mixer.name device_type',
  ],
  [
    'a device is in a lab of the protocol',
    protocol,
    'lab_name: lab',
    'lab_name: other',
    '10:tasks[0].devices.mixer.lab_name lab_not_listed',
  ],
  [
    'a dynamic device has the type that the task needs',
    protocol,
    'device_type: scale',
    'device_type: mixer',
    '27:tasks[2].devices.scale.device_type device_type',
  ],
  [
    'allowed labs are labs of the protocol',
    protocol,
    'allowed_labs: [lab]',
    'allowed_labs: [lob]',
    '27:tasks[2].devices.scale.allowed_labs[0] lab_not_listed',
  ],
  [
    'allowed devices exist',
    protocol,
    'allowed_labs: [lab]',
    'allowed_devices: [{lab_name: lab, name: scale2}]',
    '27:tasks[2].devices.scale.allowed_devices[0].name unknown_device',
  ],
  [
    'allowed devices have the type',
    protocol,
    'allowed_labs: [lab]',
    'allowed_devices: [{lab_name: lab, name: mixer1}]',
    '27:tasks[2].devices.scale.allowed_devices[0].name device_type',
  ],
  [
    'allocation_type is dynamic',
    protocol,
    'allocation_type: dynamic',
    'allocation_type: static',
    '27:tasks[2].devices.scale.allocation_type invalid_value',
  ],
  [
    'hold is true or false',
    protocol,
    'mixer1, hold: true',
    'mixer1, hold: 1',
    '10:tasks[0].devices.mixer.hold wrong_type',
  ],
  [
    'a slot has one form',
    protocol,
    'name: mixer1, hold: true',
    'name: mixer1, ref: a.mixer',
    '10:tasks[0].devices.mixer.lab_name unknown_key',
  ],
  [
    'a device reference names a task',
    protocol,
    'mixer: a.mixer',
    'mixer: z.mixer',
    '18:tasks[1].devices.mixer unknown_task',
  ],
  [
    'a device reference has two parts',
    protocol,
    'mixer: a.mixer',
    'mixer: mixer1',
    '18:tasks[1].devices.mixer bad_reference',
  ],
  [
    'a device reference names a handle',
    protocol,
    'mixer: a.mixer',
    'mixer: a.mixr',
    '18:tasks[1].devices.mixer unknown_device_handle',
  ],
  [
    'a handle is one of the task type',
    protocol,
    'mixer: a.mixer',
    'mixr: a.mixer',
    '17:tasks[1].devices missing_device',
  ],
  [
    'a resource exists',
    protocol,
    'cup: {name: beaker1',
    'cup: {name: beaker9',
    '12:tasks[0].resources.cup unknown_resource',
  ],
  [
    'a resource has the type that the task needs',
    protocol,
    'cup: {name: beaker1',
    'cup: {name: vial1',
    '12:tasks[0].resources.cup resource_type',
  ],
  [
    'a dynamic resource has the type that the task needs',
    protocol,
    'cup: {name: beaker1',
    'cup: {allocation_type: dynamic, resource_type: vial',
    '12:tasks[0].resources.cup.resource_type resource_type',
  ],
  [
    'a resource reference names an output',
    protocol,
    'cup: a.cup',
    'cup: a.glass',
    '20:tasks[1].resources.cup unknown_resource_handle',
  ],
  [
    'a required parameter is given',
    protocol,
    'volume: a.total',
    'times: 2',
    '21:tasks[1].parameters missing_parameter',
  ],
  [
    'a parameter is one of the task type',
    protocol,
    'target: 2',
    'targt: 2',
    '31:tasks[2].parameters.targt unknown_parameter',
  ],
  [
    'a literal has the type',
    protocol,
    'target: 2',
    'target: two',
    '31:tasks[2].parameters.target value_type',
  ],
  [
    'a literal is within bounds',
    protocol,
    'volume: svc_dynamic',
    'volume: 11',
    '14:tasks[0].parameters.volume value_above_max',
  ],
  [
    'svc_dynamic is written exactly so',
    protocol,
    'volume: svc_dynamic',
    'volume: SVC_DYNAMIC',
    '14:tasks[0].parameters.volume value_type',
  ],
  [
    'a referenced parameter exists',
    protocol,
    'volume: a.total',
    'volume: a.sum',
    '22:tasks[1].parameters.volume unknown_parameter',
  ],
  [
    'a referenced parameter has the type',
    protocol,
    'volume: a.total',
    'volume: a.label',
    '22:tasks[1].parameters.volume parameter_type',
  ],
];

describe('every rule of the definition files', () => {
  it('is kept by the sound package', async () => {
    expect((await load({})).diagnostics).toEqual([]);
  });

  it.each(cases)('%s (%s: %j to %j)', async (_rule, file, from, to, expected) => {
    const catalog = await load(edited(file, from, to));
    expect(found(catalog, file)).toContain(expected);
    const sound = catalog.origins.find((origin) => origin.file === file)?.sound;
    expect(sound).toBe(false);
  });

  it('references go only to tasks that have completed, and circles are refused', async () => {
    const noDependency = await load(edited(protocol, '    dependencies: [a]\n', ''));
    expect(found(noDependency, protocol)).toEqual([
      '18:tasks[1].devices.mixer not_an_ancestor',
      '20:tasks[1].resources.cup not_an_ancestor',
      '22:tasks[1].parameters.volume not_an_ancestor',
    ]);
    expect(noDependency.diagnostics[0]?.hint).toBe('add "a" to the dependencies of "b"');
    const circle = await load(
      edited(protocol, 'volume: svc_dynamic', 'volume: svc_dynamic\n    dependencies: [c]'),
    );
    expect(circle.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['cycle', 'the tasks depend on each other in a circle: a -> c -> b -> a'],
    ]);
  });

  it('a reference may go to an ancestor of a dependency, and to an input of another task', async () => {
    const catalog = await load(edited(protocol, 'target: 2', 'target: a.volume'));
    expect(catalog.diagnostics).toEqual([]);
  });

  it('a text that looks like a reference is one only when its task exists, and can be escaped', async () => {
    const literal = await load(edited(protocol, 'volume: a.total', 'volume: a.total\n      label: file.csv'));
    expect(literal.diagnostics).toEqual([]);
    const escaped = await load(
      edited(protocol, 'volume: a.total', 'volume: a.total\n      label: \\a.total'),
    );
    expect(escaped.protocol('run')?.protocol.tasks[1]?.parameters['label']).toEqual({
      kind: 'literal',
      value: 'a.total',
    });
  });

  it('two tasks of a protocol have two names', async () => {
    const catalog = await load(edited(protocol, 'name: c', 'name: b'));
    expect(found(catalog, protocol)).toContain('24:tasks[2].name duplicate_task');
  });

  it('a task holds a device under one handle only', async () => {
    const catalog = await load({
      ...edited(task, 'mixer: {type: mixer}', 'mixer: {type: mixer}\n  second: {type: mixer}'),
      ...edited(protocol, 'mixer: a.mixer', 'mixer: a.mixer\n      second: {lab_name: lab, name: mixer1}'),
    });
    expect(found(catalog, protocol)).toContain('19:tasks[1].devices.second allocated_twice');
  });

  it('a dynamic slot can be satisfied by the labs of the protocol', async () => {
    const catalog = await load(
      edited(lab, '  scale1: {type: scale, computer: svc_computer, meta: {room: 1}}\n', ''),
    );
    expect(found(catalog, protocol)).toEqual(['27:tasks[2].devices.scale unsatisfiable']);
  });

  it('groups of parameters are for display: what they hold counts as if it stood beside them', async () => {
    const grouped = await load(edited(task, '  label: {type', '  texts:\n    label: {type'));
    expect(grouped.diagnostics).toEqual([]);
    expect(Object.keys(grouped.task('mix')?.task.input_parameters ?? {})).toEqual([
      'volume',
      'times',
      'label',
    ]);
    const twice = await load(
      edited(task, '  label: {type', '  texts:\n    times: {type: str, desc: x}\n  label: {type'),
    );
    expect(found(twice, task)).toEqual(['9:input_parameters.texts.times duplicate_parameter']);
  });

  it('every fault of a package is found in one pass', async () => {
    const tasks = Array.from(
      { length: 100 },
      (_, i) =>
        `  - name: t${i}\n    type: weigh\n    devices: {scale: {lab_name: lab, name: none${i}}}\n    resources: {cup: beaker1}\n`,
    ).join('');
    const catalog = await load({ [protocol]: `type: run\ndesc: x\nlabs: [lab]\ntasks:\n${tasks}` });
    expect(catalog.diagnostics).toHaveLength(100);
    expect(new Set(catalog.diagnostics.map(({ line }) => line)).size).toBe(100);
  });
});
