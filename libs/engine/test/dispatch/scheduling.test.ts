import { allLabs, type DeviceState } from '@lab/contracts';
import type { Plan, Policy, Snapshot } from '@lab/scheduling';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, everyPolicy, same, TestLab, type MakePolicy } from '../test-lab.js';

/** The agent of the computer reports the state of the device. */
async function setDevice(test: TestLab, computer: string, device: string, state: DeviceState): Promise<void> {
  test.agents.deviceState = (_lab, name) => (name === device ? state : 'idle');
  test.agents.heartbeat(computer);
  await test.clock.settle();
}

async function open(test: TestLab, policy: MakePolicy): Promise<TestLab> {
  test.policy = policy;
  await test.open();
  return test;
}

describe('with greedy', () => {
  it('takes in turn the device that has been free for longest, also after uneven use and after a restart', async () => {
    const test = new TestLab();
    test.lab('l', { p1: 'pump', p2: 'pump', p3: 'pump' });
    test.protocol('any', [{ name: 'a', devices: { d: anyDevice('pump') } }]);
    for (const name of ['p1', 'p2', 'p3'])
      test.protocol(name, [{ name: 'a', devices: { d: device(`l.${name}`) } }]);
    await test.open();
    const used: (string | undefined)[] = [];
    const use = async (run: string, protocol: string, ms: number): Promise<void> => {
      await test.run(run, protocol);
      used.push(test.agents.running()[0]?.start.devices['d']?.name);
      await test.live(ms);
      await test.complete(`${run}/a`);
      await test.live(1_000);
    };
    await use('long', 'p1', 100_000);
    await use('short', 'p2', 1_000);
    await use('shorter', 'p3', 500);
    used.length = 0;
    for (const each of [1, 2, 3, 4]) await use(`r${each}`, 'any', 1_000);
    await test.engine.stop();
    await test.open();
    for (const each of [5, 6, 7, 8, 9]) await use(`r${each}`, 'any', 1_000);
    expect(used).toEqual(['p1', 'p2', 'p3', 'p1', 'p2', 'p3', 'p1', 'p2', 'p3']);
  });
});

