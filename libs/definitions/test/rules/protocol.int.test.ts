import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { edited, soundPackage, type Files } from '../package-fixture.js';
import { asItStands, testRules, type Edit } from './rule.js';

// These rules are not about files and have tests elsewhere. A submission checks that the type is loaded and that
// dynamic parameters are complete and valid (`checkRunParameters`). The end of a task checks its output parameters
// (`checkParameters`, in the engine).

const protocol = 'demo/experiments/run/experiment.yml';
const task = 'demo/tasks/mix/task.yml';
const lab = 'demo/laboratories/lab/lab.yml';
const weigh = 'type: weigh';
const allTasks = /tasks:[\s\S]*/.exec(soundPackage[protocol])![0];
/** Adds a line to the last task, at line 26. */
const line = (text: string): Edit => [weigh, `${weigh}\n    ${text}`];

describe('a protocol', () => {
  testRules(protocol, [
    ['has a type', asItStands, ['type: run\n', ''], '1:type missing_key'],
    ['has a description', asItStands, ['desc: Mix and weigh\n', ''], '1:desc missing_key'],
    ['has labs', asItStands, ['labs: [lab]\n', ''], '1:labs missing_key'],
    ['has labs that exist', asItStands, ['labs: [lab]', 'labs: [lab, lob]'], '3:labs[1] unknown_lab'],
    ['has tasks', asItStands, [allTasks, 'tasks: []\n'], '6:tasks invalid_value'],
    ['has known keys only', asItStands, ['desc: Mix', 'version: 1\ndesc: Mix'], '2:version unknown_key'],
    [
      'annotates resources that exist',
      ['  beaker1: {meta', '  beaker2: {meta'],
      ['  beaker1: {meta', '  beaker9: {meta'],
      '5:resources.beaker9 unknown_resource',
    ],
    [
      'annotates with meta only',
      ['{sample: x}', '{}'],
      ['{meta: {sample: x}}', '{sample: x}'],
      '5:resources.beaker1.sample unknown_key',
    ],
  ]);
});

