import type { JsonObject } from '@lab/contracts';
import type { ParameterSpecs } from '@lab/definitions/model';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/index.js';
import { SmallLab } from '../small-lab.js';

/** A lab whose arm is a water bath with a twin. */
function bathLab(): SmallLab {
  const device = { kind: 'specific', lab_name: 'lab', name: 'arm', hold: false } as const;
  const lab = new SmallLab().with('warming', [
    {
      name: 'warm',
      seconds: 5,
      devices: { bath: device },
      inputs: { target: { type: 'float', unit: 'C', desc: '', value: 40 } },
      parameters: { target: { kind: 'literal', value: 40 } },
      outputs: { temperature: { type: 'float', unit: 'C', desc: '' } },
    },
    { name: 'stir', seconds: 3, needs: ['warm'], devices: { bath: device } },
  ] as Parameters<SmallLab['with']>[1]);
  const init_parameters: JsonObject = {
    functions: {
      set_target: { kind: 'idempotent', twin: { sets: { target: '{target}' } } },
      fill: { twin: { takes: 2, answers: { level: '{volume}' } }, answer: { path: 'level' } },
      temperature: { kind: 'query' },
    },
    twin: { state: { temperature: 20, target: 20 }, follow: { temperature: { to: 'target', rate: 2 } } },
  };
  lab.loadedLabs.get('lab')!.devices['arm']!.init_parameters = init_parameters;
  return lab;
}

const heat = { task: 'warm', device: 'bath', function: 'set_target', arguments: { target: '{target}' } };
const calls = [
  { task: 'warm', device: 'bath', function: 'fill', arguments: { volume: 1.5 } },
  { ...heat, until: { temperature: '{target}' } },
];
const read = { task: 'warm', device: 'bath', function: 'temperature', output: 'temperature' };
const ports = { stopwatch: () => 0 };

async function lasted(scenario: object): Promise<Record<string, number>> {
  const { tasks } = await simulate(
    { protocols: [{ type: 'warming', iterations: 2, max_concurrent: 1 }], ...scenario } as never,
    bathLab(),
    ports,
  );
  return Object.fromEntries(tasks.map(({ label, start, end }) => [label, (end ?? 0) - (start ?? 0)]));
}

describe('a simulated task that calls the twin of a device', () => {
  it('lasts as long as its calls, from the state in which earlier tasks left the device', async () => {
    expect(await lasted({ calls })).toEqual({
      // 2 s to fill, and 10 s from 20 to 40 degrees.
      'warming_001/warm': 12,
      'warming_001/stir': 3,
      // The bath is warm.
      'warming_002/warm': 2,
      'warming_002/stir': 3,
    });
  });

  it('lasts as long as the scenario says, if it says so', async () => {
    expect(await lasted({ calls, durations: { warm: 7 } })).toMatchObject({ 'warming_001/warm': 7 });
  });

  it.each([
    ['after it is warm', [...calls, read], 'completed'],
    ['before it is warm', [read, ...calls], 'failed'],
  ])('gives later tasks what the twin returns, %s', async (_, made, state) => {
    const lab = bathLab();
    const { tasks, protocol } = lab.protocols.get('warming')!;
    const at: ParameterSpecs = { at: { type: 'float', unit: 'C', desc: '', min: 39 } };
    tasks['stir'] = { ...tasks['stir']!, input_parameters: at };
    protocol.tasks[1]!.parameters = { at: { kind: 'reference', task: 'warm', parameter: 'temperature' } };
    const scenario = { protocols: [{ type: 'warming' }], calls: made };
    const { tasks: found } = await simulate(scenario as never, lab, ports);
    expect(found.find(({ type }) => type === 'stir')?.state).toBe(state);
  });

  it.each([
    [{ ...heat, device: 'oven' }, 'calls[0].device', /warm has no device oven; it has bath/],
    [
      { ...heat, function: 'boil' },
      'calls[0].function',
      /lab\.arm declare no function boil; .*set_target, fill/,
    ],
    [
      { ...heat, until: { temperature: 80 } },
      'calls[0].until.temperature',
      /lab\.arm never reaches temperature 80/,
    ],
  ])('is refused with its path when it cannot be: %j', async (call, path, message) => {
    await expect(lasted({ calls: [call] })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path, message: expect.stringMatching(message) as string }],
    });
  });
});
