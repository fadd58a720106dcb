import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CampaignSubmission,
  Problem,
  ProtocolRunRecord,
  SchedulerType,
  SimulationRecord,
  SimulationScenario,
  WhatIfRecord,
} from '@lab/contracts';
import { loadPackages } from '@lab/definitions';
import { simulate } from '@lab/simulation';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/** A campaign on the real service, and the same campaign simulated with the durations that were recorded. */

const path = (name: string): string => fileURLToPath(new URL(`../lab-packages/${name}`, import.meta.url));
/**
 * Two runs at a time want the arm and the cleaning station at clearly different moments. With three, a busy machine can
 * decide who is first by the time that the service takes between tasks, which the simulation does not have.
 */
const runsInAll = 4;
const runsAtOnce = 2;
let lab: Lab;
let cacheDir: string;

beforeAll(async () => {
  [lab, cacheDir] = await Promise.all([
    startLab(['color_lab', 'multiplication_lab']),
    mkdtemp(join(tmpdir(), 'simulation-')),
  ]);
});
afterAll(async () => {
  await lab?.stack.dispose();
  await rm(cacheDir, { recursive: true, force: true });
});

interface Use {
  label: string;
  device: string;
  start: number;
}

/** The tasks that used each device, in the order of their start. */
function orders(uses: Use[]): Record<string, string[]> {
  const byDevice: Record<string, Use[]> = {};
  for (const use of uses) (byDevice[use.device] ??= []).push(use);
  return Object.fromEntries(
    Object.entries(byDevice).map(([device, all]) => [
      device,
      all.sort((a, b) => a.start - b.start).map(({ label }) => label),
    ]),
  );
}

describe('a recorded campaign', () => {
  it('has the same order on every device and the same makespan in the simulation', async () => {
    const sweep = JSON.parse(
      await readFile(path('color_lab/examples/sweep.json'), 'utf8'),
    ) as CampaignSubmission;
    const submission = {
      ...sweep,
      max_protocol_runs: runsInAll,
      max_concurrent_protocol_runs: runsAtOnce,
      protocol_run_parameters: sweep.protocol_run_parameters?.slice(0, runsInAll),
    };
    expect((await lab.api.submit('campaigns', submission)).status).toBe(201);
    const names = Array.from({ length: runsInAll }, (_, index) => `${sweep.name}_run_${index + 1}`);
    const runs: ProtocolRunRecord[] = [];
    // The last tasks are created only after the first ones have ended.
    await eventually(() => lab.api.campaign(sweep.name), isOver, 60_000);
    for (const name of names) runs.push(await lab.api.run(name));
    expect(runs.map(({ state }) => state)).toEqual(names.map(() => 'completed'));
    const recorded = runs.flatMap((run, index) =>
      run.tasks.map((task) => ({
        label: `${index + 1}/${task.name}`,
        start: Date.parse(task.started_at ?? ''),
        end: Date.parse(task.ended_at ?? ''),
        devices: Object.values(task.devices).map(({ lab_name, name }) => `${lab_name}.${name}`),
      })),
    );

    const catalog = await loadPackages({ userDir: path(''), cacheDir });
    const record = await simulate(
      {
        labs: ['color_lab'],
        campaigns: [
          {
            protocol: sweep.protocol,
            max_protocol_runs: runsInAll,
            max_concurrent_protocol_runs: runsAtOnce,
          },
        ],
        durations: Object.fromEntries(
          recorded.map(({ label, start, end }) => [
            `${sweep.protocol}_campaign_001_run_${label}`,
            (end - start) / 1000,
          ]),
        ),
      },
      {
        protocol: (type) => catalog.protocol(type),
        task: (type) => catalog.task(type),
        protocolTypes: () => catalog.protocolTypes(),
        taskTypes: () => catalog.taskTypes(),
        labs: () => catalog.labs(),
        deviceType: (type) => catalog.deviceType(type),
        takesWork: () => true,
      },
      { stopwatch: () => performance.now() },
    );

    expect(record.outcome).toBe('completed');
    const simulated = record.tasks.flatMap(({ label, devices, start }) =>
      Object.values(devices).map((device) => ({
        label: label.replace(/^.*_run_/, ''),
        device,
        start: start ?? NaN,
      })),
    );
    const real = recorded.flatMap(({ label, devices, start }) =>
      devices.map((device) => ({ label, device, start })),
    );
    expect(orders(simulated)).toEqual(orders(real));
    const makespan =
      (Math.max(...recorded.map(({ end }) => end)) - Math.min(...recorded.map(({ start }) => start))) / 1000;
    // The simulation has only the times of the tasks. Between them the service takes its own, more on a busy machine.
    expect(record.makespan).toBeLessThanOrEqual(makespan * 1.02);
    expect(record.makespan).toBeGreaterThanOrEqual(makespan * 0.9);
  }, 60_000);
});

