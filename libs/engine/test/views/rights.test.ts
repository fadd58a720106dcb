import type { LabRights } from '@lab/contracts';
import { expect, it } from 'vitest';
import { anyDevice, cpsat, device, greedy, TestLab, wholeQueue, type MakePolicy } from '../test-lab.js';

const own: LabRights = { see: ['own'], use: [] };

/** A run of both laboratories has the arm of `own`, for which tasks of both laboratories wait. */
async function busy(policy: MakePolicy): Promise<TestLab> {
  const test = new TestLab();
  test.policy = policy;
  test.lab('own', { arm: 'arm' }, { own_cup: 'cup' });
  test.lab('secret_place', { hidden_arm: 'arm' }, { hidden_cup: 'cup' });
  test.taskType('use', { devices: { arm: { type: 'arm' } } });
  test.protocol(
    'mine',
    [
      { name: 'a', devices: { arm: anyDevice('arm') }, duration: 10 },
      { name: 'b', needs: ['a'], duration: 10 },
    ],
    ['own'],
  );
  test.protocol(
    'secret_sort',
    [{ name: 'x', devices: { arm: device('own.arm') }, duration: 60 }],
    ['own', 'secret_place'],
  );
  test.protocol(
    'secret_far',
    [{ name: 'x', devices: { arm: device('secret_place.hidden_arm') } }],
    ['secret_place'],
  );
  await test.open();
  await test.run('secret_run', 'secret_sort', { owner: 'secret_ada' });
  await test.clock.settle();
  await test.run('secret_next', 'secret_sort', { owner: 'secret_ada', priority: 5 });
  await test.run('secret_else', 'secret_far', { owner: 'secret_bo' });
  await test.engine.submissions.campaign({
    ...{ name: 'secret_sweep', protocol: 'secret_far', owner: 'secret_bo', max_protocol_runs: 2 },
  });
  await test.run('r', 'mine', { owner: 'eve' });
  await test.clock.settle();
  await test.live(2_000);
  return test;
}

it.each([
  ['greedy', greedy],
  ['cpsat', cpsat],
] as const)(
  'the queue and the schedule of one laboratory tell nothing of another under %s',
  async (_, policy) => {
    const test = await busy(policy);
    const { views } = test.engine;
    const whole = views.queue(wholeQueue);
    const part = views.queue({ ...wholeQueue, rights: own });
    const schedule = views.schedule({ rights: own, limit: 100 });
    expect(JSON.stringify([part, schedule])).not.toMatch(/secret|hidden/);
    // Places are true, and figures are about what the reader sees.
    const placeOf = (label: string): number | undefined =>
      whole.items.find((item) => item.label === label)?.position;
    expect(part.items.map(({ label, position }) => [label, position])).toEqual(
      ['r/a', 'r/b'].map((label) => [label, placeOf(label)]),
    );
    expect(part.queue).toMatchObject({ waiting: 2, queued: 1, running: 0 });
    expect(whole.queue.waiting).toBeGreaterThan(2);
    const [first] = part.items;
    expect(first?.waits_for[0]).toMatchObject({
      ...{ code: 'device', unit: 'own.arm', held_by: 'other laboratories' },
      message: 'own.arm is used by other laboratories',
    });
    const ahead = first?.waits_for.flatMap(({ code, tasks }) => (code === 'lower_priority' ? tasks : []));
    expect(ahead).toEqual(policy === greedy ? ['other laboratories'] : []);
    expect(schedule.plan).toBeNull();
    expect(views.schedule({ rights: wholeQueue.rights, limit: 100 }).plan === null).toBe(policy === greedy);
    expect(schedule.tasks.map(({ label }) => label)).toEqual(['r/a', 'r/b']);
    expect([schedule.tasks_total, schedule.truncated, schedule.campaigns]).toEqual([2, false, []]);
    expect(schedule.protocol_runs.map(({ name }) => name)).toEqual(['r']);
    expect(schedule.units.map(({ name, used_by: user }) => [name, user])).toEqual([
      ['own.arm', 'other laboratories'],
      ['own_cup', null],
    ]);
  },
);

it('a page of the queue leads to the next task that the reader sees', async () => {
  const test = await busy(greedy);
  const page = { ...wholeQueue, rights: own, limit: 1 };
  const { items, end } = test.engine.views.queue(page);
  expect(items.map(({ label }) => label)).toEqual(['r/a']);
  const next = test.engine.views.queue({ ...page, after: end });
  expect([next.items.map(({ label }) => label), next.end]).toEqual([['r/b'], null]);
});

it('a laboratory has the tasks without devices of its runs, and rights without laboratories see nothing', async () => {
  const test = await busy(greedy);
  const labels = (rights: LabRights, lab?: string): string[] =>
    test.engine.views
      .schedule({ rights, limit: 100, ...(lab === undefined ? {} : { lab }) })
      .tasks.map(({ label }) => label);
  expect(labels(own, 'own')).toEqual(['r/a', 'r/b']);
  expect(labels(own, 'secret_place')).toEqual([]);
  expect(labels({ see: [], use: [] })).toEqual([]);
  expect(test.engine.views.queue({ ...wholeQueue, rights: { see: [], use: [] } })).toMatchObject({
    queue: { waiting: 0, queued: 0, running: 0 },
    items: [],
  });
});
