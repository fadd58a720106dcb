import { describe, expect, it } from 'vitest';
import { readBinding } from '../../src/model/bindings.js';
import { checkRunParameters, dynamicParameters } from '../../src/model/run-parameters.js';
import type { ProtocolSnapshot, TaskDefinition } from '../../src/model/types.js';

const mix: TaskDefinition = {
  type: 'mix_type',
  desc: '',
  devices: {},
  input_parameters: {
    volume: { type: 'float', unit: 'ml', desc: '', min: 0, max: 5 },
    speed: { type: 'int', unit: 'rpm', desc: '', value: 10 },
    note: { type: 'str', desc: '', value: '' },
  },
  output_parameters: {},
  input_resources: {},
  output_resources: {},
  isolation: 'single_use',
  module: { hash: 'h', package: 'p', source: 's' },
};
const task = {
  type: 'mix_type',
  desc: '',
  duration: 1,
  group: null,
  devices: {},
  resources: {},
  dependencies: [],
};
const snapshot: ProtocolSnapshot = {
  hash: 'h',
  protocol: {
    type: 'protocol',
    desc: '',
    labs: [],
    resources: {},
    tasks: [
      {
        ...task,
        name: 'mix',
        parameters: {
          volume: { kind: 'dynamic' },
          speed: { kind: 'dynamic' },
          note: { kind: 'literal', value: 'x' },
        },
      },
      { ...task, name: 'fixed', parameters: { volume: { kind: 'literal', value: 1 } } },
    ],
  },
  tasks: { mix_type: mix },
};

describe('the parameters of a run', () => {
  it('are listed with their specifications where the protocol leaves them open', () => {
    expect(
      dynamicParameters(snapshot).map(({ task: name, parameter, spec }) => [name, parameter, spec.type]),
    ).toEqual([
      ['mix', 'volume', 'float'],
      ['mix', 'speed', 'int'],
    ]);
  });

  it('are exactly the dynamic parameters', () => {
    expect(checkRunParameters(snapshot, { mix: { volume: 2, speed: 3 } })).toEqual([]);
  });

  it('include every dynamic parameter, also one whose type has a default', () => {
    const faults = checkRunParameters(snapshot, {});
    expect(faults.map(({ path, code }) => [path, code])).toEqual([
      ['parameters.mix.volume', 'missing_parameter'],
      ['parameters.mix.speed', 'missing_parameter'],
    ]);
  });

  it('may be incomplete when values follow later', () => {
    expect(
      checkRunParameters(snapshot, { mix: { volume: 2 } }, { complete: false, path: 'global_parameters' }),
    ).toEqual([]);
  });

  it('are refused for unknown tasks, unknown names, fixed values and wrong values, all at once', () => {
    const faults = checkRunParameters(
      snapshot,
      { mxi: { volume: 1 }, mix: { volume: 9, speed: '3', volum: 1, note: 'y' }, fixed: { volume: 1 } },
      { path: 'protocol_run_parameters[3]' },
    );
    expect(faults.map(({ path, code, hint }) => [path, code, hint])).toEqual([
      ['protocol_run_parameters[3].mxi', 'unknown_task', 'did you mean "mix"?'],
      ['protocol_run_parameters[3].mix.volume', 'above_max', undefined],
      ['protocol_run_parameters[3].mix.speed', 'type', undefined],
      ['protocol_run_parameters[3].mix.volum', 'unknown_parameter', 'did you mean "volume"?'],
      [
        'protocol_run_parameters[3].mix.note',
        'not_dynamic',
        'only parameters that the protocol declares as svc_dynamic can be supplied',
      ],
      [
        'protocol_run_parameters[3].fixed.volume',
        'not_dynamic',
        'only parameters that the protocol declares as svc_dynamic can be supplied',
      ],
    ]);
  });
});

describe('readBinding', () => {
  const names = new Set(['mix']);
  it.each([
    ['svc_dynamic', { kind: 'dynamic' }],
    ['SVC_DYNAMIC', { kind: 'literal', value: 'SVC_DYNAMIC' }],
    ['mix.volume', { kind: 'reference', task: 'mix', parameter: 'volume' }],
    ['other.volume', { kind: 'literal', value: 'other.volume' }],
    ['mix.', { kind: 'literal', value: 'mix.' }],
    ['\\mix.volume', { kind: 'literal', value: 'mix.volume' }],
    ['\\\\mix.volume', { kind: 'literal', value: '\\mix.volume' }],
    ['\\svc_dynamic', { kind: 'literal', value: 'svc_dynamic' }],
    ['\\\\server\\share', { kind: 'literal', value: '\\\\server\\share' }],
    [3.5, { kind: 'literal', value: 3.5 }],
    [['mix.volume'], { kind: 'literal', value: ['mix.volume'] }],
  ])('reads %j as %j', (entry, binding) => {
    expect(readBinding(entry, names)).toEqual(binding);
  });
});