describe('the service', () => {
  it('simulates a scenario on request', async () => {
    const { status, body } = await lab.api.call<SimulationRecord>('POST', '/api/simulations', {
      scheduler: { type: 'cpsat' },
      protocols: [{ type: 'color_mixing', iterations: 4 }],
    });
    expect([status, body.outcome, body.tasks_total, body.scheduler]).toEqual([200, 'completed', 28, 'cpsat']);
  });

  it('forecasts a run and stores nothing', async () => {
    const run = JSON.parse(await readFile(path('color_lab/examples/run.json'), 'utf8')) as { name: string };
    const { status, body } = await lab.api.call<WhatIfRecord>('POST', '/api/protocols/simulate', run);
    expect([status, body.name, body.notes]).toEqual([200, run.name, []]);
    // Its tasks do not wait for one another, so the forecast uses their declared or observed durations.
    expect(Date.parse(body.estimated_end ?? '') - Date.parse(body.at)).toBeGreaterThan(1_500);
    expect((await lab.api.call('GET', `/api/protocols/${run.name}`)).status).toBe(404);
  });

  it('names the faults of a scenario', async () => {
    const { status, body } = await lab.api.call<Problem>('POST', '/api/simulations', {
      protocols: [{ type: 'color_mixin', iteration: 1 }],
    });
    expect([status, body.errors?.map(({ path: at, code }) => [at, code])]).toEqual([
      422,
      [['protocols[0].iteration', 'unknown_field']],
    ]);
  });
});

describe('scheduler selection', () => {
  const played = async (type: SchedulerType, scenario: SimulationScenario): Promise<SimulationRecord> => {
    const scheduler =
      type === 'greedy' ? { type } : { type, resolution: 0.05, frozen_window: 0.5, rounds: 20 };
    const answer = await lab.api.call<SimulationRecord>('POST', '/api/simulations', {
      ...scenario,
      scheduler,
    });
    expect(answer).toMatchObject({ status: 200, body: { outcome: 'completed' } });
    return answer.body;
  };
  const taskOf = ({ tasks }: SimulationRecord, label: string): { start: number; end: number } => {
    const { start, end } = tasks.find((task) => task.label === label) ?? {};
    return { start: start ?? NaN, end: end ?? NaN };
  };
  const colors = (more: object = {}) => ({ type: 'color_mixing', iterations: 4, ...more });
  const mixed = { protocols: [colors(), { type: 'lightfastness', iterations: 4 }] };

  it('groups: cpsat keeps a group back to back despite urgent work, and greedy does not', async () => {
    const urgent: SimulationScenario = {
      protocols: [{ type: 'grouped_multiplication' }],
      tasks: [
        {
          type: 'wait',
          at: 1,
          duration: 3,
          priority: 9,
          devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
        },
      ],
    };
    const gap = async (type: SchedulerType): Promise<number> => {
      const record = await played(type, urgent);
      const [first, second] = ['first', 'second'].map((name) =>
        taskOf(record, `grouped_multiplication_001/${name}`),
      );
      return (second?.start ?? NaN) - (first?.end ?? NaN);
    };
    expect(await gap('cpsat')).toBeCloseTo(0, 1);
    expect(await gap('greedy')).toBeCloseTo(3, 1);
  });

  it('goal: cpsat plans over all runs and ends earlier than greedy, which starts any task that can start', async () => {
    const [greedy, cpsat] = [await played('greedy', mixed), await played('cpsat', mixed)];
    expect(cpsat.makespan).toBeLessThan(0.95 * greedy.makespan);
  });

  it('durations: cpsat orders by durations, and greedy does not', async () => {
    const waiting: SimulationScenario = {
      protocols: [
        { type: 'grouped_multiplication', at: 1 },
        { type: 'slow_multiplication', at: 1.1 },
      ],
      tasks: [
        {
          type: 'wait',
          duration: 3,
          devices: { multiplier: { lab_name: 'multiplication_lab', name: 'multiplier_a' } },
        },
      ],
    };
    const shorterFirst = async (type: SchedulerType): Promise<boolean> => {
      const record = await played(type, waiting);
      const [longer, shorter] = ['grouped_multiplication_001/first', 'slow_multiplication_001/wait'].map(
        (label) => taskOf(record, label),
      );
      return (shorter?.start ?? NaN) < (longer?.start ?? NaN);
    };
    expect(await shorterFirst('greedy')).toBe(false);
    expect(await shorterFirst('cpsat')).toBe(true);
  });

  it('dynamic devices: concurrent runs spread over all matching devices under either policy', async () => {
    for (const type of ['greedy', 'cpsat'] as const) {
      const { units } = await played(type, { protocols: [colors({ iterations: 3 })] });
      const uses = units.filter(({ name }) => name.startsWith('color_lab.station_'));
      expect(uses.map(({ busy }) => busy > 0)).toEqual([true, true, true]);
    }
  });

  it.each(['greedy', 'cpsat'] as const)(
    'priorities: the run of higher priority completes first under %s, although it was submitted last',
    async (type) => {
      const { protocol_runs: runs } = await played(type, {
        protocols: [colors(), colors({ iterations: 1, priority: 9 })],
      });
      const ends = runs.map(({ end, priority }) => ({ priority, end: end ?? NaN }));
      const urgent = ends.find(({ priority }) => priority === 9)?.end ?? NaN;
      // The first submission has started before the last one arrives.
      expect(ends.filter(({ end }) => end > urgent).length).toBeGreaterThanOrEqual(3);
    },
  );

  it('tuning: the same seed gives the same report', async () => {
    const few = { protocols: [colors({ iterations: 2 })], jitter: 0.1 };
    const [one, other] = [await played('cpsat', few), await played('cpsat', few)];
    expect({ ...one, planning: null }).toEqual({ ...other, planning: null });
  });
});
