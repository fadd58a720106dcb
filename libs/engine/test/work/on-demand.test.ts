import type { TaskStart } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, ints, TestLab } from '../test-lab.js';

async function lab(options = {}): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm', mixer: 'mixer' }, { beaker: 'beaker' });
  test.taskType('grip', { devices: { hand: { type: 'arm' } }, input_parameters: ints('force') });
  test.taskType('rinse', { input_resources: { cup: { type: 'beaker' } } });
  test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
  test.protocol('stir', [{ name: 's', devices: { d: device('l.mixer') } }]);
  await test.open(options);
  return test;
}

const arm = { hand: { lab_name: 'l', name: 'arm' } };
const grip = (name: string, more = {}) => ({
  name,
  type: 'grip',
  devices: arm,
  input_parameters: { force: 1 },
  ...more,
});

describe('an on-demand task', () => {
  it('starts at once when its device is free, and completes', async () => {
    const test = await lab();
    await test.engine.submissions.task(grip('t'));
    await test.clock.settle();
    expect(test.running()).toEqual(['t']);
    await test.complete('t');
    expect(test.task('t')).toMatchObject({ state: 'completed', attempt: 1, allocationTimeout: 600 });
    expect(test.allocated()).toEqual([]);
  });

  it('gets every device that it names, also under a handle that its type does not declare', async () => {
    const test = await lab();
    const started: TaskStart[] = [];
    test.agents.onStart = ({ start }) => void started.push(start);
    const way = { lab_name: 'l', name: 'mixer' };
    await test.engine.submissions.task(grip('t', { devices: { ...arm, way } }));
    await test.clock.settle();
    expect(test.allocated()).toEqual(['l.arm', 'l.mixer']);
    expect(started[0]?.devices['way']).toMatchObject({ lab: 'l', name: 'mixer', type: 'mixer' });
    await test.run('r', 'stir');
    expect(test.running()).toEqual(['t']);
    await test.complete('t');
    expect(test.running()).toEqual(['r/s']);
  });

  it('waits for its device, and a higher priority goes first', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.submissions.task(grip('low'));
    await test.engine.submissions.task(grip('high', { priority: 1 }));
    await test.complete('r/a');
    expect(test.running()).toEqual(['high']);
  });

  it('fails exactly at the end of its allocation timeout', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const at = test.clock.now();
    await test.engine.submissions.task(grip('t', { allocation_timeout: 2.5 }));
    await test.clock.advance(2499);
    expect(test.task('t').state).toBe('queued');
    await test.clock.advance(1);
    expect(test.task('t')).toMatchObject({
      state: 'failed',
      reason: { code: 'allocation_timeout' },
      endedAt: at + 2500,
    });
  });

  it('fails at the same time under the next engine', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.submissions.task(grip('t', { allocation_timeout: 60 }));
    const deadline = test.clock.now() + 60_000;
    await test.engine.stop();
    await test.start();
    await test.clock.advanceTo(deadline - 1);
    expect(test.task('t').state).toBe('queued');
    await test.clock.advance(1);
    expect(test.task('t').endedAt).toBe(deadline);
  });

  it('fails as soon as an engine leads when its timeout ended without a leader', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.submissions.task(grip('t', { allocation_timeout: 5 }));
    await test.engine.stop();
    await test.clock.advance(10_000);
    await test.start();
    await test.clock.settle();
    expect(test.task('t')).toMatchObject({ state: 'failed', reason: { code: 'allocation_timeout' } });
  });

  it('with a timeout of zero starts at once or fails at once', async () => {
    const test = await lab();
    await test.engine.submissions.task(grip('t', { allocation_timeout: 0 }));
    await test.engine.submissions.task(grip('u', { allocation_timeout: 0 }));
    await test.clock.settle();
    expect(test.task('t').state).toBe('running');
    expect(test.task('u').state).toBe('failed');
  });

  it('leaves the queue when it is cancelled', async () => {
    const test = await lab();
    await test.run('r', 'p');
    await test.engine.submissions.task(grip('t'));
    await test.engine.work.cancelTask('t');
    expect(test.task('t')).toMatchObject({ state: 'cancelled', reason: { code: 'cancelled_by_request' } });
    await test.complete('r/a');
    expect(test.running()).toEqual([]);
    await expect(test.engine.work.cancelTask('t')).rejects.toMatchObject({ code: 'wrong_state' });
  });

  it('has a name that is unique among unfinished tasks and is free afterwards', async () => {
    const test = await lab();
    await test.engine.submissions.task(grip('t'));
    await expect(test.engine.submissions.task(grip('t'))).rejects.toMatchObject({ code: 'duplicate_name' });
    await test.clock.settle();
    await test.complete('t');
    await expect(test.engine.submissions.task(grip('t'))).resolves.toMatchObject({ name: 't' });
  });

  it.each([
    ['unknown_lab', { devices: { hand: { lab_name: 'z', name: 'arm' } } }, 'devices.hand.lab_name'],
    ['unknown_device', { devices: { hand: { lab_name: 'l', name: 'leg' } } }, 'devices.hand.name'],
    ['wrong_device_type', { devices: { hand: { lab_name: 'l', name: 'mixer' } } }, 'devices.hand'],
    ['missing_device', { devices: {} }, 'devices.hand'],
    ['unknown_device', { devices: { ...arm, foot: { lab_name: 'l', name: 'leg' } } }, 'devices.foot.name'],
    ['given_twice', { devices: { ...arm, foot: { lab_name: 'l', name: 'arm' } } }, 'devices.foot'],
    ['unknown_handle', { input_resources: { cup: 'beaker' } }, 'input_resources.cup'],
    ['missing_parameter', { input_parameters: {} }, 'input_parameters.force'],
    ['type', { input_parameters: { force: 'much' } }, 'input_parameters.force'],
  ])('with the fault %s is refused at its path', async (code, more, path) => {
    const test = await lab();
    await expect(test.engine.submissions.task(grip('t', more))).rejects.toMatchObject({
      code: 'invalid',
      effect: 'none',
      faults: expect.arrayContaining([expect.objectContaining({ code, path })]),
    });
  });

  it('is told which devices fit, and that no loaded laboratory has one', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.taskType('grip', { devices: { hand: { type: 'arm' }, eye: { type: 'camera' } } });
    await test.open();
    const cause = 'no loaded laboratory has a device of type camera: load a laboratory that has one';
    const fault = (code: string, path: string, hint: string) =>
      expect.objectContaining({ code, path, hint }) as object;
    await expect(test.engine.submissions.task({ name: 't', type: 'grip' })).rejects.toMatchObject({
      faults: [
        fault('missing_device', 'devices.hand', 'use one of l.arm'),
        fault('missing_device', 'devices.eye', cause),
      ],
    });
    const eye = { eye: { lab_name: 'l', name: 'arm' } };
    await expect(
      test.engine.submissions.task({ name: 't', type: 'grip', devices: eye }),
    ).rejects.toMatchObject({
      faults: expect.arrayContaining([fault('wrong_device_type', 'devices.eye', cause)]) as object,
    });
  });

  it.each([
    ['unknown_resource', { cup: 'mug' }],
    ['missing_resource', {}],
  ])('with the fault %s in its resources is refused', async (code, input_resources) => {
    const test = await lab();
    await expect(
      test.engine.submissions.task({ name: 't', type: 'rinse', input_resources }),
    ).rejects.toMatchObject({
      code: 'invalid',
      faults: [expect.objectContaining({ code, path: 'input_resources.cup' })],
    });
  });

  it('of an unloaded type is refused with the command that loads it', async () => {
    const test = await lab();
    await expect(test.engine.submissions.task({ name: 't', type: 'fly' })).rejects.toMatchObject({
      code: 'unknown_task_type',
      message: 'no task type "fly" is loaded',
      faults: [
        expect.objectContaining({
          hint: expect.stringMatching(/^use one of .*; .*: svc tasks reload fly$/) as string,
        }),
      ],
    });
  });

  it('gets its resource with the current metadata', async () => {
    const test = await lab();
    await test.engine.submissions.task({ name: 't', type: 'rinse', input_resources: { cup: 'beaker' } });
    await test.clock.settle();
    expect(test.task('t').resources).toEqual({
      cup: { name: 'beaker', type: 'beaker', meta: { capacity: 10 } },
    });
  });

  it('is refused while too many tasks wait, and accepted afterwards', async () => {
    const test = await lab({ maxQueued: 1 });
    await test.engine.submissions.task(grip('t'));
    await test.clock.settle();
    await test.engine.submissions.task(grip('u'));
    await expect(test.engine.submissions.task(grip('v'))).rejects.toMatchObject({
      code: 'backlog_full',
      retryAfterS: 60,
      retryable: true,
    });
    await test.complete('t');
    await expect(test.engine.submissions.task(grip('v'))).resolves.toMatchObject({ name: 'v' });
  });

  it('is refused while its owner has too many queued tasks, unlike tasks of others and without an owner', async () => {
    const test = await lab({ maxQueuedPerOwner: 2 });
    await test.engine.queuePause.pause('ada');
    const submit = (name: string, owner?: string) =>
      test.engine.submissions.task({ ...grip(name), ...(owner === undefined ? {} : { owner }) });
    for (const name of ['a', 'b']) await submit(name, 'ada');
    await expect(submit('c', 'ada')).rejects.toMatchObject({
      code: 'backlog_full',
      effect: 'none',
      message: '2 tasks of "ada" are waiting already; submit again when some of them have run',
    });
    await expect(submit('d', 'bob')).resolves.toMatchObject({ name: 'd' });
    for (const name of ['e', 'f', 'g']) await expect(submit(name)).resolves.toMatchObject({ name });
    await test.engine.work.cancelTask('a');
    await expect(submit('c', 'ada')).resolves.toMatchObject({ name: 'c' });
  });
});
