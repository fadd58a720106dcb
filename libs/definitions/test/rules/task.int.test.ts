import { describe, expect, it } from 'vitest';
import { assemble } from '../assemble.js';
import { edited } from '../package-fixture.js';
import { asItStands, testRules, type Edit } from './rule.js';

// The agent and `svc pkg check` load the code and check that it has one class of the right kind.

const device = 'demo/devices/mixer/device.yml';
const task = 'demo/tasks/mix/task.yml';

describe('a device file', () => {
  testRules(device, [
    ['has a type', asItStands, ['type: mixer\n', ''], '1:type missing_key'],
    ['has a description', asItStands, ['desc: Mixes\n', ''], '1:desc missing_key'],
    [
      'has a mapping as init parameters',
      ['port: COM1', 'port:'],
      ['{speed: 1, port: COM1}', '[1]'],
      '3:init_parameters wrong_type',
    ],
    ['has known keys only', asItStands, ['desc: Mixes', 'desc: Mixes\nversion: 1'], '3:version unknown_key'],
  ]);
});

describe('a task file', () => {
  testRules(task, [
    ['has a type', asItStands, ['type: mix\n', ''], '1:type missing_key'],
    ['has a description', asItStands, ['desc: Mixes\n', ''], '1:desc missing_key'],
    [
      'has handles with a type',
      ['mixer: {type: mixer}', 'mixer: {type: mixer, desc: x}'],
      ['mixer: {type: mixer}', 'mixer: {}'],
      '4:devices.mixer.type missing_key',
    ],
    [
      'has handles without a dot',
      asItStands,
      ['  mixer: {type', '  mix.er: {type'],
      '4:devices.mix.er bad_name',
    ],
    [
      'names device types as texts',
      ['devices:', 'device_types: [mixer, scale]\ndevices:'],
      ['devices:', 'device_types: [mixer, 1]\ndevices:'],
      '3:device_types[1] wrong_type',
    ],
    [
      'has resources with a type',
      ['cup: {type: beaker}', 'cup: {type: beaker, desc: x}'],
      ['cup: {type: beaker}', 'cup: beaker'],
      '13:input_resources.cup wrong_type',
    ],
    [
      'has outputs of resources with a type',
      ['input_resources:', 'output_resources:\n  cup: {type: beaker}\ninput_resources:'],
      ['input_resources:', 'output_resources:\n  cup: {}\ninput_resources:'],
      '13:output_resources.cup.type missing_key',
    ],
    [
      'is single_use or reusable',
      ['desc: Mixes', 'desc: Mixes\nisolation: thread'],
      ['desc: Mixes', 'desc: Mixes\nisolation: shared'],
      '3:isolation invalid_value',
    ],
    [
      'is safe to be retried or not',
      ['desc: Mixes', 'desc: Mixes\nretry_safe: true'],
      ['desc: Mixes', 'desc: Mixes\nretry_safe: often'],
      '3:retry_safe wrong_type',
    ],
    ['has known keys only', asItStands, ['desc: Mixes', 'desc: Mixes\ninputs: {}'], '3:inputs unknown_key'],
  ]);
});

const text = 'type: str, desc: Label, value: none';
/** The parameter `label` of the task, declared in two ways. */
const label = (keeps: string, breaks: string): [Edit, Edit] => [
  [text, `desc: Label, ${keeps}`],
  [text, `desc: Label, ${breaks}`],
];
const at = (rest: string): string => `8:input_parameters.label${rest}`;

