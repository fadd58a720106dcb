import { allLabs, type QueueQuery } from '@lab/contracts';
import type { Plan, Timetable } from '@lab/scheduling';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, TestLab, wholeQueue } from '../test-lab.js';

const use = { type: 'use', devices: { d: { lab_name: 'l', name: 'm1' } }, allocation_timeout: 9_000 };

/** A run has the mixer `m1`, for which two tasks wait. Its second task needs `m2`. */
async function busy(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { m1: 'mixer', m2: 'other' });
  test.lab('k', { far: 'mixer' });
  test.taskType('use', { devices: { d: { type: 'mixer' } } });
  test.protocol('p', [
    { name: 'a', devices: { d: device('l.m1') } },
    { name: 'b', needs: ['a'], devices: { d: device('l.m2') } },
  ]);
  await test.open();
  await test.run('r', 'p', { owner: 'ada' });
  await test.engine.submissions.task({ name: 'low', priority: 0, owner: 'bo', ...use });
  await test.engine.submissions.task({ name: 'high', priority: 2, owner: 'ada', ...use });
  await test.clock.settle();
  return test;
}

function placesOf(test: TestLab, query: Partial<QueueQuery> = {}): [number, string][] {
  const { items } = test.engine.views.queue({ ...wholeQueue, ...query });
  return items.map(({ position, label }) => [position, label]);
}

describe('the queue', () => {
  it('lists waiting tasks in the order of consideration, with the causes of the schedule', async () => {
    const test = await busy();
    const { queue, items, end } = test.engine.views.queue(wholeQueue);
    expect(queue).toMatchObject({ paused: false, waiting: 3, queued: 2, running: 1 });
    expect(queue.waiting).toBe(items.length);
    expect(end).toBeNull();
    expect(placesOf(test)).toEqual([
      [1, 'high'],
      [2, 'low'],
      [3, 'r/b'],
    ]);
    expect(items[0]).toMatchObject({
      name: 'high',
      type: 'use',
      owner: 'ada',
      state: 'queued',
      priority: 2,
      planned_start: null,
      waits_for: [{ code: 'device', unit: 'l.m1', held_by: 'r/a' }],
    });
    expect(items[1]?.waits_for.map(({ code }) => code)).toEqual(['device', 'lower_priority']);
    expect(items[2]).toMatchObject({
      protocol_run: 'r',
      state: 'created',
      waits_for: [{ code: 'dependency' }],
    });
    const { tasks } = test.engine.views.schedule({ rights: allLabs, limit: 100 });
    for (const { id, waits_for: causes } of items)
      expect(tasks.find((task) => task.id === id)?.waits_for).toEqual(causes);
  });

  it('adds waiting time to the priority, and shows the next starts', async () => {
    const test = await busy();
    const began = new Date(test.clock.now()).toISOString();
    await test.live(1_201_000);
    await test.engine.submissions.task({ name: 'late', priority: 1, owner: 'ada', ...use });
    await test.clock.settle();
    const [high, low, late] = test.engine.views.queue(wholeQueue).items;
    expect([high, low, late].map((task) => [task?.label, task?.priority, task?.effective_priority])).toEqual([
      ['high', 2, 4],
      ['low', 0, 2],
      ['late', 1, 1],
    ]);
    expect([low?.waiting_since, low?.waited, late?.waited]).toEqual([began, 1_201, 0]);
    await test.complete('r/a');
    expect(test.running()).toContain('high');
    expect(placesOf(test)).toEqual([
      [1, 'low'],
      [2, 'late'],
    ]);
  });

  it('gives the queue pause as a cause of every task', async () => {
    const test = await busy();
    await test.engine.queuePause.pause('ada');
    const { queue, items } = test.engine.views.queue(wholeQueue);
    expect(queue).toMatchObject({ paused: true, paused_by: 'ada' });
    expect(items.map(({ waits_for: [cause] }) => cause?.code)).toEqual(['paused', 'paused', 'paused']);
  });

  it('is filtered without renumbering', async () => {
    const test = await busy();
    expect(placesOf(test, { owner: 'bo' })).toEqual([[2, 'low']]);
    expect(placesOf(test, { protocol_run: 'r' })).toEqual([[3, 'r/b']]);
    expect(placesOf(test, { device: 'l.m2' })).toEqual([[3, 'r/b']]);
    expect(placesOf(test, { device: 'l.m1', owner: 'ada' })).toEqual([[1, 'high']]);
    expect(placesOf(test, { lab: 'l' })).toHaveLength(3);
    for (const query of [{ campaign: 'c' }, { lab: 'k' }, { device: 'l.none' }, { owner: 'nobody' }])
      expect(placesOf(test, query)).toEqual([]);
    test.protocol('q', [{ name: 'x', devices: { d: anyDevice('other') } }]);
    await test.engine.queuePause.pause('ada');
    await test.engine.submissions.campaign({ name: 'c', protocol: 'q', owner: 'ada', max_protocol_runs: 1 });
    await test.clock.settle();
    expect(test.engine.views.queue({ ...wholeQueue, campaign: 'c' }).items).toMatchObject([
      { label: 'c_run_1/x', campaign: 'c' },
    ]);
  });

  it('is read in pages from either end, after a task that may have moved', async () => {
    const test = await busy();
    const idOf = (label: string): string =>
      test.engine.views.queue(wholeQueue).items.find((task) => task.label === label)?.id ??
      expect.fail(label);
    const [low, high, last] = [idOf('low'), idOf('high'), idOf('r/b')];
    expect(test.engine.views.queue({ ...wholeQueue, limit: 2 }).end).toEqual({ value: 2, id: low });
    expect(placesOf(test, { after: { value: 2, id: low } })).toEqual([[3, 'r/b']]);
    const backwards = { descending: true, after: { value: 3, id: last } };
    expect(placesOf(test, backwards)).toEqual([
      [2, 'low'],
      [1, 'high'],
    ]);
    expect(test.engine.views.queue({ ...wholeQueue, ...backwards }).end).toBeNull();

    await test.engine.submissions.task({ name: 'urgent', priority: 9, owner: 'ada', ...use });
    await test.clock.settle();
    expect(placesOf(test, { after: { value: 2, id: low } })).toEqual([[4, 'r/b']]);
    await test.engine.work.cancelTask('high');
    await test.clock.settle();
    // The next task has moved up.
    expect(placesOf(test, { after: { value: 2, id: high } })).toEqual([
      [2, 'low'],
      [3, 'r/b'],
    ]);
    expect(placesOf(test, { after: { value: 2, id: high }, descending: true })).toEqual([[1, 'urgent']]);
    expect(placesOf(test, { after: { value: 9, id: high } })).toEqual([]);
  });

  it('is returned in pages that fit into a message', async () => {
    const test = new TestLab();
    const names = Array.from({ length: 400 }, (_, n) => `${'m'.repeat(40)}${n}`);
    test.lab('l', Object.fromEntries(names.map((name) => [name, 'mixer'])));
    test.agents.deviceState = () => 'faulted';
    test.protocol(
      'p',
      Array.from({ length: 30 }, (_, n) => ({ name: `t${n}`, devices: { d: anyDevice('mixer') } })),
    );
    await test.open();
    await test.run('r', 'p');
    const seen: string[] = [];
    let parts = 0;
    for (let after: QueueQuery['after'] = null; ;) {
      const { items, end } = test.engine.views.queue({ ...wholeQueue, after });
      expect(JSON.stringify(items).length).toBeLessThan(600_000);
      seen.push(...items.map(({ label }) => label));
      parts += 1;
      if (end === null) break;
      after = end;
    }
    expect(parts).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(30);
    expect(seen).toHaveLength(30);
  });
});

