import { allLabs } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, everyPolicy, greedy, same, TestLab, type MakePolicy } from '../test-lab.js';

const glass = { beaker: 'glass', flask: 'glass' };

async function lab(policy: MakePolicy = greedy): Promise<TestLab> {
  const test = new TestLab();
  test.policy = policy;
  test.lab('l', { arm: 'arm@bench_b', spare: 'arm', scale: 'scale@bench_b' }, glass);
  test.protocol('arm', [{ name: 'a', devices: { d: device('l.arm') } }]);
  test.protocol('any', [{ name: 'a', devices: { d: anyDevice('arm') } }]);
  test.protocol('both', [{ name: 'a', devices: { near: device('l.spare'), far: device('l.scale') } }]);
  test.protocol('two', [
    { name: 'a', devices: { d: device('l.arm', true) } },
    { name: 'b', needs: ['a'], devices: { d: same('a.d') } },
  ]);
  test.protocol('again', [
    {
      name: 'a',
      devices: { d: device('l.arm') },
      policy: { retry: { attempts: 2, backoff: 0 } },
    },
  ]);
  test.taskType('think');
  test.taskType('pour', { input_resources: { from: { type: 'glass' }, to: { type: 'glass' } } });
  await test.open();
  return test;
}

const bench = { computer: 'bench_b', by: 'ada', reason: 'update', until: null };
const resumed = { computer: 'bench_b', by: 'bob' };
const later = (test: TestLab, ms: number): string => new Date(test.clock.now() + ms).toISOString();
const drainOf = (test: TestLab, computer = 'bench_b') =>
  test.engine.views.agents().find((each) => each.computer === computer)?.drain;
const waitsFor = (test: TestLab, label: string) =>
  test.engine.views.schedule({ rights: allLabs, limit: 100 }).tasks.find((task) => task.label === label)
    ?.waits_for;

describe.each(everyPolicy)('a drained computer with %s', (_name, policy) => {
  it('gets no task until a person resumes it, and the tasks that wait say why', async () => {
    const test = await lab(policy);
    await test.engine.outages.drain(bench);
    await test.run('r', 'arm');
    await test.run('s', 'both');
    await test.live(5_000);
    expect(test.running()).toEqual([]);
    expect(waitsFor(test, 'r/a')).toContainEqual({
      code: 'out_of_service',
      slot: 'd',
      unit: 'l.arm',
      until: null,
      message: 'l.arm cannot be used: its computer bench_b is drained by ada: update',
    });
    await test.engine.outages.resume(resumed);
    await test.live(1_000);
    expect(test.running().sort()).toEqual(['r/a', 's/a']);
    expect(drainOf(test)).toBeNull();
  });

  it('lets its tasks end, and says which still run', async () => {
    const test = await lab(policy);
    await test.run('r', 'arm');
    await test.run('s', 'both');
    await test.live(1_000);
    await test.engine.outages.drain(bench);
    // The task of s runs on another computer, and uses a device of this one.
    expect(drainOf(test)).toMatchObject({ drained: false, used_by: ['r/a', 's/a'], kept_by: [] });
    await test.complete('r/a');
    expect(drainOf(test)).toMatchObject({ drained: false, used_by: ['s/a'] });
    await test.complete('s/a');
    expect(drainOf(test)).toMatchObject({
      by: 'ada',
      reason: 'update',
      until: null,
      drained: true,
      used_by: [],
    });
  });

  it('names the runs that keep a device of it for their next task', async () => {
    const test = await lab(policy);
    await test.run('r', 'two');
    await test.engine.outages.drain(bench);
    await test.complete('r/a');
    await test.live(2_000);
    expect(test.tasks('r')).toEqual({ a: 'completed', b: 'queued' });
    expect(drainOf(test)).toMatchObject({ drained: true, kept_by: ['r'] });
    await test.engine.outages.resume(resumed);
    await test.live(1_000);
    expect(test.running()).toEqual(['r/b']);
  });

  it('gets no further attempt of a task that fails', async () => {
    const test = await lab(policy);
    await test.run('r', 'again');
    await test.engine.outages.drain(bench);
    await test.fail('r/a', 'it broke', 0);
    await test.live(5_000);
    expect(test.tasks('r')).toEqual({ a: 'queued' });
    expect(drainOf(test)).toMatchObject({ drained: true, used_by: [] });
    await test.engine.outages.resume(resumed);
    await test.live(1_000);
    expect(test.running()).toEqual(['r/a']);
  });

  it('leaves the work to other computers', async () => {
    const test = await lab(policy);
    await test.engine.outages.drain(bench);
    await test.run('r', 'any');
    await test.engine.submissions.task({ name: 't', type: 'think' });
    await test.live(1_000);
    expect(test.task('r/a').devices).toEqual({ d: { lab_name: 'l', name: 'spare' } });
    expect(test.running().sort()).toEqual(['r/a', 't']);
  });

  it('of the service gets no task without devices either', async () => {
    const test = await lab(policy);
    await test.engine.outages.drain({ ...bench, computer: 'svc_computer' });
    await test.engine.submissions.task({ name: 't', type: 'think' });
    await test.live(2_000);
    expect(test.running()).toEqual([]);
    expect(waitsFor(test, 't')).toContainEqual({
      code: 'out_of_service',
      until: null,
      message:
        'it has no device, so it would run on svc_computer: its computer svc_computer is drained by ada: update',
    });
    await test.engine.outages.resume({ computer: 'svc_computer', by: 'ada' });
    await test.live(1_000);
    expect(test.running()).toEqual(['t']);
  });

  it('of the service gets no task that has waited for resources for long', async () => {
    const test = await lab(policy);
    await test.engine.outages.drain({ ...bench, computer: 'svc_computer' });
    await test.engine.submissions.task({
      ...{ name: 't', type: 'pour' },
      input_resources: { from: 'beaker', to: 'flask' },
    });
    await test.live(120_000);
    // The scheduler decides anew.
    await test.run('s', 'arm');
    expect([test.running(), test.allocated()]).toEqual([['s/a'], ['l.arm']]);
    await test.engine.outages.resume({ computer: 'svc_computer', by: 'ada' });
    await test.live(1_000);
    expect(test.running().sort()).toEqual(['s/a', 't']);
  });
});