describe.each(everyPolicy)('with %s', (_name, policy) => {
  it('every queued task runs eventually, and each device has one task at a time', async () => {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', m2: 'mixer', oven: 'oven' });
    test.taskType('clean', { devices: { d: { type: 'oven' } } });
    test.protocol('p', [
      { name: 'mix', devices: { d: anyDevice('mixer', true) }, duration: 2 },
      { name: 'bake', needs: ['mix'], devices: { o: device('l.oven') }, duration: 3 },
      { name: 'pour', needs: ['bake'], devices: { d: same('mix.d') } },
    ]);
    await open(test, policy);
    for (const name of ['r1', 'r2', 'r3']) await test.run(name, 'p');
    await test.engine.submissions.task({
      name: 'o',
      type: 'clean',
      devices: { d: { lab_name: 'l', name: 'oven' } },
    });
    for (let step = 0; step < 20; step += 1) {
      await test.live(1_000);
      const used = test.agents
        .running()
        .flatMap(({ start }) => Object.values(start.devices).map((d) => d.name));
      expect(new Set(used).size).toBe(used.length);
      const [first] = test.running();
      if (first !== undefined) await test.complete(first);
    }
    expect(['r1', 'r2', 'r3'].map((name) => test.runState(name))).toEqual(Array(3).fill('completed'));
    expect(test.task('o').state).toBe('completed');
    expect(test.allocated()).toEqual([]);
    expect(test.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  it('a task starts when the least lag after a dependency is over, and not before', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [
      { name: 'a' },
      { name: 'b', needs: ['a'], lags: { a: { min_lag: 5 } }, devices: { d: device('l.arm') } },
    ]);
    await open(test, policy);
    await test.run('r', 'p');
    await test.complete('r/a');
    await test.live(4_000);
    expect(test.task('r/b').state).toBe('queued');
    await test.live(1_000);
    expect(test.running()).toEqual(['r/b']);
    const [a, b] = [test.task('r/a'), test.task('r/b')];
    expect((b.startedAt ?? 0) - (a.endedAt ?? 0)).toBe(5_000);
    expect(b.lateByS).toBeNull();
  });

  it('a task that starts after its greatest lag is flagged on its record, in its event and in the log', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm', other: 'other' });
    test.protocol('p', [
      { name: 'a', devices: { d: device('l.other') } },
      { name: 'b', needs: ['a'], lags: { a: { max_lag: 2 } }, devices: { d: device('l.arm') } },
    ]);
    await open(test, policy);
    await test.run('r', 'p');
    await setDevice(test, 'svc_computer', 'arm', 'faulted');
    await test.complete('r/a');
    await test.live(5_000);
    expect(test.task('r/b').state).toBe('queued');
    await setDevice(test, 'svc_computer', 'arm', 'idle');
    expect(test.running()).toEqual(['r/b']);
    expect(test.task('r/b').lateByS).toBe(3);
    const told = test.store.events.filter((event) => event.type === 'task_run.running');
    expect(told.map((event) => event.body['late_by_s'])).toEqual([null, 3]);
    expect(test.lines).toContainEqual({
      level: 'warn',
      message: 'a task starts later than its greatest lag allows',
      fields: { task: 'r/b', late_by_s: 3 },
    });
  });

  it('a plan survives a restart, and no task starts twice', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [
      { name: 'a', devices: { d: device('l.arm', true) } },
      { name: 'b', needs: ['a'], lags: { a: { min_lag: 2 } }, devices: { d: same('a.d') } },
    ]);
    await open(test, policy);
    await test.run('r', 'p');
    await test.run('s', 'p');
    await test.complete('r/a');
    await test.live(1_000);
    await test.start();
    await test.agents.register('svc_computer');
    await test.live(3_000);
    expect(test.running()).toEqual(['r/b']);
    await test.complete('r/b');
    await test.live(1_000);
    expect(test.running()).toEqual(['s/a']);
  });
});

/** Starts nothing and records the snapshots that it gets. */
class Watcher implements Policy {
  readonly name = 'cpsat';
  readonly scope = 'all';
  readonly seen: Snapshot[] = [];
  wakeAt: number | null = null;
  start: string[] = [];
  ask: (() => void) | undefined;
  stopped = 0;

  begin(ask: () => void): void {
    this.ask = ask;
  }

  stop(): Promise<void> {
    this.stopped += 1;
    return Promise.resolve();
  }

  plan(snapshot: Snapshot): Plan {
    this.seen.push(snapshot);
    const { wakeAt } = this;
    this.wakeAt = null;
    const assignments = snapshot.tasks
      .filter((task) => task.ready === true && this.start.some((end) => task.id === end))
      .map((task) => ({
        task: task.id,
        units: Object.fromEntries(task.slots.map((slot) => [slot.name, slot.candidates[0] ?? ''])),
      }));
    return { assignments, timetable: null, wakeAt };
  }

  get last(): Snapshot {
    return this.seen.at(-1) ?? expect.fail('nothing was shown');
  }
}

async function watched(): Promise<{ test: TestLab; policy: Watcher; ids: Record<string, string> }> {
  const test = new TestLab();
  test.lab('l', { m1: 'mixer', m2: 'mixer', oven: 'oven@bench' });
  test.protocol('p', [
    { name: 'mix', devices: { d: anyDevice('mixer', true) }, duration: 4, group: 'g' },
    { name: 'pour', needs: ['mix'], devices: { d: same('mix.d') }, group: 'g' },
    {
      name: 'bake',
      needs: ['pour'],
      lags: { pour: { min_lag: 3, max_lag: 9 } },
      devices: { o: device('l.oven') },
    },
  ]);
  const policy = new Watcher();
  test.policy = () => policy;
  await test.open();
  await test.run('r', 'p', { priority: 2 });
  const ids = Object.fromEntries(['mix', 'pour', 'bake'].map((name) => [name, test.task(`r/${name}`).id]));
  return { test, policy, ids };
}

