import { checkParameters, type ParameterSpecs } from '@lab/definitions/model';
import { describe, expect, it } from 'vitest';
import { faultsByField, fieldsOf, readFields, textOf, type Field, type Value } from '../src/index.js';

/** One parameter of each kind, with every property that the kind may have. */
const specs = {
  cycles: { type: 'int', unit: 'n/a', min: 1, max: 20, desc: 'How often' },
  volume: { type: 'float', unit: 'mL', min: 0, max: 10.5, desc: 'How much' },
  remark: { type: 'str', desc: 'What was seen' },
  clean: { type: 'bool', desc: 'Whether it is clean' },
  mode: { type: 'choice', choices: ['fast', 2, null, { slow: true }], desc: 'How' },
  doses: { type: 'list', element_type: 'float', length: 2, min: [0, 1], max: [5, 6], desc: 'Doses' },
  labels: { type: 'list', element_type: 'str', desc: 'Labels' },
  flags: { type: 'list', element_type: 'bool', desc: 'Flags' },
  steps: { type: 'list', element_type: 'dict', desc: 'Steps' },
  picks: { type: 'list', element_type: 'choice', desc: 'Picks' },
  settings: { type: 'dict', desc: 'Settings' },
  speed: { type: 'int', unit: 'rpm', value: 300, desc: 'Speed' },
} as const satisfies Record<string, unknown>;
const fields = fieldsOf(specs) ?? [];
const fieldOf = (name: string): Field => fields.find((field) => field.name === name) ?? fields[0]!;

/** What one field reads. */
function read(name: string, text: string): unknown {
  const { values, faults } = readFields([fieldOf(name)], new Map([[name, text]]));
  const fault = faults.get(name);
  if (fault === undefined) return values[name];
  return [fault.code, fault.given, fault.bound, fault.position];
}

describe('the fields of declared parameters', () => {
  it('have the unit, bounds and default of the declaration', () => {
    expect(fieldOf('volume')).toMatchObject({
      kind: 'float',
      unit: 'mL',
      min: 0,
      max: 10.5,
      isRequired: true,
    });
    expect(fieldOf('cycles').unit).toBeUndefined();
    expect(fieldOf('speed')).toMatchObject({ isRequired: false, preset: 300 });
    expect(fieldOf('doses').elements).toEqual({ kind: 'float', length: 2, min: [0, 1], max: [5, 6] });
  });

  it('may be left empty when a function of a device can do without the parameter', () => {
    const [pin] = fieldsOf({ pin: { type: 'str', optional: true, secret: true } }) ?? [];
    expect(pin).toMatchObject({ isRequired: false, preset: undefined, isSecret: true, desc: '' });
  });

  it('take any JSON for a type that the page does not know', () => {
    const later =
      fieldsOf({ at: { type: 'instant', desc: 'When' }, none: { type: 'choice', choices: [] } }) ?? [];
    expect(later.map(({ kind }) => kind)).toEqual(['any', 'any']);
    expect(readFields(later, new Map([['at', '[1, "x"]']])).values).toEqual({ at: [1, 'x'] });
  });

  it.each([[null], ['text'], [[]], [{ a: 1 }]])('cannot be read from %j', (declarations) => {
    expect(fieldsOf(declarations)).toBeUndefined();
  });
});

