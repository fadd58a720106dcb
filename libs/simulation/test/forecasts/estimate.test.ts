import type { Submission, SubmissionEstimate } from '@lab/contracts';
import { Engine } from '@lab/engine';
import { MemoryAgents, MemoryStore, SequentialIds } from '@lab/engine/testing';
import { GreedyPolicy } from '@lab/scheduling';
import { beforeEach, expect, it } from 'vitest';
import { batch } from '../small-lab.js';
import { VirtualClock } from '@lab/ports';
import { estimate } from '../../src/forecasts/estimate.js';

const definitions = batch();
let clock: VirtualClock;
let store: MemoryStore;
let agents: MemoryAgents;
let engine: Engine;

beforeEach(async () => {
  clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
  store = new MemoryStore(clock);
  agents = new MemoryAgents();
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const ports = { clock, timers: clock, store, agents, definitions, log };
  engine = new Engine(
    { ...ports, ids: new SequentialIds(), policy: new GreedyPolicy() },
    { suspectAfterMs: 1e9, offlineAfterMs: 1e9 },
  );
  await engine.start('test');
  agents.attach(engine.agents);
  await agents.boot('svc_computer');
  await clock.settle();
});

/** Moments as seconds from now. */
async function ask(asked: Submission) {
  const present = {
    now: clock.now(),
    rows: await engine.workingRows(),
    samples: await store.durations(32),
    devices: engine.views.devices(),
  };
  const found = await estimate(asked, present, definitions, {}, { stopwatch: () => 0 });
  const after = (at: string | null): number | null =>
    at === null ? null : (Date.parse(at) - Date.parse(found.estimate.at)) / 1000;
  const { starts_at: start, ends_at: end, ...rest }: SubmissionEstimate = found.estimate;
  return { ...rest, start: after(start), end: after(end), warnings: found.warnings };
}

const run = (name: string): Submission => ({ kind: 'protocol_run', submission: { name, type: 'batch' } });
const campaign = (runs: number, most: number): Submission => ({
  kind: 'campaign',
  submission: {
    name: 'c',
    protocol: 'batch',
    max_protocol_runs: runs,
    max_concurrent_protocol_runs: most,
  },
});

it('the forecast gives the begin and end of a run, and the first reason to wait of its tasks', async () => {
  expect(await ask(run('r'))).toMatchObject({
    start: 0,
    end: 8,
    seconds_per_run: 8,
    runs: 1,
    reason: null,
    warnings: [],
  });
  for (const name of ['first', 'second']) await engine.submissions.protocolRun({ name, type: 'batch' });
  await clock.settle();
  await clock.advance(1_000);
  const { start, tasks } = await ask(run('r'));
  expect(start).toBe(7);
  const [load] = tasks;
  expect(load).toMatchObject({ name: 'load' });
  const { dependency, ...others } = load?.waited ?? { dependency: 0 };
  expect(dependency).toBe(0);
  expect(Object.values(others).reduce((a, b) => a + b, 0)).toBe(7);
});

it('the forecast gives the duration of a run of a campaign, and the end of the campaign if it has one', async () => {
  expect(await ask(campaign(1, 1))).toMatchObject({ start: 0, end: 8, seconds_per_run: 8, runs: 1 });
  expect(await ask(campaign(3, 1))).toMatchObject({ end: 24, seconds_per_run: 8, runs: 3, reason: null });
  const endless = await ask(campaign(0, 1));
  expect(endless).toMatchObject({ start: 0, end: null, seconds_per_run: 8, runs: 67 });
  expect(endless.reason).toContain('no limit');
  const large = await ask(campaign(5_000, 1));
  expect(large).toMatchObject({ end: 40_000, seconds_per_run: 8, runs: 67 });
  expect(large.reason).toContain('5000 runs');
});

it('the forecast gives the end of a task', async () => {
  const devices = { cleaner: { lab_name: 'lab', name: 'station_1' } };
  const asked: Submission = { kind: 'task', submission: { name: 't', type: 'rinse', devices } };
  expect(await ask(asked)).toMatchObject({ start: 0, runs: 0, reason: null, warnings: [] });
});

it('the forecast warns of work that would wait forever', async () => {
  agents.deviceState = (_lab, name) => (name === 'arm' ? 'faulted' : 'idle');
  agents.heartbeat('svc_computer');
  await clock.settle();
  const { start, end, seconds_per_run: seconds, reason, warnings } = await ask(run('r'));
  expect([start, end, seconds]).toEqual([null, null, null]);
  expect(reason).toContain('see the warnings');
  expect(warnings.join()).toContain('lab.arm');
});