describe('a task', () => {
  testRules(protocol, [
    ['has a name', asItStands, ['  - name: c\n    type', '  - type'], '24:tasks[2].name missing_key'],
    [
      'has a name of its own',
      ['name: c', 'name: d'],
      ['name: c', 'name: b'],
      '24:tasks[2].name duplicate_task',
    ],
    [
      'has a name without a dot',
      ['name: c', 'name: c-d'],
      ['name: c', 'name: c.d'],
      '24:tasks[2].name bad_name',
    ],
    ['has a type that exists', asItStands, [weigh, 'type: weight'], '25:tasks[2].type unknown_task_type'],
    [
      'has a duration that is not negative',
      line('duration: 0'),
      line('duration: -1'),
      '26:tasks[2].duration invalid_value',
    ],
    [
      'has a duration of at most a year',
      line('duration: 31536000'),
      line('duration: 31536001'),
      '26:tasks[2].duration invalid_value',
    ],
    [
      'has a number as duration',
      line('duration: 0.5'),
      line('duration: 5 s'),
      '26:tasks[2].duration wrong_type',
    ],
    [
      'has a group label that is not empty',
      line('group: g'),
      line('group: ""'),
      '26:tasks[2].group invalid_value',
    ],
    ['has a text as group label', line('group: "1"'), line('group: [g]'), '26:tasks[2].group wrong_type'],
    ['has known keys only', line('desc: x'), line('run_if: x'), '26:tasks[2].run_if unknown_key'],
    [
      'has a time limit above zero',
      line('timeout: 0.5'),
      line('timeout: 0'),
      '26:tasks[2].timeout invalid_value',
    ],
    [
      'has a time limit of at most a week',
      line('timeout: 604800'),
      line('timeout: 604801'),
      '26:tasks[2].timeout invalid_value',
    ],
    [
      'has a number as time limit',
      line('timeout:'),
      line('timeout: 5 min'),
      '26:tasks[2].timeout wrong_type',
    ],
    [
      'is retried as a mapping says',
      line('retry: {attempts: 3, backoff: 0.5}'),
      line('retry: 3'),
      '26:tasks[2].retry wrong_type',
    ],
    [
      'is retried a number of times',
      line('retry:'),
      line('retry: {}'),
      '26:tasks[2].retry.attempts missing_key',
    ],
    [
      'is attempted at least once',
      line('retry: {attempts: 1}'),
      line('retry: {attempts: 0}'),
      '26:tasks[2].retry.attempts invalid_value',
    ],
    [
      'is attempted at most 100 times',
      line('retry: {attempts: 100}'),
      line('retry: {attempts: 101}'),
      '26:tasks[2].retry.attempts invalid_value',
    ],
    [
      'waits no negative time before it is retried',
      line('retry: {attempts: 2, backoff: 0}'),
      line('retry: {attempts: 2, backoff: -1}'),
      '26:tasks[2].retry.backoff invalid_value',
    ],
    [
      'waits at most a week before it is retried',
      line('retry: {attempts: 2, backoff: 604800}'),
      line('retry: {attempts: 2, backoff: 604801}'),
      '26:tasks[2].retry.backoff invalid_value',
    ],
    [
      'is retried by known keys only',
      line('retry: {attempts: 2}'),
      line('retry: {attempts: 2, delay: 1}'),
      '26:tasks[2].retry.delay unknown_key',
    ],
    [
      'fails its run, is skipped or is asked about',
      line('on_failure: skip'),
      line('on_failure: ignore'),
      '26:tasks[2].on_failure invalid_value',
    ],
  ]);

  it('declares the reaction to its failures, and its definition is unchanged when it declares nothing', () => {
    const taskOf = (files: Files) => assemble(files).protocol('run')?.protocol.tasks.at(-1);
    const declared = edited(
      protocol,
      ...line('timeout: 5\n    retry: {attempts: 2, backoff: 3}\n    on_failure: ask'),
    );
    expect(taskOf(declared)?.failure_policy).toEqual({
      timeout: 5,
      retry: { attempts: 2, backoff: 3 },
      on_failure: 'ask',
    });
    expect(taskOf(edited(protocol, ...line('retry:')))).not.toHaveProperty('failure_policy');
    const hashOf = (files: Files) => assemble(files).protocol('run')?.hash;
    expect(hashOf(edited(protocol, ...line('on_failure:')))).toBe(hashOf({}));
    expect(hashOf(edited(protocol, ...line('on_failure: fail_run')))).not.toBe(hashOf({}));
  });

  it('of a group waits for no task outside the group in between', () => {
    const labels = (first: string, second: string): string =>
      soundPackage[protocol]
        .replace('name: a', `name: a\n    group: ${first}`)
        .replace('name: c', `name: c\n    group: ${second}`);
    expect(assemble({ [protocol]: labels('g', 'h') }).diagnostics).toEqual([]);
    const found = assemble({ [protocol]: labels('g', 'g') }).diagnostics;
    expect(found.map(({ line: at, path, code }) => [at, path, code])).toEqual([
      [26, 'tasks[2].group', 'group_interrupted'],
    ]);
  });
});

const dependencies = 'dependencies: [b]';

describe('a dependency', () => {
  testRules(protocol, [
    [
      'exists',
      [dependencies, 'dependencies: [b, a]'],
      [dependencies, 'dependencies: [b, d]'],
      '32:tasks[2].dependencies[1] unknown_dependency',
    ],
    [
      'stands once',
      asItStands,
      [dependencies, 'dependencies: [b, b]'],
      '32:tasks[2].dependencies[1] duplicate_dependency',
    ],
    [
      'keeps its place when another is faulty',
      asItStands,
      [dependencies, 'dependencies: [b, b, d]'],
      '32:tasks[2].dependencies[2] unknown_dependency',
    ],
    [
      'is a name',
      asItStands,
      [dependencies, 'dependencies: [b, 5]'],
      '32:tasks[2].dependencies[1] wrong_type',
    ],
    [
      'is not the task itself',
      asItStands,
      [dependencies, 'dependencies: [b, c]'],
      '32:tasks[2].dependencies cycle',
    ],
    [
      'does not lead in a circle',
      asItStands,
      ['volume: svc_dynamic', 'volume: svc_dynamic\n    dependencies: [c]'],
      '15:tasks[0].dependencies cycle',
    ],
  ]);
});

const dynamic = 'device_type: scale, allowed_labs: [lab]';

const slots = /mixer: a\.mixer[\s\S]*?scale: .*/.exec(soundPackage[protocol])![0];
/** Gives a device to the second task under a handle of its own, which the third task refers to as its scale. */
const passedOn = (name: string): Edit => [
  slots,
  slots
    .replace('mixer: a.mixer', `mixer: a.mixer\n      passed: {lab_name: lab, name: ${name}}`)
    .replace(/scale: .*/, 'scale: b.passed'),
];

