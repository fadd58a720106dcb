import { describe, expect, it } from 'vitest';
import { byTask, csvOf, dynamicFieldsOf, tableOf, tableOfRuns, taskFormOf, valuesOf } from '../src/index.js';

const mix = {
  devices: { station: { type: 'color_station' } },
  input_resources: { beaker: { type: 'beaker' } },
  input_parameters: {
    volume: { type: 'float', desc: 'How much', unit: 'ml', min: 0, max: 10 },
    speed: { type: 'int', desc: 'How fast', unit: 'rpm', value: 200 },
  },
};
const protocol = {
  tasks: [
    {
      name: 'first',
      type: 'mix',
      parameters: { volume: { kind: 'dynamic' }, speed: { kind: 'fixed', value: 3 } },
    },
    { name: 'second', type: 'mix', parameters: { speed: { kind: 'dynamic' } } },
    { name: 'third', type: 'wait', parameters: { seconds: { kind: 'dynamic' } } },
  ],
};

describe('the form of a task type', () => {
  it('asks for its parameters, devices and resources', () => {
    const form = taskFormOf(mix);
    expect(form?.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['volume', true],
      ['speed', false],
    ]);
    expect(form?.devices).toEqual([{ name: 'station', type: 'color_station' }]);
    expect(form?.resources).toEqual([{ name: 'beaker', type: 'beaker' }]);
  });

  it('is none for a definition that cannot be understood', () => {
    expect(taskFormOf({ input_parameters: 3 })).toBeUndefined();
    expect(taskFormOf({})).toEqual({ fields: [], devices: [], resources: [] });
  });
});

describe('the form of a protocol', () => {
  const fields = (isRequired: boolean) => dynamicFieldsOf(protocol, new Map([['mix', mix]]), isRequired);

  it('asks for the values that the protocol leaves open, also where the task type has one', () => {
    expect(fields(true).map(({ name, kind, unit, isRequired }) => [name, kind, unit, isRequired])).toEqual([
      ['first.volume', 'float', 'ml', true],
      ['second.speed', 'int', 'rpm', true],
      // The definition of the type "wait" cannot be read: any value may be given.
      ['third.seconds', 'any', undefined, true],
    ]);
  });

  it('needs none of them in a campaign, whose rows or optimizer may give them', () => {
    expect(fields(false).every(({ isRequired }) => !isRequired)).toBe(true);
  });

  it('has no fields without a definition', () => {
    expect(dynamicFieldsOf(undefined, new Map(), true)).toEqual([]);
  });
});

describe('values', () => {
  it('are grouped by task, and come back by field', () => {
    const parameters = byTask({ 'first.volume': 2, 'second.speed': 7, 'first.a.b': true });
    expect(parameters).toEqual({ first: { volume: 2, 'a.b': true }, second: { speed: 7 } });
    const base = { name: 'a', type: 'b' };
    expect(valuesOf('run', { ...base, parameters })).toEqual({
      'first.volume': 2,
      'second.speed': 7,
      'first.a.b': true,
    });
    expect(valuesOf('task', { ...base, input_parameters: { volume: 1 } })).toEqual({ volume: 1 });
    expect(valuesOf('campaign', base)).toEqual({});
  });

  it('of earlier runs become cells, also where a run gives fewer', () => {
    const runs: Record<string, Record<string, unknown>>[] = [
      { first: { volume: 1.5, note: 'a, b' } },
      { first: { volume: 2 }, second: { list: [1] } },
    ];
    expect(tableOfRuns(runs)).toEqual([
      ['first.volume', 'first.note', 'second.list'],
      ['1.5', 'a, b', ''],
      ['2', '', '[1]'],
    ]);
    expect(tableOf(csvOf(tableOfRuns(runs)), 10)).toEqual(tableOfRuns(runs));
  });

  it('of rows keep their cells on the way from a spreadsheet to the service', () => {
    const rows = [
      ['a.b', 'c'],
      ['1,5', 'say "hi"'],
    ];
    expect(tableOf(csvOf(rows), 10)).toEqual(rows);
  });
});
