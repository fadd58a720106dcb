import type { ProtocolSnapshot, TaskDefinition } from '@lab/definitions/model';
import { describe, expect, it } from 'vitest';
import { protocolText } from '../../src/work/protocol-text.js';

const mix: TaskDefinition = {
  type: 'mix',
  desc: 'Doses and stirs',
  devices: {},
  input_parameters: {
    volume: { type: 'float', unit: 'ml', desc: 'Of the paste', min: 0, max: 10 },
    mode: { type: 'choice', choices: ['slow', 'fast'], desc: '' },
    seen: { type: 'list', element_type: 'float', desc: '' },
  },
  output_parameters: { level: { type: 'float', unit: 'ml', desc: 'In the beaker' } },
  input_resources: {},
  output_resources: {},
  isolation: 'single_use',
  module: { hash: 'h', package: 'p', source: 's' },
};
const task = (
  name: string,
  dependencies: string[],
  desc = '',
): ProtocolSnapshot['protocol']['tasks'][number] => ({
  name,
  type: 'mix',
  desc,
  duration: 1,
  group: null,
  devices: {},
  resources: {},
  parameters: {
    volume: { kind: 'dynamic' },
    mode: { kind: 'literal', value: 'slow' },
    ...(dependencies.length === 0
      ? {}
      : { seen: { kind: 'reference', task: 'first', parameter: 'level' } as const }),
  },
  dependencies,
});
const snapshot = (tasks: ProtocolSnapshot['protocol']['tasks']): ProtocolSnapshot => ({
  hash: 'h',
  protocol: { type: 'paint', desc: 'Mixes twice', labs: [], resources: {}, tasks },
  tasks: { mix },
});

describe('the text of a protocol for a language model', () => {
  it('lists its tasks in order, with their inputs and outputs', () => {
    expect(protocolText(snapshot([task('first', []), task('second', ['first'], 'Once more')]))).toBe(
      [
        'paint: Mixes twice',
        '- first (mix): Doses and stirs',
        '  takes first.volume (float ml from 0 to 10): Of the paste',
        '  takes first.mode (one of ["slow","fast"], here "slow")',
        '  takes first.seen (list of float)',
        '  gives first.level (float ml): In the beaker',
        '- second (mix, after first): Doses and stirs. Once more',
        '  takes second.volume (float ml from 0 to 10): Of the paste',
        '  takes second.mode (one of ["slow","fast"], here "slow")',
        '  takes second.seen (list of float, here first.level)',
        '  gives second.level (float ml): In the beaker',
      ].join('\n'),
    );
  });

  it('begins with the values of the campaign, and shows the defaults that are used', () => {
    const { volume: _open, ...parameters } = task('first', []).parameters;
    const type: TaskDefinition = {
      ...mix,
      input_parameters: {
        ...mix.input_parameters,
        volume: { type: 'float', unit: 'ml', desc: 'Of the paste', value: 2.5 },
      },
    };
    const text = protocolText(
      { ...snapshot([{ ...task('first', []), parameters }]), tasks: { mix: type } },
      {
        score: { target: [47, 105, 155], robot: { ip: '10.0.0.1', api_key: 'sk-1' }, vendor_api_key: 'sk-2' },
      },
    );
    expect(text.split('\n').slice(0, 6)).toEqual([
      'paint: Mixes twice',
      '- given: score.target is [47,105,155]',
      '- given: score.robot is {"ip":"10.0.0.1","api_key":"***"}',
      '- given: score.vendor_api_key is ***',
      '- first (mix): Doses and stirs',
      '  takes first.volume (float ml, here 2.5): Of the paste',
    ]);
  });

  it('shortens a long value', () => {
    const [, line] = protocolText(snapshot([]), { a: { path: 'x'.repeat(1_000) } }).split('\n');
    expect(line).toHaveLength('- given: a.path is '.length + 200);
  });

  it('has a limited length', () => {
    const text = protocolText(snapshot(Array.from({ length: 100 }, (_, n) => task(`t${n}`, []))));
    expect(text).toHaveLength(12_000);
    expect(text.endsWith(' ...')).toBe(true);
  });
});