describe('the drain of a computer', () => {
  it('ends by itself when its time is over, also under another leader', async () => {
    const test = await lab();
    await test.engine.outages.drain({ ...bench, until: later(test, 20_000) });
    await test.open();
    await test.run('r', 'arm');
    await test.live(5_000);
    expect(test.running()).toEqual([]);
    await test.live(20_000);
    expect(test.running()).toEqual(['r/a']);
    expect(test.store.audit.at(-1)).toMatchObject({
      ...{ by: 'service', action: 'computer.resume', subject: 'computer/bench_b' },
      detail: { drained_by: 'ada', reason: 'update' },
    });
  });

  it('has an event at its beginning and at its end, and may be repeated', async () => {
    const test = await lab();
    await test.engine.outages.drain(bench);
    await test.engine.outages.drain({ ...bench, by: 'bob', reason: 'new disk' });
    expect(drainOf(test)).toMatchObject({ by: 'bob', reason: 'new disk' });
    await test.engine.outages.resume(resumed);
    await test.engine.outages.resume(resumed);
    const told = test.store.events.filter(({ type }) => /^agent\.(drained|resumed)$/.test(type));
    expect(told.map(({ aggregate, type, body }) => [aggregate, type, body['by'], body['ended_by']])).toEqual([
      ['agent/bench_b', 'agent.drained', 'ada', null],
      ['agent/bench_b', 'agent.drained', 'bob', null],
      ['agent/bench_b', 'agent.resumed', 'bob', 'bob'],
    ]);
  });

  it('does not hide that a person took one of its devices out of service', async () => {
    const test = await lab();
    await test.engine.outages.disable({ lab: 'l', device: 'arm', by: 'ada', reason: 'worn', until: null });
    await test.engine.outages.drain(bench);
    const shown = () =>
      test.engine.views.devices().map(({ name, out_of_service: out }) => [name, out?.reason]);
    expect(shown()).toEqual([
      ['arm', 'worn'],
      ['scale', 'update'],
      ['spare', undefined],
    ]);
    await test.engine.outages.resume(resumed);
    expect(shown()).toEqual([
      ['arm', 'worn'],
      ['scale', undefined],
      ['spare', undefined],
    ]);
  });

  it.each([
    [{ ...bench, computer: 'bench_x' }, 'not_found'],
    [{ ...bench, reason: ' ' }, 'invalid'],
    [{ ...bench, until: '2001-01-01T00:00:00Z' }, 'invalid'],
  ])('is refused as %o', async (asked, code) => {
    const test = await lab();
    await expect(test.engine.outages.drain(asked)).rejects.toMatchObject({ code });
  });

  it('is not ended for a computer that nobody knows', async () => {
    const test = await lab();
    await expect(test.engine.outages.resume({ computer: 'bench_x', by: 'ada' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
