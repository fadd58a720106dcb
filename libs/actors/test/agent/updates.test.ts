import { describe, expect, it } from 'vitest';
import { deferred, device, simpleDevice, task, World } from '../world.js';
import type { Updates } from '../../src/index.js';
import type { TaskScript } from '../../src/testing/index.js';

const never: TaskScript = () => new Promise(() => undefined);
const arm = { lab: 'lab', name: 'arm' };
const move = (callId: string) => ({ callId, function: 'move', arguments: {}, by: 'bob' });
const refusal = { platform: 'linux-x64', refusal: null, failed: null };

/** Updates that point to the new version when `placed` resolves. */
function updates(placed: Promise<void>): Updates & { points: number } {
  const made = {
    points: 0,
    describe: () => refusal,
    update: async (_version: string, _by: string, closing: (point: () => void) => void) => {
      await placed;
      closing(() => (made.points += 1));
      return 'placed' as const;
    },
  };
  return made;
}

describe('an update of the agent', () => {
  it('is told how it is possible in the registration', async () => {
    const world = new World({ updates: updates(Promise.resolve()) });
    await world.agent.start();
    await world.time.advance(1_000);
    expect(world.orchestrator.hellos[0]?.updates).toEqual(refusal);
  });

  it('is refused without a program that updates itself, and to an earlier leader', async () => {
    const world = new World();
    await world.agent.start();
    await expect(world.agent.update('2.0.0', 'ada', {})).rejects.toMatchObject({ code: 'forbidden' });
    await world.time.advance(1_000);
    await expect(world.agent.update('2.0.0', 'ada', { epoch: 0 })).rejects.toMatchObject({
      code: 'stale_message',
    });
  });

  it('is refused while a task runs', async () => {
    const world = new World({ tasks: { t: never }, updates: updates(Promise.resolve()) });
    await world.agent.start();
    await world.time.advance(1_000);
    await world.agent.startTask(task('a1', 't'), {});
    await expect(world.agent.update('2.0.0', 'ada', {})).rejects.toMatchObject({
      ...{ code: 'device_in_use', message: 'attempt a1 runs on this computer' },
    });
  });

  it('is refused while a person calls a device, also when the call began during the update', async () => {
    const call = deferred<string>();
    const placed = deferred();
    const own = updates(placed.promise);
    const slow = { ...simpleDevice, call: () => call.promise };
    const world = new World({ devices: [device('arm')], device: () => slow, updates: own });
    await world.agent.start();
    await world.time.advance(1_000);
    const asked = world.agent.update('2.0.0', 'ada', {});
    const moved = world.callDevice(arm, move('c'), {});
    await world.time.advance(1_000);
    placed.resolve();
    await expect(asked).rejects.toMatchObject({ code: 'device_in_use', message: 'lab.arm is busy' });
    expect(own.points).toBe(0);
    call.resolve('done');
    await moved;
    expect(await world.agent.update('2.0.0', 'ada', {})).toBe('placed');
  });

  it('lets no task and no call begin once the new version is in place', async () => {
    const own = updates(Promise.resolve());
    const world = new World({ tasks: { t: never }, devices: [device('arm')], updates: own });
    await world.agent.start();
    await world.time.advance(1_000);
    expect(await world.agent.update('2.0.0', 'ada', {})).toBe('placed');
    expect(own.points).toBe(1);
    const words = 'this agent stops for its update to version 2.0.0';
    await expect(world.agent.startTask(task('a1', 't'), {})).rejects.toThrow(words);
    await expect(world.callDevice(arm, move('c'), {})).rejects.toThrow(words);
  });
});
