import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CampaignSubmission,
  Problem,
  ProtocolRunRecord,
  SimulationRecord,
  WhatIfRecord,
} from '@lab/contracts';
import { loadPackages } from '@lab/definitions';
import { simulate } from '@lab/simulation';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/** A campaign on the real service, and the same campaign simulated with the durations that were recorded. */

const path = (name: string): string => fileURLToPath(new URL(`../lab-packages/${name}`, import.meta.url));
const runsInAll = 6;
let lab: Lab;
let cacheDir: string;

beforeAll(async () => {
  [lab, cacheDir] = await Promise.all([startLab(['color_lab']), mkdtemp(join(tmpdir(), 'simulation-'))]);
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

/** By device the tasks that used it, in the order in which they started. */
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

describe('a campaign that was recorded', () => {
  it('is simulated in the same order on every device, with the same makespan', async () => {
    const sweep = JSON.parse(
      await readFile(path('color_lab/examples/sweep.json'), 'utf8'),
    ) as CampaignSubmission;
    const submission = {
      ...sweep,
      max_protocol_runs: runsInAll,
      protocol_run_parameters: sweep.protocol_run_parameters?.slice(0, runsInAll),
    };
    expect((await lab.api.submit('campaigns', submission)).status).toBe(201);
    const names = Array.from({ length: runsInAll }, (_, index) => `${sweep.name}_run_${index + 1}`);
    const runs: ProtocolRunRecord[] = [];
    // The last ones exist only once the first ones are over.
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
            max_concurrent_protocol_runs: sweep.max_concurrent_protocol_runs ?? 1,
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
    expect(Math.abs(record.makespan - makespan) / makespan).toBeLessThanOrEqual(0.05);
  }, 60_000);
});

describe('the service', () => {
  it('plays a scenario through on request', async () => {
    const { status, body } = await lab.api.call<SimulationRecord>('POST', '/api/simulations', {
      scheduler: { type: 'cpsat' },
      protocols: [{ type: 'color_mixing', iterations: 4 }],
    });
    expect([status, body.outcome, body.tasks_total, body.scheduler]).toEqual([200, 'completed', 28, 'cpsat']);
  });

  it('says what would become of a run, and stores nothing of it', async () => {
    const run = JSON.parse(await readFile(path('color_lab/examples/run.json'), 'utf8')) as { name: string };
    const { status, body } = await lab.api.call<WhatIfRecord>('POST', '/api/protocols/simulate', run);
    expect([status, body.name, body.notes]).toEqual([200, run.name, []]);
    // Its tasks have no time to wait for each other: what they declare, or have taken on this stack.
    expect(Date.parse(body.estimated_end ?? '') - Date.parse(body.at)).toBeGreaterThan(1_500);
    expect((await lab.api.call('GET', `/api/protocols/${run.name}`)).status).toBe(404);
  });

  it('says what is wrong with a scenario', async () => {
    const { status, body } = await lab.api.call<Problem>('POST', '/api/simulations', {
      protocols: [{ type: 'color_mixin', iteration: 1 }],
    });
    expect([status, body.errors?.map(({ path: at, code }) => [at, code])]).toEqual([
      422,
      [['protocols[0].iteration', 'unknown_field']],
    ]);
  });
});
