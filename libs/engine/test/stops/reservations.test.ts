import { allLabs } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { anyDevice, device, everyPolicy, greedy, TestLab, wholeQueue, type MakePolicy } from '../test-lab.js';

const minuteMs = 60_000;

async function lab(policy: MakePolicy = greedy): Promise<TestLab> {
  const test = new TestLab();
  test.policy = policy;
  test.lab('l', { arm: 'arm', spare: 'arm', scale: 'scale' }, { beaker: 'beaker' });
  test.protocol('short', [{ name: 'a', duration: 60, devices: { d: device('l.arm') } }]);
  test.protocol('long', [{ name: 'a', duration: 1_200, devices: { d: device('l.arm') } }]);
  test.protocol('any', [{ name: 'a', duration: 60, devices: { d: anyDevice('arm') } }]);
  test.protocol('both', [{ name: 'a', duration: 60, devices: { d: device('l.arm'), s: device('l.scale') } }]);
  test.protocol('scale', [{ name: 'a', duration: 60, devices: { s: device('l.scale') } }]);
  test.taskType('weigh', { devices: { d: { type: 'scale' } } });
  test.taskType('fill', { input_resources: { r: { type: 'beaker' } } });
  await test.open();
  return test;
}

const later = (test: TestLab, minutes: number): string =>
  new Date(test.clock.now() + minutes * minuteMs).toISOString();
/** Reserves a unit for ada. @param from minutes from now, as `to` */
const reserve = (test: TestLab, from: number, to: number, more: object = {}) =>
  test.engine.reservations.add({
    ...{ lab: 'l', device: 'arm', resource: null, reason: 'calibration', by: 'ada' },
    ...{ from: later(test, from), to: later(test, to) },
    ...more,
  });
const waitsFor = (test: TestLab, label: string) =>
  test.engine.views.schedule({ rights: allLabs, limit: 100 }).tasks.find((task) => task.label === label)
    ?.waits_for;
/** Plans with a fault, which the checkers keep from being carried out. */
const refusedPlans = (test: TestLab) => test.lines.filter(({ level }) => level === 'error');
const weigh = async (test: TestLab, owner: string): Promise<void> => {
  const devices = { d: { lab_name: 'l', name: 'scale' } };
  await test.engine.submissions.task({ name: 'w', type: 'weigh', owner, devices });
  await test.clock.settle();
};

describe.each(everyPolicy)('a reservation of a device with %s', (_name, policy) => {
  it('lets only tasks of its owner start within its time, and its end starts the others', async () => {
    const test = await lab(policy);
    const { from, to } = await reserve(test, 0, 10);
    await test.run('other', 'short', { owner: 'bob' });
    await test.live(9 * minuteMs);
    expect(test.running()).toEqual([]);
    const cause = {
      code: 'reserved',
      slot: 'd',
      unit: 'l.arm',
      held_by: 'ada',
      from,
      until: to,
      message: `l.arm cannot be used: it is reserved by ada from ${from} to ${to}: calibration`,
    };
    expect(waitsFor(test, 'other/a')).toContainEqual(cause);
    expect(test.engine.views.queue(wholeQueue).items[0]?.waits_for).toContainEqual(cause);
    await test.run('own', 'short', { owner: 'ada' });
    expect(test.running()).toEqual(['own/a']);
    await test.complete('own/a');
    expect(test.running()).toEqual([]);
    await test.live(minuteMs);
    expect(test.running()).toEqual(['other/a']);
    expect(refusedPlans(test)).toEqual([]);
    expect(test.engine.views.reservations()).toEqual([]);
    expect(test.store.audit.at(-1)).toMatchObject({ by: 'service', action: 'reservation.end' });
  });

  it('lets a task start before its time only if the task is expected to end by then', async () => {
    const test = await lab(policy);
    await reserve(test, 10, 30);
    await test.run('long', 'long', { owner: 'bob' });
    expect(test.running()).toEqual([]);
    expect(waitsFor(test, 'long/a')?.map(({ code }) => code)).toContain('reserved');
    await test.run('short', 'short', { owner: 'bob' });
    expect(test.running()).toEqual(['short/a']);
    await test.complete('short/a');
    await test.live(9 * minuteMs + 1_000);
    await test.run('late', 'short', { owner: 'bob' });
    expect(test.running()).toEqual([]);
  });

  it('keeps tasks of unknown duration away for the hour before', async () => {
    const test = await lab(policy);
    await reserve(test, 60, 90, { device: 'scale' });
    await weigh(test, 'bob');
    expect(test.running()).toEqual(['w']);
    await test.complete('w');
    await test.live(1_000);
    await weigh(test, 'bob');
    await test.live(5_000);
    expect(test.running()).toEqual([]);
  });

  it('does not interrupt a running task', async () => {
    const test = await lab(policy);
    await test.run('r', 'long', { owner: 'bob' });
    await reserve(test, 0, 5);
    await test.live(2 * minuteMs);
    expect(test.running()).toEqual(['r/a']);
  });

  it('leaves dynamic slots to the other devices of the type', async () => {
    const test = await lab(policy);
    await reserve(test, 0, 5);
    await test.run('r', 'any', { owner: 'bob' });
    expect(test.task('r/a').devices).toEqual({ d: { lab_name: 'l', name: 'spare' } });
    expect(refusedPlans(test)).toEqual([]);
  });

  it('does not keep other devices for a task that waits for the reserved one', async () => {
    const test = await lab(policy);
    await reserve(test, 0, 10);
    await test.run('both', 'both', { owner: 'bob' });
    await test.live(2 * minuteMs);
    await test.run('scale', 'scale', { owner: 'bob' });
    await test.live(1_000);
    expect(test.running()).toEqual(['scale/a']);
  });

  it('covers a resource', async () => {
    const test = await lab(policy);
    const { id } = await reserve(test, 0, 10, { device: null, resource: 'beaker' });
    await test.engine.submissions.task({
      name: 'f',
      type: 'fill',
      owner: 'bob',
      input_resources: { r: 'beaker' },
    });
    await test.live(2_000);
    expect(test.running()).toEqual([]);
    await test.engine.reservations.end({ id, by: 'eve' });
    await test.clock.settle();
    expect(test.running()).toEqual(['f']);
  });

  it('survives the change of the leader, and its time still ends it', async () => {
    const test = await lab(policy);
    await reserve(test, 0, 2);
    await test.open();
    expect(test.engine.views.reservations()).toMatchObject([{ device: 'arm', by: 'ada' }]);
    await test.run('r', 'short', { owner: 'bob' });
    await test.live(minuteMs);
    expect(test.running()).toEqual([]);
    await test.live(minuteMs + 1_000);
    expect(test.running()).toEqual(['r/a']);
  });
});

