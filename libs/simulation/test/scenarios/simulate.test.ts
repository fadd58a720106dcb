import type { SimulationRecord, SimulationScenario } from '@lab/contracts';
import type { ParameterSpecs } from '@lab/definitions/model';
import { describe, expect, it } from 'vitest';
import { batch, SmallLab } from '../small-lab.js';
import { simulate } from '../../src/scenarios/simulate.js';

const play = (scenario: SimulationScenario, lab: SmallLab = batch()): Promise<SimulationRecord> =>
  simulate(scenario, lab, { stopwatch: () => 0 });
const startsOf = (record: SimulationRecord): Record<string, number | null> =>
  Object.fromEntries(record.tasks.map(({ label, start }) => [label, start]));
const unit = (record: SimulationRecord, name: string) => {
  const found = record.units.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no unit ${name}`);
  return found;
};

describe('a simulation', () => {
  it('starts every task at the same time as the engine', async () => {
    const record = await play({ protocols: [{ type: 'batch', iterations: 3 }] });
    expect(record.outcome).toBe('completed');
    expect(startsOf(record)).toEqual({
      'batch_001/load': 0,
      'batch_001/work': 2,
      'batch_001/unload': 7,
      'batch_002/load': 2,
      'batch_002/work': 4,
      'batch_002/unload': 10,
      // Both stations are kept until the first is unloaded. Then the free arm goes to the run that waited longest.
      'batch_003/load': 8,
      'batch_003/work': 10,
      'batch_003/unload': 15,
    });
    expect(record).toMatchObject({ makespan: 16, end: 16, tasks_total: 9, tasks_by_state: { completed: 9 } });
    expect(record.parallelism).toEqual({ max: 2, average: 24 / 16 });
    expect(record.protocol_runs.map(({ start, end }) => [start, end])).toEqual([
      [0, 8],
      [2, 11],
      [8, 16],
    ]);
  });

  it('records the use of each device', async () => {
    const record = await play({
      protocols: [{ type: 'batch' }],
      tasks: [{ type: 'rinse', duration: 3, devices: { cleaner: { lab_name: 'lab', name: 'station_2' } } }],
    });
    expect(unit(record, 'lab.arm').timeline).toEqual([
      { what: 'use', by: 'batch_001/load', start: 0, end: 2 },
      { what: 'use', by: 'batch_001/unload', start: 7, end: 8 },
    ]);
    expect(unit(record, 'lab.arm')).toMatchObject({ busy: 3, held: 0, utilisation: 0.375 });
    const stations = ['lab.station_1', 'lab.station_2'].map((name) => unit(record, name).busy);
    expect(stations.sort()).toEqual([3, 8]);
  });

  it('records why tasks waited', async () => {
    const record = await play({ protocols: [{ type: 'batch', iterations: 3 }] });
    const waited = Object.fromEntries(record.tasks.map(({ label, waited }) => [label, waited]));
    // Ready at 0. The arm serves others until 4, and both stations are kept or in use until 8.
    expect(waited['batch_003/load']).toEqual({
      dependency: 0,
      busy: 0,
      priority: 8,
      held: 0,
      no_device: 0,
      planned: 0,
    });
    expect(waited['batch_001/unload']?.dependency).toBe(7);
    expect(record.waiting.dependency).toBe(2 + 7 + 4 + 9 + 10 + 15);
  });

  it.each(['greedy', 'cpsat'] as const)(
    'under %s gives the same record for the same seed, and another one for another',
    async (type) => {
      const scenario: SimulationScenario = {
        scheduler: { type },
        protocols: [{ type: 'batch', iterations: 12, every: 3 }],
        failures: [{ task: 'work', probability: 0.3 }],
        jitter: 0.2,
        seed: 42,
      };
      const [first, again, other] = await Promise.all([
        play(scenario),
        play(scenario),
        play({ ...scenario, seed: 43 }),
      ]);
      expect(JSON.stringify(again)).toBe(JSON.stringify(first));
      expect(other.makespan).not.toBe(first.makespan);
      expect(first.tasks_by_state.failed).toBeGreaterThan(0);
      expect(first).toMatchObject({ scheduler: type, outcome: 'completed', events: [] });
    },
  );

  it('gives the same task the same random values, whatever happens around it', async () => {
    const long = (record: SimulationRecord): number[] =>
      record.tasks
        .filter(({ label }) => label.endsWith('/work'))
        .map(({ start, end }) => Math.round(((end ?? 0) - (start ?? 0)) * 1000));
    const scenario: SimulationScenario = {
      protocols: [{ type: 'batch', iterations: 5 }],
      jitter: 0.3,
      seed: 7,
    };
    const all = await play(scenario);
    const one = await play({ ...scenario, protocols: [{ type: 'batch', iterations: 5, max_concurrent: 1 }] });
    const planned = await play({ ...scenario, scheduler: { type: 'cpsat' } });
    expect(long(one)).toEqual(long(all));
    expect(long(planned)).toEqual(long(all));
    expect(new Set(long(all)).size).toBe(5);
    for (const ms of long(all)) expect(Math.abs(ms - 5000)).toBeLessThanOrEqual(1500);
  });

  it('respects the limit of concurrent runs, and lets them arrive in order', async () => {
    const few = await play({ protocols: [{ type: 'batch', iterations: 3, max_concurrent: 1, at: 1 }] });
    expect(few.protocol_runs.map(({ start, end }) => [start, end])).toEqual([
      [1, 9],
      [9, 17],
      [17, 25],
    ]);
    const late = await play({ protocols: [{ type: 'batch', iterations: 2, at: 5, every: 100 }] });
    expect(late.protocol_runs.map(({ submitted }) => submitted)).toEqual([5, 105]);
    expect(late).toMatchObject({ makespan: 108, end: 113 });
  });

  it('simulates campaigns as the engine runs them', async () => {
    const record = await play({
      campaigns: [{ protocol: 'batch', max_protocol_runs: 4, max_concurrent_protocol_runs: 2 }],
    });
    expect(record.protocol_runs.map(({ campaign, state }) => [campaign, state])).toEqual(
      Array(4).fill(['batch_campaign_001', 'completed']),
    );
    expect(record.outcome).toBe('completed');
    expect(record.parallelism.max).toBe(2);
  });

  it('starts work of a higher priority first', async () => {
    const record = await play({
      protocols: [
        { type: 'batch', iterations: 3 },
        { type: 'batch', iterations: 1, priority: 5, at: 1 },
      ],
    });
    const urgent = record.protocol_runs.find(({ priority }) => priority === 5);
    expect(urgent?.start).toBe(2);
  });

  it('uses the most specific duration', async () => {
    const record = await play({
      protocols: [{ type: 'batch', iterations: 2, max_concurrent: 1 }],
      durations: { work: 10, 'batch.work': 20, 'batch_002/work': 30 },
    });
    const ends = record.protocol_runs.map(({ start, end }) => (end ?? 0) - (start ?? 0));
    expect(ends).toEqual([23, 33]);
  });

  it('takes the duration of a task from its parameter', async () => {
    const lab = new SmallLab().with('warm', [
      {
        name: 'warm',
        seconds: 1,
        parameters: { minutes: { kind: 'dynamic' } },
        inputs: { minutes: { type: 'float', desc: '', unit: 'min' } },
      },
    ]);
    const scenario = (paces: SimulationScenario['paces'], durations = {}): SimulationScenario => ({
      protocols: [2, 5].map((minutes) => ({ type: 'warm', parameters: { warm: { minutes } } })),
      ...{ paces, durations },
    });
    const endsOf = async (asked: SimulationScenario) =>
      (await play(asked, lab)).protocol_runs.map(({ end }) => end);
    const slow = { task: 'warm', parameter: 'minutes', each: 60, base: 10 };
    expect(await endsOf(scenario([slow]))).toEqual([130, 310]);
    expect(await endsOf(scenario([slow, { ...slow, task: 'warm_002/warm', each: 1 }]))).toEqual([130, 15]);
    expect(await endsOf(scenario([slow], { warm: 7 }))).toEqual([7, 7]);
    // Nobody says what a parameter without a number means.
    expect(await endsOf(scenario([{ ...slow, parameter: 'hours' }]))).toEqual([1, 1]);
  });

  it('fails attempts, and repeats them where this is safe', async () => {
    const retry = { retry: { attempts: 50, backoff: 1 } };
    const scenario: SimulationScenario = {
      protocols: [{ type: 'batch', iterations: 20 }],
      failures: [{ task: 'work', probability: 0.4 }],
      seed: 3,
    };
    const acted = await play(scenario, batch(retry));
    expect(acted.tasks_by_state.failed).toBeGreaterThan(2);
    expect(acted.protocol_runs.some(({ state }) => state === 'failed')).toBe(true);
    const failures = [{ task: 'work', probability: 0.4, effects: false }];
    const idle = await play({ ...scenario, failures }, batch(retry));
    expect(idle.tasks_by_state).toEqual({ completed: 60 });
    expect(Math.max(...idle.tasks.map(({ attempts }) => attempts))).toBeGreaterThan(1);
  });

  it('simulates devices that are temporarily broken', async () => {
    const record = await play({
      protocols: [{ type: 'batch', iterations: 2 }],
      losses: [{ device: 'lab.arm', at: 0, for: 50 }],
    });
    expect(record.outcome).toBe('completed');
    expect(unit(record, 'lab.arm')).toMatchObject({ out: 50 });
    expect(record.tasks[0]).toMatchObject({ start: 50, waited: { no_device: 50 } });
    expect(record.events.map(({ at, what, subject }) => [at, what, subject])).toEqual([
      [0, 'device lost', 'lab.arm'],
      [50, 'device back', 'lab.arm'],
    ]);
  });

  it('fails the attempt that uses a lost device', async () => {
    const record = await play({
      protocols: [{ type: 'batch' }],
      losses: [{ device: 'lab.arm', at: 1, for: 1 }],
    });
    expect(record.tasks[0]).toMatchObject({ label: 'batch_001/load', state: 'failed', start: 0, end: 1 });
    expect(record.protocol_runs[0]?.state).toBe('failed');
  });

  it('lists stuck work with the reasons', async () => {
    const lost = await play({
      protocols: [{ type: 'batch' }],
      losses: [{ device: 'lab.arm', at: 4 }],
    });
    expect(lost.outcome).toBe('stuck');
    expect(lost.stuck.map(({ task }) => task)).toEqual(['batch_001/unload']);
    expect(lost.stuck[0]?.waits_for.join()).toContain('lab.arm');
    const asked = await play(
      { protocols: [{ type: 'batch' }], failures: [{ task: 'work', probability: 1 }] },
      batch({ on_failure: 'ask' }),
    );
    expect(asked.outcome).toBe('stuck');
    expect(asked.stuck).toEqual([
      { task: 'batch_001/work', waits_for: [expect.stringContaining('a person') as string] },
    ]);
  });

  it('ends at its horizon', async () => {
    const record = await play({ protocols: [{ type: 'batch' }], horizon: 3 });
    expect(record).toMatchObject({ outcome: 'horizon', tasks_by_state: { running: 1 } });
    expect(unit(record, 'lab.arm').timeline.at(-1)).toMatchObject({ end: 2 });
  });

  it('makes values that satisfy all references', async () => {
    const number = (min: number, max: number): ParameterSpecs => ({
      x: { type: 'float', desc: '', unit: 'n/a', min, max },
    });
    const lab = new SmallLab().with('hand_on', [
      {
        name: 'first',
        seconds: 1,
        inputs: number(-5, 5),
        outputs: number(0, 100),
        parameters: { x: { kind: 'dynamic' } },
      },
      {
        name: 'second',
        seconds: 1,
        needs: ['first'],
        inputs: number(40, 60),
        parameters: { x: { kind: 'reference', task: 'first', parameter: 'x' } },
      },
    ]);
    const record = await play({ protocols: [{ type: 'hand_on', iterations: 2 }] }, lab);
    expect(record.tasks_by_state).toEqual({ completed: 4 });
  });

  it('is aborted on request', async () => {
    let asked = 0;
    const ports = { stopwatch: () => 0, shouldStop: () => (asked += 1) > 5 };
    await expect(
      simulate({ protocols: [{ type: 'batch', iterations: 9 }] }, batch(), ports),
    ).rejects.toMatchObject({ code: 'aborted', effect: 'none' });
  });
});

describe('a scenario', () => {
  const faultsOf = async (scenario: SimulationScenario, maxTasks?: number): Promise<string[]> => {
    const options = maxTasks === undefined ? {} : { maxTasks };
    try {
      await simulate(scenario, batch(), { stopwatch: () => 0 }, options);
      return [];
    } catch (error) {
      const { faults } = error as { faults: { path: string; code: string; hint?: string }[] };
      return faults.map(({ path, code, hint }) => [path, code, hint].filter(Boolean).join(' '));
    }
  };

  it.each<[string, SimulationScenario, RegExp]>([
    ['nothing', {}, /^ empty|^empty/],
    [
      'an unknown protocol',
      { protocols: [{ type: 'bacth' }] },
      /^protocols\[0\]\.type unknown_protocol .*batch/,
    ],
    ['an unknown task type', { tasks: [{ type: 'rins' }] }, /^tasks\[0\]\.type unknown_task_type .*rinse/],
    ['an unknown laboratory', { labs: ['lap'] }, /^labs\[0\] unknown_lab .*lab/],
    [
      'an unknown device',
      { protocols: [{ type: 'batch' }], losses: [{ device: 'lab.am', at: 0 }] },
      /^losses\[0\]\.device unknown_device .*lab\.arm/,
    ],
    ['a slot that is not filled', { tasks: [{ type: 'rinse' }] }, /^tasks\[0\]\.devices/],
    [
      'parameters that are not there',
      { protocols: [{ type: 'batch', parameters: { load: { x: 1 } } }] },
      /^protocols\[0\]\.parameters\.load/,
    ],
  ])('with %s is refused, with its path', async (_name, scenario, expected) => {
    expect((await faultsOf(scenario))[0]).toMatch(expected);
  });

  it('with too many tasks is refused', async () => {
    expect((await faultsOf({ protocols: [{ type: 'batch', iterations: 4 }] }, 11))[0]).toContain('too_large');
    expect(await faultsOf({ protocols: [{ type: 'batch', iterations: 4 }] }, 12)).toEqual([]);
  });

  it('is counted before its submissions are made', async () => {
    const many = Array.from({ length: 1_000 }, () => ({ type: 'batch', iterations: 100_000 }));
    const faults = await faultsOf({
      protocols: many,
      campaigns: [{ protocol: 'batch', max_protocol_runs: 100_000 }],
    });
    expect(faults).toEqual([expect.stringContaining('too_large')]);
  });
});
