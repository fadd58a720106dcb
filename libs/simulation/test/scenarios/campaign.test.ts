import type { LabSchedule, Trial } from '@lab/contracts';
import type { Optimizers } from '@lab/engine';
import { expect, it } from 'vitest';
import { SmallLab } from '../small-lab.js';
import { type CampaignRules, playCampaign } from '../../src/scenarios/campaign.js';

/** Stirs for as long as its parameter says, on one of the two stations. */
const lab = (): SmallLab => {
  const stirring = new SmallLab().with('stir', [
    {
      name: 'stir',
      seconds: 5,
      devices: {
        station: {
          kind: 'dynamic',
          device_type: 'station',
          allowed_labs: null,
          allowed_devices: null,
          hold: false,
        },
      },
      parameters: { time: { kind: 'dynamic' } },
      inputs: { time: { type: 'float', desc: '', unit: 's', min: 0, max: 100 } },
      outputs: { loss: { type: 'float', desc: '', unit: 'n/a' } },
    },
  ]);
  stirring.protocols.get('stir')!.protocol.optimizer = { hash: 'o', package: 'p', source: 'optimizer.ts' };
  return stirring;
};

/** Proposes 10 s, 20 s, 30 s and so on. */
function counting(schedules: (LabSchedule | undefined)[], told: Trial[]): Optimizers {
  return {
    describe: () =>
      Promise.resolve({
        ...{ input_names: ['stir.time'], output_names: ['stir.loss'], additional_names: [], fields: [] },
        ...{ runtime_params: { batch: 'schedule_aware' }, arguments: {} },
      }),
    open: () =>
      Promise.resolve({
        ...{ id: 'session', worker: 'worker' },
        tell: (trials) => Promise.resolve(void told.push(...trials)),
        propose: (runs, _insights, schedule) => {
          schedules.push(schedule);
          const trials = runs.map(({ number, run }): Trial => ({
            ...{ number, run, source: 'optimizer', state: 'proposed', inputs: { 'stir.time': 10 * number } },
            ...{ outputs: null, additional: {}, note: {} },
          }));
          return Promise.resolve({ trials, insights_used: [] });
        },
        configure: (params) => Promise.resolve(params),
        best: () => Promise.resolve([]),
        explain: () => Promise.resolve(null),
        close: () => Promise.resolve(),
        onLost: () => undefined,
      }),
    onArrival: () => () => undefined,
  };
}

it('plays a campaign whose inputs decide durations and results', async () => {
  const schedules: (LabSchedule | undefined)[] = [];
  const told: Trial[] = [];
  const rules: CampaignRules = {
    optimizers: counting(schedules, told),
    secondsOf: (_task, inputs) => Number(inputs['stir.time']),
    outputsOf: (_task, inputs) => ({ loss: Number(inputs['stir.time']) ** 2 }),
    ...{ until: 65, jitter: 0, seed: 1, scheduler: {} },
  };
  const { outcome, runs } = await playCampaign(
    {
      ...{ name: 'c', protocol: 'stir', optimize: true },
      ...{ max_protocol_runs: 0, max_concurrent_protocol_runs: 2 },
    },
    lab(),
    { stopwatch: () => 0 },
    rules,
  );
  expect(outcome).toBe('horizon');
  expect(
    runs.filter(({ end }) => end !== null).map(({ start, end, outputs }) => [start, end, outputs]),
  ).toEqual([
    [0, 10, { 'stir.loss': 100 }],
    [0, 20, { 'stir.loss': 400 }],
    [10, 40, { 'stir.loss': 900 }],
    [20, 60, { 'stir.loss': 1600 }],
  ]);
  expect(told.find(({ number, state }) => number === 3 && state === 'measured')?.durations).toEqual({
    stir: 30,
  });
  expect(schedules.at(-1)?.work).toHaveLength(2);
});
