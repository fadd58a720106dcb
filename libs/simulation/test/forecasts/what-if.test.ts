import type { WhatIfRecord } from '@lab/contracts';
import { Engine } from '@lab/engine';
import { MemoryAgents, MemoryOptimizers, MemoryStore, SequentialIds } from '@lab/engine/testing';
import { GreedyPolicy } from '@lab/scheduling';
import { beforeEach, describe, expect, it } from 'vitest';
import { batch } from '../small-lab.js';
import { VirtualClock } from '@lab/ports';
import type { CurrentState } from '../../src/forecasts/current-state.js';
import { whatIf } from '../../src/forecasts/what-if.js';

/** A laboratory with running work. A simulation must not touch its engine, store and agents. */

const definitions = batch().with('search', [
  {
    name: 'a',
    seconds: 5,
    devices: { arm: { kind: 'specific', lab_name: 'lab', name: 'arm', hold: false } },
    parameters: { n: { kind: 'dynamic' } },
    inputs: { n: { type: 'int', desc: '', unit: 'n/a' } },
    outputs: { score: { type: 'float', desc: '', unit: 'n/a' } },
  },
]);
const search = definitions.protocols.get('search');
if (search !== undefined) search.protocol.optimizer = { hash: 'o', package: 'p', source: 'optimizer.ts' };
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
  const [ids, policy] = [new SequentialIds(), new GreedyPolicy()];
  const optimizers = new MemoryOptimizers();
  optimizers.boot('127.0.0.1');
  const ports = { clock, timers: clock, ids, store, agents, optimizers, definitions, policy, log };
  engine = new Engine(ports, { suspectAfterMs: 1e9, offlineAfterMs: 1e9 });
  await engine.start('test');
  agents.attach(engine.agents);
  await agents.boot('svc_computer');
  await clock.settle();
});

async function submit(name: string): Promise<void> {
  await engine.submissions.protocolRun({ name, type: 'batch' });
  await clock.settle();
}

const present = async (): Promise<CurrentState> => ({
  now: clock.now(),
  rows: await engine.workingRows(),
  samples: await store.durations(32),
  devices: engine.views.devices(),
});

const ask = async (name: string, type: 'greedy' | 'cpsat' = 'greedy'): Promise<WhatIfRecord> =>
  whatIf({ name, type: 'batch' }, await present(), definitions, { type }, { stopwatch: () => 0 });

const after = (record: WhatIfRecord, iso: string | null): number | null =>
  iso === null ? null : (Date.parse(iso) - Date.parse(record.at)) / 1000;

describe('a what-if question about a run', () => {
  it('in an idle laboratory gives the sum of its durations', async () => {
    const record = await ask('new');
    expect(after(record, record.estimated_end)).toBe(8);
    const times = record.tasks.map(({ name, estimated_start, estimated_end }) => [
      name,
      after(record, estimated_start),
      after(record, estimated_end),
    ]);
    expect(times).toEqual([
      ['load', 0, 2],
      ['work', 2, 7],
      ['unload', 7, 8],
    ]);
    expect(record).toMatchObject({ scheduler: 'greedy', others: [], notes: [] });
  });

  it.each(['greedy', 'cpsat'] as const)(
    'under %s continues from running tasks and held units',
    async (type) => {
      await submit('first');
      await submit('second');
      await clock.advance(1_000);
      const record = await ask('new', type);
      // The first run is unloaded after the rest of its 8 s. Until then both stations are kept.
      expect(after(record, record.estimated_start)).toBe(7);
      const first = record.others.find(({ name }) => name === 'first');
      expect(first && [after(record, first.without), after(record, first.with), first.delay]).toEqual([
        7, 7, 0,
      ]);
    },
  );

  it('names the work that is delayed', async () => {
    await submit('first');
    await submit('second');
    await submit('third');
    const urgent = { name: 'urgent', type: 'batch', priority: 50 };
    const record = await whatIf(urgent, await present(), definitions, {}, { stopwatch: () => 0 });
    const delays = Object.fromEntries(record.others.map(({ name, delay }) => [name, delay]));
    expect(delays['first']).toBe(0);
    expect(delays['third']).toBeGreaterThan(0);
  });

  it.each([
    ['that goes on for six runs', 6, 30],
    ['without a limit', 0, 500],
  ])('includes the coming runs of a campaign %s with an optimizer', async (_, runs, seconds) => {
    await engine.submissions.campaign({
      name: 'c',
      protocol: 'search',
      max_protocol_runs: runs,
      optimize: true,
      priority: 5,
    });
    await clock.settle();
    const record = await ask('new');
    expect(after(record, record.estimated_start)).toBeGreaterThanOrEqual(seconds);
    expect(record.others.find(({ kind }) => kind === 'campaign')).toMatchObject({ name: 'c', delay: 0 });
  });

  it('uses observed durations', async () => {
    for (const name of ['a', 'b', 'c']) {
      await submit(name);
      for (const [task, ms] of [
        ['load', 2_000],
        ['work', 20_000],
        ['unload', 1_000],
      ] as const) {
        await clock.advance(ms);
        await agents.complete(`${name}/${task}`);
        await clock.settle();
      }
    }
    const record = await ask('new');
    expect(after(record, record.estimated_end)).toBe(23);
  });

  it('reports that the run would wait forever, and for what', async () => {
    agents.deviceState = (_lab, name) => (name === 'arm' ? 'faulted' : 'idle');
    agents.heartbeat('svc_computer');
    await clock.settle();
    const record = await ask('new');
    expect([record.estimated_start, record.estimated_end]).toEqual([null, null]);
    expect(record.notes.join()).toContain('lab.arm');
  });

  it('changes nothing', async () => {
    await submit('first');
    const before = JSON.stringify([[...store.rows.taskRuns.values()], [...store.rows.allocations.values()]]);
    const [commits, running] = [store.commits.length, agents.running().length];
    await ask('new');
    await clock.settle();
    expect(JSON.stringify([[...store.rows.taskRuns.values()], [...store.rows.allocations.values()]])).toBe(
      before,
    );
    expect([store.commits.length, agents.running().length]).toEqual([commits, running]);
  });

  it('is refused for the same reasons as the submission', async () => {
    await submit('first');
    await expect(ask('first')).rejects.toMatchObject({ code: 'duplicate_name', effect: 'none' });
    const wrong = { name: 'new', type: 'bacth' };
    await expect(
      whatIf(wrong, await present(), definitions, {}, { stopwatch: () => 0 }),
    ).rejects.toMatchObject({ code: 'unknown_protocol' });
  });
});
