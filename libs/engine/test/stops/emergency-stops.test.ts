import type { DeviceStatus, EmergencyStop } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, TestLab, wholeQueue } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc', scale: 'scale' });
  test.lab('m', { oven: 'oven' });
  for (const key of ['l.arm', 'l.scale', 'm.oven'])
    test.protocol(key, [{ name: 'a', devices: { d: device(key) }, policy: { retry: { attempts: 5 } } }]);
  test.protocol('none', [{ name: 'a' }]);
  await test.open();
  return test;
}

const stop = (scope: string, id = 'stop-1'): EmergencyStop => ({ id, scope, by: 'ada', reason: 'spill' });
const recorded = (test: TestLab) => [...test.store.rows.emergencyStops.values()];
const everything = ['l.arm', 'l.scale', 'm.oven', 'none'];

async function runAll(test: TestLab): Promise<void> {
  for (const name of everything) await test.run(name, name);
}

describe('an emergency stop', () => {
  it.each([
    ['device:l.arm', ['l.scale/a', 'm.oven/a', 'none/a']],
    ['lab:l', ['m.oven/a', 'none/a']],
    ['all', []],
  ])('of %s prevents every start in its scope until it is released', async (scope, running) => {
    const test = await lab();
    await test.engine.emergencyStops.engage(stop(scope));
    await runAll(test);
    await test.live(5000);
    expect(test.running()).toEqual(running);
    expect(await test.engine.emergencyStops.release('stop-1', 'bob')).toEqual({ ids: ['stop-1'] });
    await test.clock.settle();
    expect(test.running()).toEqual(everything.map((name) => `${name}/a`).sort());
  });

  it('stops attempts in its scope and leaves their tasks to a person', async () => {
    const test = await lab();
    await runAll(test);
    await test.engine.emergencyStops.engage(stop('lab:l'));
    await test.live(2000);
    expect(test.agents.stops.map(({ label }) => label).sort()).toEqual(['l.arm/a', 'l.scale/a']);
    expect(test.agents.stops[0]?.reason).toBe('emergency stop by ada: spill');
    expect(test.running()).toEqual(['m.oven/a', 'none/a']);
    for (const name of ['l.arm', 'l.scale']) {
      expect(test.task(`${name}/a`)).toMatchObject({
        state: 'needs_attention',
        reason: { code: 'emergency_stop', message: 'emergency stop by ada: spill' },
      });
      expect(test.runState(name)).toBe('needs_attention');
    }
    expect(test.allocated()).toEqual(['l.arm', 'l.scale', 'm.oven']);
    const item = [...test.store.rows.attention.values()].find(
      ({ taskRunId }) => taskRunId === test.task('l.arm/a').id,
    );
    await test.engine.attention.decide({ id: item?.id ?? '', action: 'retry' });
    await test.live(2000);
    expect(test.task('l.arm/a').state).toBe('queued');
    await test.engine.emergencyStops.release(null, 'ada');
    await test.clock.settle();
    expect(test.task('l.arm/a')).toMatchObject({ state: 'running', attempt: 2 });
  });

  it('of everything lets a task without devices run to its end', async () => {
    const test = await lab();
    await test.run('none', 'none');
    await test.engine.emergencyStops.engage(stop('all'));
    await test.live(2000);
    expect(test.running()).toEqual(['none/a']);
    await test.complete('none/a');
    expect(test.runState('none')).toBe('completed');
  });

  it('prevents retries, whatever the result', async () => {
    const test = await lab();
    await test.run('r', 'l.arm');
    test.agents.onCancel = () => undefined;
    await test.engine.emergencyStops.engage(stop('all'));
    await test.live(1000);
    await test.fail('r/a', 'the arm does not move', 0);
    expect(test.task('r/a')).toMatchObject({
      state: 'needs_attention',
      reason: {
        code: 'emergency_stop',
        message: 'emergency stop by ada: spill; it ended with: the arm does not move',
      },
    });
  });

  it('requires no decision about a task that completed before it stopped', async () => {
    const test = await lab();
    await test.run('r', 'l.arm');
    test.agents.onCancel = () => undefined;
    await test.engine.emergencyStops.engage(stop('all'));
    await test.complete('r/a');
    expect(test.runState('r')).toBe('completed');
  });

  it('is known from the device when the task ends before the stop is recorded', async () => {
    const test = await lab();
    let more: Partial<DeviceStatus> = {};
    test.agents.deviceMore = () => more;
    await test.run('r', 'l.arm');
    more = { halted: 'stopped by ada: spill' };
    test.agents.heartbeat('pc');
    await test.agents.end('r/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({
      state: 'needs_attention',
      reason: { code: 'emergency_stop', message: 'stopped by ada: spill' },
    });
  });

  it('that was not recorded is adopted from the agents that obey it', async () => {
    const test = await lab();
    await test.run('r', 'l.arm');
    test.agents.halts.set('pc', [stop('lab:l'), stop('lab:gone', 'stop-2')]);
    await test.live(2000);
    expect(recorded(test)).toMatchObject([{ id: 'stop-1', scope: 'lab:l', by: 'ada', releasedAt: null }]);
    expect(test.task('r/a').state).toBe('needs_attention');
    expect(test.store.audit).toMatchObject([
      { action: 'estop.engage', by: 'ada', detail: { told_by: 'pc', scope: 'lab:l' } },
    ]);
    await test.engine.emergencyStops.release('stop-1', 'ada');
    await test.live(2000);
    expect(recorded(test)[0]?.releasedAt).not.toBeNull();
  });

  it('that was broadcast is recorded once', async () => {
    const test = await lab();
    test.engine.emergencyStops.heard(stop('all'));
    expect(await test.engine.emergencyStops.engage(stop('all'))).toEqual({ id: 'stop-1' });
    test.engine.emergencyStops.heard(stop('lab:gone', 'stop-2'));
    await test.clock.settle();
    expect(recorded(test)).toHaveLength(1);
    expect(test.store.audit).toHaveLength(1);
  });

  it('survives a restart, and agents learn of it when they register', async () => {
    const test = await lab();
    await test.engine.emergencyStops.engage(stop('lab:m', 'stop-0'));
    await test.engine.emergencyStops.release('stop-0', 'ada');
    await test.engine.emergencyStops.engage(stop('lab:l'));
    await test.engine.queuePause.pause('ada');
    await test.engine.queuePause.resume('ada');
    await test.start();
    const hello = { computer: 'x', session: 's', version: '1', attempts: [], devices: [] };
    expect(await test.engine.agents.register(hello)).toMatchObject({
      halts: [stop('lab:l')],
      released: ['stop-0'],
    });
    expect(test.engine.emergencyStops.known()).toEqual({ halts: [stop('lab:l')], released: ['stop-0'] });
    await test.agents.register('pc');
    await test.run('r', 'l.arm');
    await test.live(2000);
    expect(test.running()).toEqual([]);
  });

  it('of an unknown scope is refused, and so is a release of an unknown stop', async () => {
    const test = await lab();
    const code = (wanted: string) => ({ code: wanted, effect: 'none' });
    await expect(test.engine.emergencyStops.engage(stop('lab:x'))).rejects.toMatchObject(code('unknown_lab'));
    await expect(test.engine.emergencyStops.engage(stop('device:l.x'))).rejects.toMatchObject(
      code('unknown_device'),
    );
    await expect(test.engine.emergencyStops.engage(stop('queue'))).rejects.toMatchObject(code('bad_request'));
    await expect(test.engine.emergencyStops.release('x', 'ada')).rejects.toMatchObject(code('not_found'));
    expect(await test.engine.emergencyStops.release(null, 'ada')).toEqual({ ids: [] });
    await test.engine.emergencyStops.engage(stop('all'));
    await test.engine.emergencyStops.release('stop-1', 'ada');
    await expect(test.engine.emergencyStops.release('stop-1', 'ada')).rejects.toMatchObject(
      code('wrong_state'),
    );
    expect(recorded(test)).toHaveLength(1);
  });

  it('and its release do not change the queue pause', async () => {
    const test = await lab();
    await test.engine.queuePause.pause('ada');
    await test.engine.emergencyStops.engage(stop('all'));
    await test.run('r', 'none');
    await test.engine.emergencyStops.release(null, 'ada');
    await test.clock.settle();
    expect(test.running()).toEqual([]);
    expect(test.engine.views.queue(wholeQueue).queue.paused).toBe(true);
    const [pause] = test.store.rows.queuePauses.values();
    await expect(test.engine.emergencyStops.release(pause?.id ?? '', 'ada')).rejects.toMatchObject({
      code: 'not_found',
    });
    await test.engine.queuePause.resume('ada');
    await test.clock.settle();
    expect(test.running()).toEqual(['r/a']);
  });

  it('lets a cancel take effect', async () => {
    const test = await lab();
    await test.run('r', 'l.arm');
    test.agents.onCancel = () => undefined;
    await test.engine.emergencyStops.engage(stop('all'));
    await test.live(1000);
    await test.engine.work.cancelProtocolRun('r');
    await test.agents.end('r/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.runState('r')).toBe('cancelled');
  });
});