describe('a device slot', () => {
  testRules(protocol, [
    [
      'is given for every handle',
      asItStands,
      ['mixer: a.mixer', 'mixr: a.mixer'],
      '17:tasks[1].devices missing_device',
    ],
    [
      'may be given under a handle that the task type does not declare, and then exists',
      ['mixer: a.mixer', 'mixer: a.mixer\n      passed: {lab_name: lab, name: scale1}'],
      ['mixer: a.mixer', 'mixer: a.mixer\n      passed: {lab_name: lab, name: scale9}'],
      '19:tasks[1].devices.passed.name unknown_device',
    ],
    [
      'under a handle that the task type does not declare is another device than the others',
      ['mixer: a.mixer', 'mixer: a.mixer\n      passed: {lab_name: lab, name: mixer2}'],
      ['mixer: a.mixer', 'mixer: a.mixer\n      passed: {lab_name: lab, name: mixer1}'],
      '19:tasks[1].devices.passed allocated_twice',
    ],
    [
      'may refer to a handle that the task type does not declare, for a device of the needed type',
      passedOn('scale1'),
      passedOn('mixer2'),
      '28:tasks[2].devices.scale device_type',
    ],
    [
      'has a lab of the protocol',
      asItStands,
      ['lab_name: lab', 'lab_name: other'],
      '10:tasks[0].devices.mixer.lab_name lab_not_listed',
    ],
    [
      'has a device that exists',
      ['name: mixer1', 'name: mixer2'],
      ['name: mixer1', 'name: mixer9'],
      '10:tasks[0].devices.mixer.name unknown_device',
    ],
    [
      'has a device of the type that is needed',
      asItStands,
      ['name: mixer1', 'name: scale1'],
      '10:tasks[0].devices.mixer.name device_type',
    ],
    [
      'has a dynamic type that is needed',
      asItStands,
      ['device_type: scale', 'device_type: mixer'],
      '27:tasks[2].devices.scale.device_type device_type',
    ],
    [
      'has a dynamic type',
      asItStands,
      [dynamic, 'allowed_labs: [lab]'],
      '27:tasks[2].devices.scale.device_type missing_key',
    ],
    [
      'allows labs of the protocol',
      [dynamic, 'device_type: scale'],
      ['allowed_labs: [lab]', 'allowed_labs: [lob]'],
      '27:tasks[2].devices.scale.allowed_labs[0] lab_not_listed',
    ],
    [
      'allows at least one lab',
      asItStands,
      ['allowed_labs: [lab]', 'allowed_labs: []'],
      '27:tasks[2].devices.scale.allowed_labs invalid_value',
    ],
    [
      'allows devices that exist',
      ['allowed_labs: [lab]', 'allowed_devices: [{lab_name: lab, name: scale1}]'],
      ['allowed_labs: [lab]', 'allowed_devices: [{lab_name: lab, name: scale2}]'],
      '27:tasks[2].devices.scale.allowed_devices[0].name unknown_device',
    ],
    [
      'allows devices of the type',
      asItStands,
      ['allowed_labs: [lab]', 'allowed_devices: [{lab_name: lab, name: mixer1}]'],
      '27:tasks[2].devices.scale.allowed_devices[0].name device_type',
    ],
    [
      'allows at least one device',
      asItStands,
      ['allowed_labs: [lab]', 'allowed_devices: []'],
      '27:tasks[2].devices.scale.allowed_devices invalid_value',
    ],
    [
      'has an allocation type that is dynamic',
      asItStands,
      ['allocation_type: dynamic', 'allocation_type: static'],
      '27:tasks[2].devices.scale.allocation_type invalid_value',
    ],
    [
      'is held or not',
      ['mixer1, hold: true', 'mixer1, hold: false'],
      ['mixer1, hold: true', 'mixer1, hold: 1'],
      '10:tasks[0].devices.mixer.hold wrong_type',
    ],
    [
      'has one form',
      ['mixer: a.mixer', 'mixer: {ref: a.mixer}'],
      ['mixer: a.mixer', 'mixer: {ref: a.mixer, name: mixer1}'],
      '18:tasks[1].devices.mixer.name unknown_key',
    ],
    [
      'refers to a task that exists',
      asItStands,
      ['mixer: a.mixer', 'mixer: z.mixer'],
      '18:tasks[1].devices.mixer unknown_task',
    ],
    [
      'refers with two parts',
      asItStands,
      ['mixer: a.mixer', 'mixer: mixer1'],
      '18:tasks[1].devices.mixer bad_reference',
    ],
    [
      'refers to a handle',
      asItStands,
      ['mixer: a.mixer', 'mixer: a.mixr'],
      '18:tasks[1].devices.mixer unknown_device_handle',
    ],
    [
      'refers to a device of the type that is needed',
      asItStands,
      ['{allocation_type: dynamic, device_type: scale, allowed_labs: [lab]}', 'a.mixer'],
      '27:tasks[2].devices.scale device_type',
    ],
    [
      'refers to an ancestor',
      asItStands,
      ['    dependencies: [a]\n', ''],
      '18:tasks[1].devices.mixer not_an_ancestor',
    ],
    [
      'does not refer to its own task',
      asItStands,
      ['mixer: a.mixer', 'mixer: b.mixer'],
      '18:tasks[1].devices.mixer not_an_ancestor',
    ],
  ]);
});

