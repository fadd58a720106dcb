import { allLabs, type ScheduleQuery, type WaitCause } from '@lab/contracts';
import type { Assignment, Plan, Policy, Snapshot, Timetable } from '@lab/scheduling';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, same, TestLab, type TaskSketch } from '../test-lab.js';

const iso = (at: number): string => new Date(at).toISOString();
const all: ScheduleQuery = { rights: allLabs, limit: 100 };

function causesOf(test: TestLab, label: string): WaitCause[] {
  const task = test.engine.views.schedule(all).tasks.find((each) => each.label === label);
  return task?.waits_for ?? expect.fail(`${label} is not in the schedule`);
}

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { m1: 'mixer', m2: 'mixer', oven: 'oven@bench' }, { cup: 'beaker' });
  test.taskType('clean', { devices: { d: { type: 'oven' } } });
  await test.open();
  return test;
}

describe('the reason why a task waits', () => {
  it('names its dependencies with their expected ends', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', duration: 4 },
      { name: 'b', needs: ['a'] },
    ]);
    await test.run('r', 'p');
    const end = iso(test.clock.now() + 4_000);
    expect(causesOf(test, 'r/a')).toEqual([]);
    expect(causesOf(test, 'r/b')).toMatchObject([{ code: 'dependency', tasks: ['r/a'], until: end }]);
  });

  it('names a lag, or the wait before a retry', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a' },
      { name: 'b', needs: ['a'], lags: { a: { min_lag: 5 } } },
      { name: 'c', policy: { retry: { attempts: 2, backoff: 60 } } },
    ]);
    await test.run('r', 'p');
    await test.complete('r/a');
    await test.fail('r/c', 'no', 0);
    const now = test.clock.now();
    expect(causesOf(test, 'r/b')).toMatchObject([{ code: 'lag', until: iso(now + 5_000) }]);
    expect(causesOf(test, 'r/c')).toMatchObject([{ code: 'retry_pause', until: iso(now + 60_000) }]);
  });

  it('names a device that another task uses, and the tasks ahead on it', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a', devices: { d: device('l.oven') }, duration: 30 }]);
    for (const [name, priority] of [
      ['r', 0],
      ['s', 0],
      ['t', 1],
    ] as const)
      await test.run(name, 'p', { priority });
    const end = iso(test.clock.now() + 30_000);
    const taken = { code: 'device', slot: 'd', unit: 'l.oven', held_by: 'r/a', until: end };
    expect(causesOf(test, 't/a')).toEqual([expect.objectContaining(taken)]);
    expect(causesOf(test, 's/a')).toMatchObject([
      taken,
      { code: 'lower_priority', unit: 'l.oven', tasks: ['t/a'] },
    ]);
  });

  it('names a resource that a run holds, with an unknown end without a plan', async () => {
    const test = await lab();
    test.taskType('pour', { input_resources: { c: { type: 'beaker' } } });
    test.protocol('p', [
      { name: 'a', type: 'pour', resources: { c: { kind: 'specific', name: 'cup', hold: true } } },
      { name: 'b', type: 'pour', needs: ['a'], lags: { a: { min_lag: 50 } }, resources: { c: same('a.c') } },
    ]);
    await test.run('r', 'p');
    await test.complete('r/a');
    await test.run('s', 'p');
    expect(causesOf(test, 's/a')).toMatchObject([
      { code: 'resource', slot: 'c', unit: 'cup', held_by: 'r', until: null },
    ]);
  });

  it('names each unusable eligible device with its reason', async () => {
    const test = await lab();
    test.protocol('p', [{ name: 'a', devices: { d: anyDevice('mixer') } }]);
    test.agents.deviceState = (_lab, name) => (name === 'm1' ? 'faulted' : 'idle');
    test.agents.heartbeat('svc_computer');
    await test.clock.settle();
    await test.engine.emergencyStops.engage({ id: 'h', scope: 'device:l.m2', by: 'ada', reason: '' });
    await test.run('r', 'p');
    const [cause] = causesOf(test, 'r/a');
    expect(cause).toMatchObject({
      code: 'no_eligible_device',
      slot: 'd',
      candidates: [
        { unit: 'l.m1', why: expect.stringContaining('faulted') as string },
        { unit: 'l.m2', why: 'it is stopped by people' },
      ],
    });
    test.agents.crash('bench');
    await test.clock.advance(20_000);
    test.protocol('q', [{ name: 'a', devices: { d: device('l.oven') } }]);
    await test.run('s', 'q');
    expect(causesOf(test, 's/a')).toMatchObject([
      { candidates: [{ unit: 'l.oven', why: 'computer bench is not connected' }] },
    ]);
  });

  it('names a pause, an emergency stop, an open decision, or the limit of a campaign', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a' },
      { name: 'b', policy: { on_failure: 'ask' } },
      { name: 'c', needs: ['a'] },
    ]);
    await test.run('r', 'p');
    await test.complete('r/a');
    await test.complete('r/c');
    await test.engine.queuePause.pause('ada');
    await test.run('s', 'p');
    expect(causesOf(test, 's/a')).toEqual([{ code: 'paused', message: 'the queue is paused by ada' }]);
    await test.engine.emergencyStops.engage({ id: 'h', scope: 'all', by: 'ada', reason: 'spill' });
    expect(causesOf(test, 's/a').map((cause) => cause.code)).toEqual(['paused', 'emergency_stop']);
    await test.engine.emergencyStops.release('h', 'ada');
    await test.engine.work.pauseProtocolRun('s', 'ada');
    await test.engine.queuePause.resume('ada');
    expect(causesOf(test, 's/a')).toEqual([{ code: 'paused', message: 'its protocol run is paused' }]);
    await test.engine.work.resumeProtocolRun('s', 'ada');
    await test.fail('s/b');
    expect(causesOf(test, 's/c')).toMatchObject([
      { code: 'attention', tasks: ['s/b'] },
      { code: 'dependency', tasks: ['s/a'] },
    ]);
  });

  it('names a possible deadlock with another run', async () => {
    const test = await lab();
    const cross = (first: string, second: string): TaskSketch[] => [
      { name: 'a', devices: { d: device(first, true) } },
      { name: 'b', needs: ['a'], devices: { d: same('a.d'), e: device(second) } },
    ];
    test.protocol('p', cross('l.m1', 'l.m2'));
    test.protocol('q', cross('l.m2', 'l.m1'));
    await test.run('r', 'p');
    await test.run('s', 'q');
    expect(causesOf(test, 's/a')).toMatchObject([{ code: 'hold_order' }]);
  });
});