describe('the queue under a plan', () => {
  it('lists planned tasks by their starts, then the others', async () => {
    const test = new TestLab();
    test.lab('l', { m1: 'mixer', m2: 'mixer' });
    test.protocol('p', [{ name: 'a', devices: { d: anyDevice('mixer') }, duration: 5 }]);
    let timetable: Timetable | null = null;
    let ask = (): void => undefined;
    test.policy = () => ({
      name: 'cpsat',
      scope: 'all',
      plan: (): Plan => ({ assignments: [], timetable, wakeAt: null }),
      begin: (again) => void (ask = again),
    });
    await test.open();
    for (const [name, priority] of [
      ['r', 9],
      ['s', 0],
      ['t', 1],
    ] as const)
      await test.run(name, 'p', { priority });
    const now = test.clock.now();
    const place = (label: string, unit: string, start: number) => ({
      task: test.task(label).id,
      start: now + start,
      end: now + start + 5_000,
      units: { 'device:d': `device:l.${unit}` },
    });
    timetable = {
      madeAt: now,
      tasks: [place('t/a', 'm1', 3_000), place('s/a', 'm2', 1_000)],
      quality: { weightedCompletion: 1, makespan: 1, objective: 1, lowerBound: null, gap: null },
      provenance: { engine: 'list', seed: null, ms: null, reproducible: true },
      unplanned: [{ task: test.task('r/a').id, reason: 'it lies beyond the horizon of the plan' }],
    };
    ask();
    await test.clock.settle();
    expect(placesOf(test)).toEqual([
      [1, 's/a'],
      [2, 't/a'],
      [3, 'r/a'],
    ]);
    expect(placesOf(test, { device: 'l.m1' })).toEqual([
      [2, 't/a'],
      [3, 'r/a'],
    ]);
    const [first, , last] = test.engine.views.queue(wholeQueue).items;
    expect(first?.planned_start).toBe(new Date(now + 1_000).toISOString());
    expect(last).toMatchObject({ planned_start: null, waits_for: [{ code: 'beyond_horizon' }] });
  });
});