describe('the slots of a task', () => {
  const two = edited(task, 'mixer: {type: mixer}', 'mixer: {type: mixer}\n  second: {type: mixer}');
  const anyMixer = '{allocation_type: dynamic, device_type: mixer}';
  const mixers = (first: string, second: string): string =>
    soundPackage[protocol]
      .replace('{lab_name: lab, name: mixer1, hold: true}', `${first}\n      second: ${second}`)
      .replace('mixer: a.mixer', 'mixer: a.mixer\n      second: a.second');
  const one = edited(lab, '  mixer2: {type: mixer, computer: svc_computer}\n', '');
  it.each([
    ['have two devices when there are two', {}, anyMixer, anyMixer, []],
    ['need two devices', one, anyMixer, anyMixer, ['tasks[0].devices.second unsatisfiable']],
    [
      'need a device beside one that is named',
      one,
      '{lab_name: lab, name: mixer1}',
      anyMixer,
      ['tasks[0].devices.second unsatisfiable'],
    ],
    [
      'are not the same device',
      {},
      '{lab_name: lab, name: mixer1}',
      '{lab_name: lab, name: mixer1}',
      ['tasks[0].devices.second allocated_twice', 'tasks[1].devices.second allocated_twice'],
    ],
  ])('%s', (_rule, labs, first, second, expected) => {
    const { diagnostics } = assemble({ ...two, ...labs, [protocol]: mixers(first, second) });
    expect(diagnostics.map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });

  it('can be filled by the labs of the protocol', () => {
    const { diagnostics } = assemble(
      edited(lab, '  scale1: {type: scale, computer: svc_computer, meta: {room: 1}}\n', ''),
    );
    expect(diagnostics.map(({ line: at, path, code }) => `${at ?? '-'}:${path} ${code}`)).toEqual([
      '27:tasks[2].devices.scale unsatisfiable',
    ]);
  });
});

describe('a resource slot', () => {
  testRules(protocol, [
    [
      'is given for every handle',
      asItStands,
      ['cup: a.cup', 'cap: a.cup'],
      '19:tasks[1].resources missing_resource',
    ],
    [
      'is given for handles of the task type only',
      asItStands,
      ['cup: a.cup', 'cup: a.cup\n      lid: beaker2'],
      '21:tasks[1].resources.lid unknown_resource_handle',
    ],
    [
      'has a resource that exists',
      ['cup: {name: beaker1', 'cup: {name: beaker2'],
      ['cup: {name: beaker1', 'cup: {name: beaker9'],
      '12:tasks[0].resources.cup unknown_resource',
    ],
    [
      'has a resource of the type that is needed',
      asItStands,
      ['cup: {name: beaker1', 'cup: {name: vial1'],
      '12:tasks[0].resources.cup resource_type',
    ],
    [
      'has a dynamic type that is needed',
      ['cup: {name: beaker1', 'cup: {allocation_type: dynamic, resource_type: beaker'],
      ['cup: {name: beaker1', 'cup: {allocation_type: dynamic, resource_type: vial'],
      '12:tasks[0].resources.cup.resource_type resource_type',
    ],
    [
      'is held or not',
      asItStands,
      ['beaker1, hold: true', 'beaker1, hold: yes'],
      '12:tasks[0].resources.cup.hold wrong_type',
    ],
    [
      'refers to a task that exists',
      asItStands,
      ['{ref: b.cup', '{ref: z.cup'],
      '29:tasks[2].resources.cup.ref unknown_task',
    ],
    [
      'refers to an output',
      asItStands,
      ['cup: a.cup', 'cup: a.glass'],
      '20:tasks[1].resources.cup unknown_resource_handle',
    ],
    [
      'refers to an ancestor',
      asItStands,
      ['    dependencies: [a]\n', ''],
      '20:tasks[1].resources.cup not_an_ancestor',
    ],
  ]);

  it('can be filled by the labs of the protocol', () => {
    const anyVial = edited(
      protocol,
      'cup: {name: beaker1',
      'cup: {allocation_type: dynamic, resource_type: beaker',
    );
    const texts = { ...anyVial, [lab]: soundPackage[lab].replaceAll(': {type: beaker', ': {type: vial') };
    const { diagnostics } = assemble(texts);
    expect(diagnostics.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'tasks[0].resources.cup unsatisfiable',
    ]);
  });
});