describe('a policy that plans ahead', () => {
  it('gets every waiting task with its dependencies and the units it will hold', async () => {
    const { policy, ids } = await watched();
    const { tasks, running, units } = policy.last;
    const [mix, pour, bake] = tasks;
    expect(running).toEqual([]);
    expect(mix).toMatchObject({
      id: ids['mix'],
      priority: 2,
      duration: 4,
      ready: true,
      blocked: false,
      slots: [{ name: 'device:d', candidates: ['device:l.m1', 'device:l.m2'], keptFor: [ids['pour']] }],
    });
    expect(pour).toMatchObject({
      id: ids['pour'],
      ready: false,
      blocked: false,
      follows: ids['mix'],
      dependencies: [{ task: ids['mix'], minLagMs: 0, maxLagMs: null }],
      slots: [{ candidates: ['device:l.m1', 'device:l.m2'], sameAs: { task: ids['mix'], slot: 'device:d' } }],
    });
    expect(bake).toMatchObject({
      dependencies: [{ task: ids['pour'], minLagMs: 3_000, maxLagMs: 9_000 }],
      slots: [{ candidates: ['device:l.oven'] }],
    });
    expect([...units.keys()].sort()).toEqual(['device:l.m1', 'device:l.m2', 'device:l.oven']);
  });

  it('gets every running task with its expected end and units, and afterwards the units that its run holds', async () => {
    const { test, policy, ids } = await watched();
    policy.start = [ids['mix'] ?? ''];
    policy.ask?.();
    await test.live(1_000);
    policy.ask?.();
    await test.clock.settle();
    const startedAt = test.task('r/mix').startedAt ?? 0;
    expect(policy.last.running).toEqual([
      {
        id: ids['mix'],
        run: test.runRow('r').id,
        priority: 2,
        startedAt,
        expectedEnd: startedAt + 4_000,
        units: { 'device:d': { unit: 'device:l.m1', keptFor: [ids['pour']] } },
      },
    ]);
    expect(policy.last.tasks[0]).toMatchObject({ id: ids['pour'], slots: [{ candidates: ['device:l.m1'] }] });
    await test.complete('r/mix');
    expect(policy.last.running).toEqual([]);
    expect(policy.last.units.get('device:l.m1')).toMatchObject({
      busy: false,
      heldBy: test.runRow('r').id,
      heldFor: [ids['pour']],
    });
    expect(policy.last.tasks[0]).toMatchObject({ ready: true, notAfter: test.clock.now() });
    expect(policy.last.tasks[0]).not.toHaveProperty('follows');
  });

  it('gets the tasks for which a run holds a unit while another task of the run uses it', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [
      { name: 'take', devices: { d: device('l.arm', true) } },
      { name: 'wave', needs: ['take'], devices: { d: device('l.arm') } },
      { name: 'put', needs: ['take'], devices: { d: same('take.d') } },
    ]);
    const policy = new Watcher();
    test.policy = () => policy;
    await test.open();
    await test.run('r', 'p');
    const [take = '', wave = '', put = ''] = ['take', 'wave', 'put'].map((name) => test.task(`r/${name}`).id);
    policy.start = [take, wave];
    policy.ask?.();
    await test.clock.settle();
    await test.complete('r/take');
    expect(test.running()).toEqual(['r/wave']);
    policy.ask?.();
    await test.clock.settle();
    const heldBy = test.runRow('r').id;
    const arm = () => policy.last.units.get('device:l.arm');
    expect(arm()).toMatchObject({ busy: true, heldBy, heldFor: [put, wave] });
    await test.complete('r/wave');
    expect(arm()).toMatchObject({ busy: false, heldBy, heldFor: [put] });
    policy.start = [put];
    policy.ask?.();
    await test.clock.settle();
    await test.complete('r/put');
    expect(test.allocated()).toEqual([]);
  });

  it('gets a task without a predictable start as blocked', async () => {
    const { test, policy } = await watched();
    const blocked = (): boolean[] => policy.last.tasks.map((task) => task.blocked === true);
    expect(blocked()).toEqual([false, false, false]);
    await setDevice(test, 'bench', 'oven', 'faulted');
    expect(blocked()).toEqual([false, false, true]);
    expect(policy.last.units.get('device:l.oven')?.usable).toBe(false);
    await setDevice(test, 'bench', 'oven', 'idle');
    expect(blocked()).toEqual([false, false, false]);
    await test.engine.emergencyStops.engage({ id: 'h', scope: 'device:l.oven', by: 'ada', reason: '' });
    expect(blocked()).toEqual([false, false, true]);
    await test.engine.emergencyStops.release('h', 'ada');
    await test.engine.work.pauseProtocolRun('r', 'ada');
    expect(blocked()).toEqual([true, true, true]);
    await test.engine.work.resumeProtocolRun('r', 'ada');
    expect(blocked()).toEqual([false, false, false]);
  });

  it('is asked again at its own request, when a task overruns, and when it has a better plan', async () => {
    const { test, policy, ids } = await watched();
    const askedAt = (): number => policy.last.now;
    const begin = test.clock.now();
    policy.wakeAt = begin + 700;
    policy.ask?.();
    await test.clock.settle();
    await test.clock.advance(700);
    expect(askedAt()).toBe(begin + 700);
    policy.start = [ids['mix'] ?? ''];
    policy.ask?.();
    await test.clock.settle();
    const startedAt = test.task('r/mix').startedAt ?? 0;
    await test.live(4_400);
    policy.ask?.();
    await test.clock.settle();
    expect(policy.last.running?.[0]?.expectedEnd).toBe(startedAt + 4_400);
    await test.live(200);
    expect(policy.last.running?.[0]?.expectedEnd).toBe(startedAt + 5_000);
    expect(askedAt()).toBe(startedAt + 4_500);
    await test.live(1_000);
    expect(askedAt()).toBe(startedAt + 5_500);
  });

  it('is replaced by greedy for one turn when it throws or its plan is invalid', async () => {
    const { test, policy, ids } = await watched();
    policy.plan = () => {
      throw new TypeError('not a function');
    };
    policy.ask?.();
    await test.clock.settle();
    expect(test.running()).toEqual(['r/mix']);
    policy.plan = () => ({
      assignments: [{ task: ids['bake'] ?? '', units: {} }],
      timetable: null,
      wakeAt: null,
    });
    await test.complete('r/mix');
    expect(test.running()).toEqual(['r/pour']);
    const errors = test.lines.filter((line) => line.level === 'error').map((line) => line.message);
    expect(new Set(errors)).toEqual(
      new Set(['a scheduling policy failed', 'plan refused: the checker found faults']),
    );
  });

  it('ends its searches with the engine', async () => {
    const { test, policy } = await watched();
    await test.engine.stop();
    expect(policy.stopped).toBe(1);
  });

  it('expects the median of observed durations, from three on, also after a restart', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') }, duration: 60 }]);
    await test.open();
    for (const [name, ms] of [
      ['r1', 2_000],
      ['r2', 4_000],
      ['r3', 3_000],
    ] as const) {
      await test.run(name, 'p');
      await test.live(ms);
      await test.complete(`${name}/a`);
    }
    const durationOf = (): unknown =>
      test.engine.views.schedule({ rights: allLabs, limit: 10 }).tasks[0]?.duration;
    await test.run('r4', 'p');
    const learned = { expected: 3, declared: 60, learned: 3, samples: 3 };
    expect(durationOf()).toEqual(learned);
    await test.start();
    expect(durationOf()).toEqual(learned);
  });
});