describe('a parameter', () => {
  testRules(task, [
    ['has a type', asItStands, ['{type: str, ', '{'], at('.type missing_key')],
    ['has a known type', asItStands, ['type: str', 'type: string'], at('.type unknown_parameter_type')],
    ['has a description', asItStands, ['desc: Volume, ', ''], '6:input_parameters.volume.desc missing_key'],
    [
      'has known keys only',
      asItStands,
      ['max: 10', 'maximum: 10'],
      '6:input_parameters.volume.maximum unknown_key',
    ],
    ['has a name without a dot', asItStands, ['  label:', '  la.bel:'], '8:input_parameters.la.bel bad_name'],
    [
      'of the output is held to the same',
      asItStands,
      ['total: {type: float, unit: ml', 'total: {type: float'],
      '10:output_parameters.total.unit missing_key',
    ],
    [
      'int has a unit',
      ...label('type: int, unit: s, value: 1', 'type: int, value: 1'),
      at('.unit missing_key'),
    ],
    [
      'float has a unit',
      ...label('type: float, unit: n/a, value: 1', 'type: float, value: 1'),
      at('.unit missing_key'),
    ],
    [
      'has a unit that is not blank',
      ...label('type: int, unit: s, value: 1', 'type: int, unit: " ", value: 1'),
      at('.unit invalid_value'),
    ],
    [
      'str has no unit',
      ...label('type: str, value: x', 'type: str, unit: s, value: x'),
      at('.unit unknown_key'),
    ],
    [
      'bool has no bounds',
      ...label('type: bool, value: true', 'type: bool, min: 0, value: true'),
      at('.min unknown_key'),
    ],
    [
      'has a minimum that is not above its maximum',
      ...label(
        'type: int, unit: s, min: 2, max: 2, value: 2',
        'type: int, unit: s, min: 3, max: 2, value: 2',
      ),
      at('.min min_above_max'),
    ],
    [
      'int has integers as bounds',
      ...label('type: int, unit: s, min: 2, value: 2', 'type: int, unit: s, min: 1.5, value: 2'),
      at('.min wrong_type'),
    ],
    [
      'int has an integer as default',
      ...label('type: int, unit: s, value: 2', 'type: int, unit: s, value: 2.5'),
      at('.value bad_default'),
    ],
    [
      'int does not take true for 1',
      ...label('type: int, unit: s, value: 1', 'type: int, unit: s, value: true'),
      at('.value bad_default'),
    ],
    [
      'float takes an integer',
      ...label('type: float, unit: s, value: 2', 'type: float, unit: s, value: "2"'),
      at('.value bad_default'),
    ],
    [
      'str has text as default',
      ...label('type: str, value: "2"', 'type: str, value: 2'),
      at('.value bad_default'),
    ],
    [
      'bool has true or false as default',
      ...label('type: bool, value: false', 'type: bool, value: "yes"'),
      at('.value bad_default'),
    ],
    [
      'dict has a mapping as default',
      ...label('type: dict, value: {a: [1, x]}', 'type: dict, value: [a]'),
      at('.value bad_default'),
    ],
    [
      'has a default that is not below the minimum',
      ...label('type: int, unit: s, min: 0, value: 0', 'type: int, unit: s, min: 0, value: -1'),
      at('.value bad_default'),
    ],
    [
      'has a default that is not above the maximum',
      ...label('type: float, unit: s, max: 0.5, value: 0.5', 'type: float, unit: s, max: 0.5, value: 0.6'),
      at('.value bad_default'),
    ],
  ]);
});

describe('a choice', () => {
  testRules(task, [
    [
      'has choices',
      ...label('type: choice, choices: [a], value: a', 'type: choice, value: a'),
      at('.choices missing_key'),
    ],
    [
      'has at least one',
      ...label('type: choice, choices: [a], value: a', 'type: choice, choices: []'),
      at('.choices invalid_value'),
    ],
    [
      'has each of them once',
      ...label(
        'type: choice, choices: [1, "1", {a: 1, b: 2}], value: 1',
        'type: choice, choices: [1, {a: 1, b: 2}, {b: 2, a: 1}], value: 1',
      ),
      at('.choices[2] duplicate_choice'),
    ],
    [
      'has a default that is one of them',
      ...label('type: choice, choices: [1, 2], value: 2', 'type: choice, choices: [1, 2], value: "2"'),
      at('.value bad_default'),
    ],
    [
      'compares lists by value',
      ...label(
        'type: choice, choices: [[1, 2]], value: [1, 2]',
        'type: choice, choices: [[1, 2]], value: [2, 1]',
      ),
      at('.value bad_default'),
    ],
    [
      'compares mappings by value',
      ...label(
        'type: choice, choices: [{a: 1, b: 2}], value: {b: 2, a: 1}',
        'type: choice, choices: [{a: 1}], value: {a: 1, b: 2}',
      ),
      at('.value bad_default'),
    ],
  ]);
});