const volume = 'volume: svc_dynamic';

describe('a parameter of a task', () => {
  testRules(protocol, [
    [
      'is given when it is required',
      asItStands,
      ['volume: a.total', 'times: 2'],
      '21:tasks[1].parameters missing_parameter',
    ],
    [
      'is one of the task type',
      asItStands,
      ['target: 2', 'targt: 2'],
      '31:tasks[2].parameters.targt unknown_parameter',
    ],
    [
      'has a literal of its type',
      ['target: 2', 'target: 2.5'],
      ['target: 2', 'target: two'],
      '31:tasks[2].parameters.target value_type',
    ],
    [
      'has a literal that is not above its maximum',
      [volume, 'volume: 10'],
      [volume, 'volume: 11'],
      '14:tasks[0].parameters.volume value_above_max',
    ],
    [
      'has a literal that is not below its minimum',
      [volume, 'volume: 0'],
      [volume, 'volume: -1'],
      '14:tasks[0].parameters.volume value_below_min',
    ],
    [
      'has svc_dynamic written exactly so',
      asItStands,
      [volume, 'volume: SVC_DYNAMIC'],
      '14:tasks[0].parameters.volume value_type',
    ],
    [
      'has svc_dynamic written exactly so, also where it takes any text',
      [volume, `${volume}\n      label: svc_like`],
      [volume, `${volume}\n      label: svc_dynmic`],
      '15:tasks[0].parameters.label value_type',
    ],
    [
      'refers to a parameter of its unit',
      ['volume: a.total', 'volume: a.volume'],
      ['target: 2', 'target: a.total'],
      '31:tasks[2].parameters.target unit',
    ],
    [
      'refers to a parameter that exists',
      ['target: 2', 'target: a.count'],
      ['volume: a.total', 'volume: a.sum'],
      '22:tasks[1].parameters.volume unknown_parameter',
    ],
    [
      'refers to a parameter of its type',
      ['volume: a.total', 'volume: a.count'],
      ['volume: a.total', 'volume: a.label'],
      '22:tasks[1].parameters.volume parameter_type',
    ],
    [
      'refers to an ancestor',
      asItStands,
      ['    dependencies: [a]\n', ''],
      '22:tasks[1].parameters.volume not_an_ancestor',
    ],
  ]);

  it.each([
    ['is a literal when no task has the name before its dot', 'file.csv', 'file.csv'],
    ['is a literal when a backslash stands before a reference', '\\a.total', 'a.total'],
    ['is a literal when a backslash stands before svc_dynamic', '\\svc_dynamic', 'svc_dynamic'],
  ])('%s', (_rule, written, value) => {
    const catalog = assemble(edited(protocol, 'volume: a.total', `volume: a.total\n      label: ${written}`));
    expect(catalog.diagnostics).toEqual([]);
    expect(catalog.protocol('run')?.protocol.tasks[1]?.parameters['label']).toEqual({
      kind: 'literal',
      value,
    });
  });

  it.each([
    [volume, 'volume: svc_dynmic', 'did you mean svc_dynamic?'],
    [volume, 'volume: aa.total', 'did you mean the output a.total?'],
    [volume, 'volume: ten', null],
    [
      'target: 2',
      'target: a.total',
      'the service converts no units: state the same unit in both task.yml, or convert the value in a task',
    ],
  ])('with a fault gets the hint that fits: %s as %s', (from, to, hint) => {
    const { diagnostics } = assemble(edited(protocol, from, to));
    expect(diagnostics.map((each) => each.hint)).toEqual([hint]);
  });
});