/** Returns a given plan. */
class Planned implements Policy {
  readonly name = 'cpsat';
  readonly scope = 'all';
  timetable: Timetable | null = null;
  starting: Assignment[] = [];
  ask: () => void = () => undefined;

  begin(ask: () => void): void {
    this.ask = ask;
  }

  plan(_snapshot: Snapshot): Plan {
    return { assignments: this.starting, timetable: this.timetable, wakeAt: null };
  }
}

const quality = { weightedCompletion: 12, makespan: 9, objective: 21, lowerBound: 20, gap: 1 / 21 };
const provenance = { engine: 'search', seed: 1, ms: 3, reproducible: true };

describe('a plan', () => {
  async function planned() {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', m2: 'mixer' });
    test.protocol('p', [{ name: 'a', devices: { d: anyDevice('mixer') }, duration: 5 }]);
    const policy = new Planned();
    test.policy = () => policy;
    await test.open();
    for (const name of ['r', 's', 't']) await test.run(name, 'p');
    await test.engine.submissions.campaign({
      name: 'c',
      protocol: 'p',
      owner: 'ada',
      max_protocol_runs: 5,
      max_concurrent_protocol_runs: 2,
    });
    await test.clock.settle();
    const now = test.clock.now();
    const at = (label: string, start: number, unit: string) => ({
      task: test.task(label).id,
      start: now + start,
      end: now + start + 5_000,
      units: { 'device:d': unit },
    });
    policy.timetable = {
      madeAt: now,
      tasks: [
        at('r/a', 1_000, 'device:l.m1'),
        at('s/a', 6_000, 'device:l.m1'),
        at('c_run_1/a', 1_000, 'device:l.m2'),
        at('c_run_2/a', 6_000, 'device:l.m2'),
      ],
      quality,
      provenance,
      unplanned: [{ task: test.task('t/a').id, reason: 'it lies beyond the horizon of the plan' }],
    };
    policy.ask();
    await test.clock.settle();
    return { test, now };
  }

  it('is shown with its quality, and the time and units of each task', async () => {
    const { test, now } = await planned();
    const schedule = test.engine.views.schedule(all);
    expect(schedule).toMatchObject({ policy: 'cpsat', at: iso(now), tasks_total: 5 });
    expect(schedule.plan).toEqual({
      made_at: iso(now),
      objective: 21,
      weighted_completion: 12,
      makespan: 9,
      lower_bound: 20,
      gap: 1 / 21,
      provenance,
    });
    expect(schedule.tasks.map((task) => task.label)).toEqual(['r/a', 'c_run_1/a', 's/a', 'c_run_2/a', 't/a']);
    expect(schedule.tasks[2]).toMatchObject({
      planned_start: iso(now + 6_000),
      planned_end: iso(now + 11_000),
      devices: { d: 'l.m1' },
      duration: { expected: 5, declared: 5, learned: null, samples: 0 },
    });
    const [m1] = schedule.units;
    expect(m1).toMatchObject({ kind: 'device', name: 'l.m1', usable: true, used_by: null, free_at: null });
    expect(m1?.timeline.map(({ label, start, planned: is }) => [label, start, is])).toEqual([
      ['r/a', iso(now + 1_000), true],
      ['s/a', iso(now + 6_000), true],
    ]);
  });

  it('explains waits: a later start, tasks ahead, or the horizon of the plan', async () => {
    const { test, now } = await planned();
    expect(causesOf(test, 'r/a')).toMatchObject([{ code: 'planned', until: iso(now + 1_000) }]);
    expect(causesOf(test, 's/a')).toMatchObject([
      { code: 'lower_priority', unit: 'l.m1', tasks: ['r/a'] },
      { code: 'planned', until: iso(now + 6_000) },
    ]);
    expect(causesOf(test, 't/a')).toMatchObject([{ code: 'beyond_horizon' }]);
  });

  it('gives the expected completion of runs and campaigns within its horizon', async () => {
    const { test, now } = await planned();
    const { protocol_runs: runs, campaigns } = test.engine.views.schedule(all);
    expect(runs.find((run) => run.name === 'r')?.estimated_completion).toBe(iso(now + 6_000));
    expect(runs.find((run) => run.name === 't')?.estimated_completion).toBeNull();
    // Both current runs end, after 6 and 11 s, 8.5 s on average. 3 runs are to come, 2 concurrently.
    expect(campaigns).toMatchObject([
      { name: 'c', runs_started: 2, runs_total: 5, estimated_completion: iso(now + 11_000 + 1.5 * 8_500) },
    ]);
    expect(test.engine.views.estimates()).toEqual({
      protocol_runs: Object.fromEntries(
        runs.flatMap((run) =>
          run.estimated_completion === null ? [] : [[run.name, run.estimated_completion]],
        ),
      ),
      campaigns: { c: campaigns[0]?.estimated_completion },
    });
    await test.engine.work.pauseCampaign('c', 'ada');
    expect(test.engine.views.schedule(all).campaigns[0]?.estimated_completion).toBeNull();
  });

  it('keeps the first plan of a task over new plans and a restart, and the last one before its start', async () => {
    const { test, now } = await planned();
    const plansOf = (label: string) => {
      const task = test.engine.views.schedule(all).tasks.find((each) => each.label === label);
      return [task?.first_plan, task?.last_plan];
    };
    const plan = (start: number, at = now) => ({
      ...{ start: iso(start), end: iso(start + 5_000), at: iso(at), devices: { d: 'l.m1' } },
    });
    await test.clock.advance(20);
    const first = plan(now + 1_000);
    expect(plansOf('r/a')).toEqual([first, null]);
    expect(plansOf('t/a')).toEqual([null, null]);
    const noted = test.store.commits.flatMap(({ changes }) =>
      changes.filter((change) => change.op === 'notePlans').map(({ plans }) => plans.length),
    );
    expect(noted).toEqual([4]);

    const made = test.clock.now();
    const policy = test.policy(test) as Planned;
    const id = test.task('r/a').id;
    const moved = { task: id, start: made + 2_000, end: made + 7_000, units: { 'device:d': 'device:l.m1' } };
    policy.timetable = { madeAt: made, tasks: [moved], quality, provenance, unplanned: [] };
    policy.ask();
    await test.clock.settle();
    expect(plansOf('r/a')).toEqual([first, null]);
    policy.starting = [{ task: id, units: { 'device:d': 'device:l.m1' } }];
    policy.timetable = { ...policy.timetable, madeAt: made + 1, tasks: [] };
    policy.ask();
    await test.clock.settle();
    expect(plansOf('r/a')).toEqual([first, plan(made + 2_000, made)]);
    policy.starting = [];
    await test.engine.stop();
    await test.open();
    expect(plansOf('r/a')).toEqual([first, plan(made + 2_000, made)]);
  });

  it('of a window has the tasks whose time touches it, by their starts and page by page', async () => {
    const { test, now } = await planned();
    const read = (from: number, to: number, limit: number, after: { start: number; id: string } | null) => {
      const window = { from: now + from, to: now + to, after };
      const { tasks, truncated } = test.engine.views.schedule({ rights: allLabs, limit, window });
      return [tasks.map(({ label }) => label), truncated];
    };
    expect(read(0, 1_000, 9, null)).toEqual([[], false]);
    expect(read(6_000, 6_001, 9, null)).toEqual([['r/a', 'c_run_1/a', 's/a', 'c_run_2/a'], false]);
    expect(read(6_001, 9_000, 9, null)).toEqual([['s/a', 'c_run_2/a'], false]);
    expect(read(0, 9_000, 3, null)).toEqual([['r/a', 'c_run_1/a', 's/a'], true]);
    const third = { start: now + 6_000, id: test.task('s/a').id };
    expect(read(0, 9_000, 3, third)).toEqual([['c_run_2/a'], false]);
  });

  it('is shown in part on request', async () => {
    const { test } = await planned();
    const labels = (query: Omit<ScheduleQuery, 'rights'>): string[] =>
      test.engine.views.schedule({ rights: allLabs, ...query }).tasks.map((task) => task.label);
    expect(labels({ limit: 2 })).toEqual(['r/a', 'c_run_1/a']);
    expect(test.engine.views.schedule({ rights: allLabs, limit: 2 }).tasks_total).toBe(5);
    expect(labels({ run: 's', limit: 9 })).toEqual(['s/a']);
    expect(
      test.engine.views.schedule({ rights: allLabs, run: 's', limit: 9 }).units.map((unit) => unit.name),
    ).toEqual(['l.m1']);
    expect(labels({ device: 'l.m2', limit: 9 })).toEqual(['c_run_1/a', 'c_run_2/a', 't/a']);
    expect(labels({ lab: 'elsewhere', limit: 9 })).toEqual([]);
  });
});

describe('without a plan', () => {
  it('running tasks have expected ends, and a campaign continues at its pace', async () => {
    const test = await lab();
    test.protocol('p', [
      { name: 'a', duration: 4 },
      { name: 'b', needs: ['a'] },
    ]);
    await test.engine.submissions.campaign({
      name: 'c',
      protocol: 'p',
      owner: 'ada',
      max_protocol_runs: 6,
      max_concurrent_protocol_runs: 1,
    });
    await test.clock.settle();
    const begin = test.clock.now();
    expect(test.engine.views.estimates()).toEqual({ protocol_runs: {}, campaigns: {} });
    for (const n of [1, 2, 3]) {
      await test.live(10_000);
      await test.complete(`c_run_${n}/a`);
      await test.complete(`c_run_${n}/b`);
    }
    expect(test.engine.views.schedule(all).plan).toBeNull();
    expect(test.engine.views.estimates().campaigns).toEqual({ c: iso(begin + 60_000) });
    await test.complete('c_run_4/a');
    expect(test.engine.views.estimates().protocol_runs['c_run_4']).toBeDefined();
  });
});