describe('a reservation', () => {
  it('of an unnamed person is for nobody, not for the tasks of all unnamed people', async () => {
    const test = await lab();
    await reserve(test, 0, 10, { by: 'unknown' });
    await test.run('r', 'short', { owner: 'unknown' });
    expect(test.running()).toEqual([]);
  });

  it('has an event and an audit entry at its beginning and at its end', async () => {
    const test = await lab();
    const { id, from, to } = await reserve(test, 0, 10);
    const ended = await test.engine.reservations.end({ id, by: 'eve' });
    expect(ended).toMatchObject({ id, by: 'ada', from, to });
    const told = test.store.events.filter(({ type }) => type.startsWith('device.reserv'));
    const about = { id, lab: 'l', name: 'arm', by: 'ada', from, to, labs: ['l'] };
    expect(told).toMatchObject([
      { type: 'device.reserved', body: { ...about, ended_by: null } },
      { type: 'device.reservation_ended', body: { ...about, ended_by: 'eve' } },
    ]);
    expect(test.store.audit.filter(({ subject }) => subject === 'device/l.arm')).toMatchObject([
      { by: 'ada', action: 'reservation.add', detail: { id, reason: 'calibration', from, to } },
      { by: 'eve', action: 'reservation.end', detail: { id, reserved_by: 'ada' } },
    ]);
    await expect(test.engine.reservations.end({ id, by: 'eve' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is refused when it overlaps with another of the same unit, with its owner and time', async () => {
    const test = await lab();
    const { from, to, id } = await reserve(test, 60, 120);
    for (const [start, end] of [
      [30, 61],
      [60, 120],
      [70, 80],
      [119, 200],
    ] as const)
      await expect(reserve(test, start, end, { by: 'bob' })).rejects.toMatchObject({
        code: 'wrong_state',
        message: `l.arm cannot be reserved for this time: it is reserved by ada from ${from} to ${to}: calibration. Choose another time, or end the reservation ${id}.`,
      });
    await reserve(test, 30, 60, { by: 'bob' });
    await reserve(test, 120, 130, { by: 'bob' });
    await reserve(test, 60, 120, { by: 'bob', device: 'spare' });
    expect(test.store.rows.reservations.size).toBe(4);
  });

  it.each([
    ['a past time', { from: -60, to: 0 }, {}, { code: 'invalid', faults: [{ path: 'to', code: 'past' }] }],
    ['an empty time', { from: 5, to: 5 }, {}, { code: 'invalid', faults: [{ path: 'to', code: 'order' }] }],
    [
      'a time too far ahead',
      { from: 5, to: 30 * 24 * 60 + 1 },
      {},
      { code: 'invalid', faults: [{ path: 'to', code: 'too_far' }] },
    ],
    ['no reason', { from: 0, to: 5 }, { reason: ' ' }, { code: 'invalid', faults: [{ path: 'reason' }] }],
    ['no unit', { from: 0, to: 5 }, { device: null }, { code: 'invalid', faults: [{ path: 'device' }] }],
    [
      'two units',
      { from: 0, to: 5 },
      { resource: 'beaker' },
      { code: 'invalid', faults: [{ path: 'resource' }] },
    ],
    ['an unknown device', { from: 0, to: 5 }, { device: 'leg' }, { code: 'unknown_device' }],
    ['an unknown lab', { from: 0, to: 5 }, { lab: 'm' }, { code: 'unknown_lab' }],
    [
      'an unknown resource',
      { from: 0, to: 5 },
      { device: null, resource: 'cup' },
      { code: 'not_found', message: 'the laboratory l has no resource "cup"' },
    ],
  ])('is refused for %s', async (_what, { from, to }, more, problem) => {
    const test = await lab();
    await expect(reserve(test, from, to, more)).rejects.toMatchObject(problem);
    expect(test.store.rows.reservations.size).toBe(0);
  });

  it('that has begun by its given time begins now', async () => {
    const test = await lab();
    const made = await reserve(test, -5, 5);
    expect(made.from).toBe(made.created_at);
  });
});
