import { allLabs } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, everyPolicy, greedy, same, TestLab, type MakePolicy } from '../test-lab.js';

async function lab(policy: MakePolicy = greedy): Promise<TestLab> {
  const test = new TestLab();
  test.policy = policy;
  test.lab('l', { arm: 'arm', spare: 'arm', scale: 'scale' });
  test.protocol('arm', [{ name: 'a', devices: { d: device('l.arm') } }]);
  test.protocol('any', [{ name: 'a', devices: { d: anyDevice('arm') } }]);
  test.protocol('two', [
    { name: 'a', devices: { d: device('l.arm', true) } },
    { name: 'b', needs: ['a'], devices: { d: same('a.d') } },
  ]);
  test.taskType('weigh', { devices: { d: { type: 'scale' } } });
  await test.open();
  return test;
}

const arm = { lab: 'l', device: 'arm' };
const broken = { ...arm, by: 'ada', reason: 'the gripper is broken', until: null };
const later = (test: TestLab, ms: number): string => new Date(test.clock.now() + ms).toISOString();
const recordOf = (test: TestLab, name: string) =>
  test.engine.views.devices().find((each) => each.name === name);
const waitsFor = (test: TestLab, label: string) =>
  test.engine.views.schedule({ rights: allLabs, limit: 100 }).tasks.find((task) => task.label === label)
    ?.waits_for;

describe.each(everyPolicy)('a device out of service with %s', (_name, policy) => {
  it('gets no task until a person puts it back, and the tasks that wait say why', async () => {
    const test = await lab(policy);
    await test.engine.outages.disable(broken);
    await test.run('r', 'arm');
    await test.live(5_000);
    expect(test.running()).toEqual([]);
    expect(waitsFor(test, 'r/a')).toContainEqual({
      code: 'out_of_service',
      slot: 'd',
      unit: 'l.arm',
      until: null,
      message: 'l.arm cannot be used: it is taken out of service by ada: the gripper is broken',
    });
    await test.engine.outages.enable({ ...arm, by: 'bob' });
    await test.clock.settle();
    expect(test.running()).toEqual(['r/a']);
    expect(recordOf(test, 'arm')?.out_of_service).toBeNull();
  });

  it('lets its running task end, and gives nothing to the next task of the run that holds it', async () => {
    const test = await lab(policy);
    await test.run('r', 'two');
    expect(test.running()).toEqual(['r/a']);
    await test.engine.outages.disable(broken);
    await test.live(2_000);
    expect(test.running()).toEqual(['r/a']);
    await test.complete('r/a');
    await test.live(2_000);
    expect(test.tasks('r')).toEqual({ a: 'completed', b: 'queued' });
    await test.engine.outages.enable({ ...arm, by: 'bob' });
    await test.clock.settle();
    expect(test.running()).toEqual(['r/b']);
  });

  it('leaves dynamic slots to the other devices of its type', async () => {
    const test = await lab(policy);
    await test.engine.outages.disable(broken);
    await test.run('r', 'any');
    await test.run('s', 'any');
    await test.live(1_000);
    expect(test.task('r/a').devices).toEqual({ d: { lab_name: 'l', name: 'spare' } });
    expect(test.task('s/a').state).toBe('queued');
  });

  it('comes back by itself when its time is over', async () => {
    const test = await lab(policy);
    await test.engine.outages.disable({ ...broken, until: later(test, 10_000) });
    await test.run('r', 'arm');
    await test.live(9_000);
    expect(test.running()).toEqual([]);
    await test.live(2_000);
    expect(test.running()).toEqual(['r/a']);
    expect(test.store.audit.at(-1)).toMatchObject({
      by: 'service',
      action: 'device.enable',
      subject: 'device/l.arm',
    });
  });
});

describe('an outage of a device', () => {
  it('survives the change of the leader, and its time still ends it', async () => {
    const test = await lab();
    await test.engine.outages.disable({ ...broken, until: later(test, 20_000) });
    await test.open();
    expect(recordOf(test, 'arm')?.out_of_service).toMatchObject({
      by: 'ada',
      reason: 'the gripper is broken',
    });
    await test.run('r', 'arm');
    await test.live(5_000);
    expect(test.running()).toEqual([]);
    await test.live(20_000);
    expect(test.running()).toEqual(['r/a']);
  });

  it('ends in time although the leader was away at that moment', async () => {
    const test = await lab();
    await test.engine.outages.disable({ ...broken, until: later(test, 1_000) });
    await test.clock.advance(5_000);
    await test.open();
    await test.run('r', 'arm');
    expect(test.running()).toEqual(['r/a']);
  });

  it('has an event and an audit entry at its beginning and at its end', async () => {
    const test = await lab();
    const until = later(test, 60_000);
    await test.engine.outages.disable({ ...broken, until });
    await test.engine.outages.enable({ ...arm, by: 'bob' });
    await test.engine.outages.enable({ ...arm, by: 'bob' });
    const told = test.store.events.filter(({ type }) => type.endsWith('_service'));
    expect(told.map(({ aggregate, type, body }) => [aggregate, type, body['ended_by']])).toEqual([
      ['device/l.arm', 'device.out_of_service', null],
      ['device/l.arm', 'device.in_service', 'bob'],
    ]);
    expect(told[0]?.body).toMatchObject({ lab: 'l', name: 'arm', by: 'ada', until, labs: ['l'] });
    const audit = test.store.audit.filter(({ subject }) => subject === 'device/l.arm');
    expect(audit).toMatchObject([
      { by: 'ada', action: 'device.disable', detail: { reason: 'the gripper is broken', until } },
      { by: 'bob', action: 'device.enable', detail: { disabled_by: 'ada' } },
    ]);
  });

  it('takes the reason and the time of the latest request', async () => {
    const test = await lab();
    await test.engine.outages.disable(broken);
    const until = later(test, 60_000);
    await test.engine.outages.disable({ ...broken, by: 'bob', reason: 'waits for a part', until });
    expect(recordOf(test, 'arm')?.out_of_service).toMatchObject({
      by: 'bob',
      reason: 'waits for a part',
      until,
    });
    await test.engine.outages.enable({ ...arm, by: 'bob' });
    expect(recordOf(test, 'arm')?.out_of_service).toBeNull();
  });

  it('is refused without a reason, for a past time and for an unknown device', async () => {
    const test = await lab();
    const { outages } = test.engine;
    await expect(outages.disable({ ...broken, reason: ' ' })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'reason' }],
    });
    await expect(outages.disable({ ...broken, until: later(test, 0) })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'until', code: 'past' }],
    });
    await expect(outages.disable({ ...broken, device: 'leg' })).rejects.toMatchObject({
      code: 'unknown_device',
    });
    await expect(outages.enable({ lab: 'm', device: 'arm', by: 'ada' })).rejects.toMatchObject({
      code: 'unknown_lab',
    });
    expect(test.store.rows.outages.size).toBe(0);
  });
});