describe('a list', () => {
  const list = (keeps: string, breaks: string): [Edit, Edit] =>
    label(`type: list, ${keeps}`, `type: list, ${breaks}`);
  testRules(task, [
    [
      'has an element type',
      ...list('element_type: str, value: []', 'value: []'),
      at('.element_type missing_key'),
    ],
    [
      'has no lists as elements',
      ...list('element_type: dict, value: [{}]', 'element_type: list, value: [[]]'),
      at('.element_type invalid_value'),
    ],
    [
      'has a length that is not negative',
      ...list('element_type: int, length: 0, value: []', 'element_type: int, length: -1, value: []'),
      at('.length invalid_value'),
    ],
    [
      'may have bounds without a length, which hold for the elements at their positions',
      ...list(
        'element_type: int, min: [1, 1], max: [9], value: [1, 10, 0]',
        'element_type: int, min: [1, 1], max: [9], value: [10, 1, 0]',
      ),
      at('.value[0] bad_default'),
    ],
    [
      'has as many bounds as elements',
      ...list(
        'element_type: int, length: 2, max: [1, 1], value: [1, 1]',
        'element_type: int, length: 2, max: [1], value: [1, 1]',
      ),
      at('.max bounds_length'),
    ],
    [
      'has bounds only for numbers',
      ...list(
        'element_type: float, length: 1, max: [1], value: [1]',
        'element_type: str, length: 1, max: [1], value: [a]',
      ),
      at('.max bounds_without_numbers'),
    ],
    [
      'has no minimum above its maximum',
      ...list(
        'element_type: int, length: 2, min: [0, 0], max: [0, 1], value: [0, 0]',
        'element_type: int, length: 2, min: [0, 2], max: [0, 1], value: [0, 0]',
      ),
      at('.min[1] min_above_max'),
    ],
    [
      'has a default of its length',
      ...list('element_type: int, length: 2, value: [1, 2]', 'element_type: int, length: 2, value: [1]'),
      at('.value bad_default'),
    ],
    [
      'has a default of its element type',
      ...list('element_type: int, value: [1, 2]', 'element_type: int, value: [1, a]'),
      at('.value[1] bad_default'),
    ],
    [
      'has a default within the bounds of each element',
      ...list(
        'element_type: int, length: 2, min: [0, -1], value: [1, -1]',
        'element_type: int, length: 2, min: [0, 0], value: [1, -1]',
      ),
      at('.value[1] bad_default'),
    ],
  ]);
});

describe('a group of parameters', () => {
  const grouped = (inner: string): Edit => ['  label: {type', `  texts:\n    ${inner}\n  label: {type`];
  const parameter = '{type: str, desc: x, value: y}';
  testRules(task, [
    [
      'has parameters only',
      grouped(`more: ${parameter}`),
      grouped(`more: ${parameter}\n    desc: Texts`),
      '8:input_parameters.texts.type missing_key',
    ],
    [
      'holds no groups',
      grouped(`more: ${parameter}`),
      grouped(`more: {deep: ${parameter}}`),
      '9:input_parameters.texts.more.type missing_key',
    ],
    [
      'has names of its own',
      grouped(`more: ${parameter}`),
      grouped(`times: ${parameter}`),
      '9:input_parameters.texts.times duplicate_parameter',
    ],
  ]);

  it('affects only the display: its members count as if they stood beside it', () => {
    const catalog = assemble(edited(task, '  label: {type', '  texts:\n    label: {type'));
    expect(catalog.diagnostics).toEqual([]);
    expect(Object.keys(catalog.task('mix')?.task.input_parameters ?? {})).toEqual([
      'volume',
      'times',
      'label',
    ]);
  });
});