describe('a value that a person writes', () => {
  it.each<[string, string, Value]>([
    ['cycles', ' 7 ', 7],
    ['cycles', '+7', 7],
    ['volume', '.5', 0.5],
    ['volume', '1e1', 10],
    ['remark', ' a\nb ', ' a\nb '],
    ['remark', '""', ''],
    ['clean', 'false', false],
    ['mode', '0', 'fast'],
    ['mode', '2', null],
    ['mode', '3', { slow: true }],
    ['doses', '1\n2.5\n', [1, 2.5]],
    ['doses', '[1, 2.5]', [1, 2.5]],
    ['labels', 'a b\n""\n c', ['a b', '', ' c']],
    ['labels', '["[x]"]', ['[x]']],
    ['labels', '[]', []],
    ['flags', 'true\nfalse', [true, false]],
    ['steps', '[{"a": 1}]', [{ a: 1 }]],
    ['picks', '[1, "x", null]', [1, 'x', null]],
    ['settings', '{"ph": 7}', { ph: 7 }],
    ['speed', '\u22125', -5],
  ])('is read: %s from %j', (name, text, value) => {
    expect(read(name, text)).toEqual(value);
  });

  it.each([
    ['cycles', '', 'missing', '', '', 0],
    ['cycles', '1.5', 'int', '1.5', '', 0],
    ['cycles', '0x10', 'int', '0x10', '', 0],
    ['cycles', '9007199254740993', 'inexact', '9007199254740993', '', 0],
    ['cycles', '0', 'below_min', '0', '1', 0],
    ['volume', '2,5', 'float', '2,5', '', 0],
    ['volume', '1e999', 'float', '1e999', '', 0],
    ['volume', '-0.1', 'below_min', '-0.1', '0 mL', 0],
    ['volume', '11', 'above_max', '11', '10.5 mL', 0],
    ['remark', '', 'missing', '', '', 0],
    ['clean', 'yes', 'bool', 'yes', '', 0],
    ['mode', '4', 'choice', '4', '', 0],
    ['mode', 'fast', 'choice', 'fast', '', 0],
    ['doses', '1', 'length', '1', '2', 0],
    ['doses', '1\nx', 'float', 'x', '', 2],
    ['doses', '1\n7', 'above_max', '7', '6', 2],
    ['doses', '[1, "2"]', 'float', '"2"', '', 2],
    ['labels', '["a", 1]', 'str', '1', '', 2],
    ['flags', 'true\n\nfalse', 'bool', '', '', 2],
    ['steps', '{"a": 1}', 'list', '{"a": 1}', '', 0],
    ['steps', '[1]', 'object', '1', '', 1],
    ['settings', '[1]', 'object', '[1]', '', 0],
    ['settings', ' ', 'missing', '', '', 0],
  ])('is refused: %s from %j', (name, text, ...fault) => {
    expect(read(name, text)).toEqual(fault);
  });

  it('is told why it is no JSON, and is cut to its beginning', () => {
    expect(read('settings', '{')).toEqual(['json', expect.stringMatching(/./), '', 0]);
    expect(read('cycles', 'x'.repeat(60))).toEqual(['int', `${'x'.repeat(40)}...`, '', 0]);
  });

  it('is left out when its field is empty and may be', () => {
    expect(read('speed', '')).toBeUndefined();
    expect(readFields([fieldOf('speed')], new Map()).values).toEqual({});
  });

  it('may belong to a parameter with the name of a property of every object', () => {
    const [field] = fieldsOf({ constructor: { type: 'int', unit: 'n/a', desc: '' } }) ?? [];
    expect(readFields([field!], new Map()).faults.get('constructor')?.code).toBe('missing');
    expect(readFields([field!], new Map([['constructor', '1']])).values).toEqual({ constructor: 1 });
  });

  it('is accepted by the service when the page accepts it', () => {
    const texts = new Map<string, string>([
      ...([
        ['cycles', '20'],
        ['volume', '10.5'],
        ['remark', 'ok'],
        ['clean', 'true'],
        ['mode', '3'],
      ] as const),
      ...([
        ['doses', '0\n6'],
        ['labels', 'a\nb'],
        ['flags', 'false'],
        ['steps', '[{}]'],
      ] as const),
      ...([
        ['picks', '[null]'],
        ['settings', '{}'],
      ] as const),
    ]);
    const { values, faults } = readFields(fields, texts);
    expect(faults).toEqual(new Map());
    const checked = checkParameters(specs as unknown as ParameterSpecs, values);
    expect(checked).toEqual({ values: { ...values, speed: 300 }, faults: [] });
  });

  it('is what its own text says', () => {
    const given: Record<string, Value> = {
      ...{ cycles: 3, volume: 0.1, remark: '', clean: false, mode: { slow: true }, doses: [1, 2] },
      ...{ labels: ['"', '\n'], flags: [true], steps: [{}], picks: [[1]], settings: { a: [1] }, speed: -1 },
    };
    const texts = new Map(fields.map((field) => [field.name, textOf(field, given[field.name] ?? null)]));
    expect(readFields(fields, texts)).toEqual({ values: given, faults: new Map() });
    expect([textOf(fieldOf('mode'), 'none'), textOf(fieldOf('remark'), 1)]).toEqual(['', '']);
  });
});

describe('a fault that the service found', () => {
  const at = (path: string, message = 'is wrong', hint?: string) => ({
    ...{ path, code: 'type', message },
    ...(hint === undefined ? {} : { hint }),
  });

  it('stands at its field, with its place inside the value', () => {
    const { fields: found, others } = faultsByField(
      [at('outputs.cycles', 'must be an integer', 'write 7'), at('outputs.doses[1]'), at('outputs.doses')],
      fields,
      'outputs',
    );
    expect(others).toEqual([]);
    expect([...found]).toEqual([
      ['cycles', 'Must be an integer; write 7.'],
      ['doses', '[1]: is wrong. Is wrong.'],
    ]);
  });

  it('of something else stays a fault of the request', () => {
    const faults = [at('outputs.cycles_more'), at('note'), at('cycles')];
    expect(faultsByField(faults, fields, 'outputs')).toEqual({ fields: new Map(), others: faults });
  });

  it('is found in a body that consists of the values', () => {
    expect([...faultsByField([at('cycles')], fields, '').fields.keys()]).toEqual(['cycles']);
  });
});
