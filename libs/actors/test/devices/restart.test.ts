import { describe, expect, it } from 'vitest';
import { device, World } from '../world.js';
import type { DeviceScript } from '../../src/testing/index.js';

const arm = { lab: 'lab', name: 'arm' };

/** A device that notes what its processes do. */
async function lab(script: Partial<DeviceScript> = {}): Promise<{ world: World; done: string[] }> {
  const done: string[] = [];
  const world = await new World({
    devices: [device('arm')],
    device: (_, life) => ({
      functions: [{ name: 'move', kind: 'effect' }],
      initialize: async () => void done.push(`init ${life}`),
      cleanUp: async () => void done.push(`cleanup ${life}`),
      ...script,
    }),
  }).up();
  return { world, done };
}

const restart = (world: World) => world.agent.restartDevice(arm, 'ann restarts it', { epoch: 1 });

describe('a device that a person restarts', () => {
  it('cleans up, ends its process and initialises in a new one, and takes no call meanwhile', async () => {
    const { world, done } = await lab();
    expect(restart(world)).toMatchObject({ state: 'restarting', detail: 'ann restarts it' });
    await expect(
      world.callDevice(arm, { callId: 'c', function: 'move', arguments: {} }, {}),
    ).rejects.toMatchObject({ code: 'device_unavailable', effect: 'none' });
    await world.time.advance(1_000);
    expect(done).toEqual(['init 1', 'cleanup 1', 'init 2']);
    expect([world.state('arm'), world.deviceProcesses.alive('lab', 'arm')]).toEqual(['idle', 1]);
  });

  it('is not restarted while it executes a call, and goes on', async () => {
    const { world } = await lab({ call: () => new Promise(() => undefined) });
    void world.callDevice(arm, { callId: 'c', function: 'move', arguments: {} }, {}).catch(() => undefined);
    await world.time.advance(0);
    expect(() => restart(world)).toThrow(/executes a call/);
    expect(world.state('arm')).toBe('busy');
  });

  it('is not restarted during an emergency stop', async () => {
    const { world, done } = await lab();
    const scope = { id: 'h', scope: 'device:lab.arm', by: 'ann', reason: 'fire' };
    world.agent.emergencyStop(scope);
    await world.time.advance(1_000);
    expect(() => restart(world)).toThrow(/release the stop first/);
    expect(done).toEqual(['init 1']);
  });

  it('starts again although it was faulted', async () => {
    let tries = 0;
    const { world } = await lab({
      initialize: async () => {
        tries += 1;
        if (tries === 1) throw new Error('no cable');
      },
    });
    expect(world.state('arm')).toBe('faulted');
    restart(world);
    await world.time.advance(1_000);
    expect([world.state('arm'), tries]).toEqual(['idle', 2]);
  });

  it('is killed when it hangs in a call, and its driver is asked before it initialises again', async () => {
    let hangs = false;
    const asked: string[] = [];
    const { world } = await lab({
      responds: () => !hangs,
      call: () => new Promise(() => undefined),
      reconcile: async (inDoubt) => {
        asked.push(...inDoubt.map((call) => call.function));
        return { idle: true };
      },
    });
    const call = world.callDevice(arm, { callId: 'c', function: 'move', arguments: {} }, {});
    const failed = expect(call).rejects.toMatchObject({ code: 'device_error', effect: 'maybe' });
    hangs = true;
    await world.time.advance(15_000);
    expect(world.agent.devices()[0]?.detail).toContain('does not respond');
    hangs = false;
    expect(restart(world)).toMatchObject({ state: 'aborting' });
    await world.time.advance(35_000);
    await failed;
    expect([world.state('arm'), asked]).toEqual(['idle', ['move']]);
  });

  it('stays in doubt', async () => {
    const { world } = await lab({ call: () => new Promise(() => undefined) });
    void world.callDevice(arm, { callId: 'c', function: 'move', arguments: {} }, {}).catch(() => undefined);
    await world.time.advance(0);
    world.deviceProcesses.latest('lab', 'arm').exit({ code: 1, signal: null, lastStderr: null });
    await world.time.advance(100);
    expect(world.state('arm')).toBe('uncertain');
    restart(world);
    await world.time.advance(1_000);
    expect(world.state('arm')).toBe('uncertain');
    expect(world.agent.devices()[0]?.doubt).toMatchObject({ in_doubt: [{ function: 'move' }] });
  });
});
