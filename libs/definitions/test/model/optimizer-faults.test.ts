import type { JsonObject } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { declaredBounds, optimizerFaults, type MadeOptimizer } from '../../src/model/optimizer-faults.js';
import type { ParameterSpecs, ProtocolSnapshot } from '../../src/model/types.js';

const inputs: ParameterSpecs = {
  volume: { type: 'float', unit: 'ml', desc: '', min: 0, max: 10 },
  turns: { type: 'int', unit: 'n/a', desc: '', min: 1, max: 20 },
  solvent: { type: 'choice', choices: ['water', 'ethanol'], desc: '' },
  label: { type: 'str', desc: '' },
  points: { type: 'list', element_type: 'float', desc: '' },
};
const snapshot: ProtocolSnapshot = {
  hash: 'h',
  protocol: {
    type: 'mixing',
    desc: '',
    labs: [],
    resources: {},
    tasks: [
      {
        name: 'mix',
        type: 'mix',
        desc: '',
        duration: 1,
        group: null,
        devices: {},
        resources: {},
        parameters: Object.fromEntries(Object.keys(inputs).map((name) => [name, { kind: 'dynamic' }])),
        dependencies: [],
      },
    ],
  },
  tasks: {
    mix: {
      type: 'mix',
      desc: '',
      devices: {},
      input_parameters: inputs,
      output_parameters: { loss: { type: 'float', unit: 'n/a', desc: '' }, note: { type: 'str', desc: '' } },
      input_resources: {},
      output_resources: {},
      isolation: 'single_use',
      module: { hash: 'h', package: 'p', source: 's' },
    },
  },
};

/** The optimizer of overridden inputs, which also name what it proposes. */
const overridden = (...entries: JsonObject[]): MadeOptimizer => ({
  input_names: entries.map(({ key }) => String(key)),
  output_names: ['mix.loss'],
  additional_names: [],
  arguments: { inputs: entries },
  overrides: { inputs: entries },
});
const faultsOf = (...entries: JsonObject[]) => optimizerFaults(snapshot, overridden(...entries));
const at = 'meta.optimizer_overrides.inputs[0]';

describe('the inputs of an optimizer', () => {
  it.each<[string, JsonObject]>([
    ['bounds within the limits of a float', { key: 'mix.volume', bounds: [0, 10] }],
    ['values of a float', { key: 'mix.volume', values: [0, 2.5, 10] }],
    ['fractional bounds of an integer', { key: 'mix.turns', bounds: [0.5, 20.5] }],
    ['whole steps of an integer', { key: 'mix.turns', bounds: [1, 19], step: 2 }],
    ['categories that are choices', { key: 'mix.solvent', categories: ['ethanol', 'water'] }],
    ['texts for a string', { key: 'mix.label', values: ['a', 'b'] }],
  ])('may be %s', (_, entry) => {
    expect(faultsOf(entry)).toEqual([]);
  });

  it.each<[string, JsonObject, object]>([
    [
      'bounds outside of the limits',
      { key: 'mix.volume', bounds: [-1, 12] },
      { path: `${at}.bounds`, code: 'bounds', hint: 'use [0, 10]' },
    ],
    [
      'bounds of an integer outside of its limits',
      { key: 'mix.turns', bounds: [1, 21] },
      { path: `${at}.bounds`, code: 'bounds', hint: 'use [1, 20]' },
    ],
    [
      'bounds without two integers',
      { key: 'mix.turns', bounds: [1.2, 2.8] },
      { path: `${at}.bounds`, code: 'bounds', hint: expect.stringContaining('widen the bounds') },
    ],
    [
      'steps of an integer that are not integers',
      { key: 'mix.turns', bounds: [1, 3], step: 0.5 },
      { path: `${at}.step`, code: 'step', hint: expect.stringContaining('leave the step out') },
    ],
    [
      'values outside of the limits',
      { key: 'mix.volume', values: [1, 11] },
      {
        path: `${at}.values[1]`,
        code: 'above_max',
        hint: 'remove it, or use a value of type float from 0 to 10',
      },
    ],
    [
      'fractions as values of an integer',
      { key: 'mix.turns', values: [1, 2.5] },
      { path: `${at}.values[1]`, code: 'type', hint: expect.stringContaining('of type int from 1 to 20') },
    ],
    [
      'categories that are no choices',
      { key: 'mix.solvent', categories: ['water', 'acetone'] },
      {
        path: `${at}.categories[1]`,
        code: 'not_a_choice',
        hint: expect.stringContaining('"water", "ethanol"'),
      },
    ],
    [
      'bounds of a choice',
      { key: 'mix.solvent', bounds: [0, 1] },
      { path: `${at}.bounds`, code: 'type', hint: 'give a list of values instead of bounds' },
    ],
    [
      'a parameter that is a list',
      { key: 'mix.points', bounds: [0, 1] },
      { path: `${at}.key`, code: 'type', hint: expect.stringContaining('global_parameters') },
    ],
    [
      'an unknown parameter',
      { key: 'mix.volme', bounds: [0, 1] },
      { path: `${at}.key`, code: 'unknown_input', hint: 'did you mean "mix.volume"?' },
    ],
  ])('may not be %s', (_, entry, fault) => {
    expect(faultsOf(entry)).toMatchObject([fault]);
  });

  it('are checked where the package declares them, with the place in the package', () => {
    const made: MadeOptimizer = {
      input_names: ['mix.volume', 'mix.x'],
      output_names: ['mix.note'],
      additional_names: [],
      arguments: { inputs: [{ kind: 'continuous', key: 'mix.volume', bounds: [0, 11] }], outputs: 3 },
    };
    expect(optimizerFaults(snapshot, made).map(({ path }) => path)).toEqual([
      'optimizer.input_names[1]',
      'optimizer.output_names[0]',
      'optimizer.arguments.inputs[0].bounds',
    ]);
  });

  it('may have any form in an optimizer of its own', () => {
    const made = {
      ...overridden({ key: 'mix.volume' }),
      arguments: { inputs: { volume: [1, 2] } },
      overrides: {},
    };
    expect(optimizerFaults(snapshot, made)).toEqual([]);
    expect(declaredBounds(made, 'mix.volume')).toEqual([-Infinity, Infinity]);
  });
});

it('names the overridden output that no task gives', () => {
  const made = {
    ...overridden({ key: 'mix.volume', bounds: [0, 1] }),
    output_names: ['mix.los'],
  };
  const outputs = [{ key: 'mix.los', objective: { kind: 'minimize', weight: 1 } }];
  expect(optimizerFaults(snapshot, { ...made, overrides: { outputs } })).toMatchObject([
    {
      path: 'meta.optimizer_overrides.outputs[0].key',
      code: 'unknown_output',
      hint: 'did you mean "mix.loss"?',
    },
  ]);
});
