import { ServiceError, type DeviceState } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, same, TestLab } from '../test-lab.js';

const asked = { lab: 'l', device: 'arm', by: 'ada', reason: 'a loose cable' };

async function lab(): Promise<{ test: TestLab; restarts: string[]; is: (state: DeviceState) => void }> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.protocol('one', [{ name: 'a', devices: { d: device('l.arm') } }]);
  test.protocol('two', [
    { name: 'a', devices: { d: device('l.arm', true) } },
    { name: 'b', needs: ['a'], devices: { d: same('a.d') } },
  ]);
  let state: DeviceState = 'idle';
  const restarts: string[] = [];
  test.agents.deviceState = () => state;
  test.agents.onRestart = (...given) => void restarts.push(given.join('; '));
  await test.open();
  return { test, restarts, is: (next) => void (state = next) };
}

const acts = (test: TestLab) =>
  test.store.audit
    .filter(({ subject }) => subject === 'device/l.arm')
    .map(({ by, action, detail }) => [by, action, detail['reason']]);

describe('a restart of a device', () => {
  it('asks its agent once, keeps tasks off until the device is back, and is in the audit', async () => {
    const { test, restarts, is } = await lab();
    is('restarting');
    const restarted = test.engine.deviceRestarts.restart(asked);
    await test.run('r', 'one');
    await restarted;
    await test.live(2_000);
    expect(test.running()).toEqual([]);
    is('idle');
    await test.live(2_000);
    expect(test.running()).toEqual(['r/a']);
    expect(restarts).toEqual(['l.arm; ada; a loose cable']);
    expect(acts(test)).toEqual([['ada', 'device.restart', 'a loose cable']]);
  });

  it('is refused while a task has the device, or a run holds it, and names them', async () => {
    const { test, restarts } = await lab();
    await test.run('r', 'two');
    const restart = () => test.engine.deviceRestarts.restart(asked);
    const refused = (holder: string) => ({
      code: 'wrong_state',
      message: expect.stringContaining(`${holder} has the device l.arm`) as string,
    });
    await expect(restart()).rejects.toMatchObject(refused('the task r/a'));
    await test.engine.work.pauseProtocolRun('r', 'ada');
    await test.complete('r/a');
    await expect(restart()).rejects.toMatchObject(refused('the protocol run r'));
    expect(restarts).toEqual([]);
  });

  it.each(['faulted', 'uncertain'] as const)('is done while a task has the %s device', async (state) => {
    const { test, restarts, is } = await lab();
    await test.run('r', 'one');
    is(state);
    await test.live(1_000);
    await test.engine.deviceRestarts.restart(asked);
    expect(restarts).toHaveLength(1);
    expect(test.store.audit.find(({ action }) => action === 'device.restart')?.detail).toMatchObject({
      held_by: 'the task r/a',
      state,
    });
  });

  it('gives the device back to tasks when the agent refuses, and records that too', async () => {
    const { test } = await lab();
    test.agents.onRestart = () => {
      throw new ServiceError('wrong_state', 'device l.arm executes a call');
    };
    await expect(test.engine.deviceRestarts.restart(asked)).rejects.toMatchObject({ code: 'wrong_state' });
    await test.run('r', 'one');
    expect(test.running()).toEqual(['r/a']);
    expect(acts(test)).toEqual([
      ['ada', 'device.restart', 'a loose cable'],
      ['ada', 'device.restart_failed', 'device l.arm executes a call'],
    ]);
  });

  it('is refused without a reason, for an unknown device and for a computer that is away', async () => {
    const { test } = await lab();
    const { deviceRestarts } = test.engine;
    await expect(deviceRestarts.restart({ ...asked, reason: ' ' })).rejects.toMatchObject({
      code: 'invalid',
      faults: [{ path: 'reason' }],
    });
    await expect(deviceRestarts.restart({ ...asked, device: 'leg' })).rejects.toMatchObject({
      code: 'unknown_device',
    });
    await test.clock.advance(60_000);
    await expect(deviceRestarts.restart(asked)).rejects.toMatchObject({ code: 'agent_unreachable' });
    expect(acts(test)).toEqual([]);
  });
});
