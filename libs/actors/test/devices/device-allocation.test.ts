import { describe, expect, it } from 'vitest';
import { arm, DeviceBench, type BenchOptions } from '../device-bench.js';
import { deferred } from '../world.js';

type Follow = (type: 'allocated' | 'deallocated', allocation: { fence: number }) => Promise<void>;

const following = (follow: Follow, options: BenchOptions = {}): DeviceBench =>
  new DeviceBench({ ...options, script: () => ({ follow }) });

let calls = 0;

/** Calls the device as an attempt, and lets the call proceed as far as it can. */
async function call(bench: DeviceBench, attemptId: string, fence: number, patienceMs?: number) {
  const state: { end?: unknown } = {};
  bench.devices
    .call(arm, { callId: `c-${++calls}`, function: 'effect', arguments: {}, attemptId, patienceMs }, fence)
    .then(
      (value) => (state.end = value),
      (error: { code: string; effect: string; message: string }) => {
        state.end = `${error.code} ${error.effect}: ${error.message}`;
      },
    );
  await bench.time.advance(0);
  return state;
}

describe('a device that follows allocations', () => {
  it('is prepared once, before the first call of a task, and told its end', async () => {
    const bench = await following(() => Promise.resolve()).up();
    for (const _ of [1, 2]) {
      const made = await call(bench, 'a', 1);
      await bench.end('effect');
      expect(made.end).toBe('done');
    }
    bench.devices.releaseFrom({ attemptId: 'a' });
    await bench.time.advance(0);
    expect(bench.heard).toEqual(['init', 'allocated', 'call', 'call', 'deallocated']);
  });

  it('gets with each call of a task its allocation, and with that of a person none', async () => {
    const bench = await following(() => Promise.resolve()).up();
    await call(bench, 'a', 3);
    await bench.end('effect');
    await bench.call('effect');
    const given = bench.process.received.flatMap((each) => (each.type === 'call' ? [each.allocation] : []));
    expect(given).toEqual([{ attempt_id: 'a', fence: 3 }, undefined]);
  });

  it('begins no call when it cannot be prepared, and is asked again by the next call', async () => {
    const doors = ['open', 'shut'];
    const bench = await following(async () => {
      if (doors.shift() === 'open') throw new Error('the door is open');
    }).up();
    expect((await call(bench, 'a', 1)).end).toBe(
      'device_error none: device lab.arm could not be prepared for the task: the door is open',
    );
    expect(bench.begun).toEqual([]);
    await call(bench, 'a', 1);
    expect(bench.begun).toEqual(['effect']);
  });

  it('does not begin a call whose caller gave up while it was prepared', async () => {
    const ready = deferred<void>();
    const bench = await following((type) => (type === 'allocated' ? ready.promise : Promise.resolve())).up();
    const made = await call(bench, 'a', 1, 2_000);
    await bench.time.advance(3_000);
    ready.resolve();
    await bench.time.advance(0);
    expect(made.end).toMatch(/^deadline_exceeded none: effect did not begin within 2 s/);
    expect(bench.begun).toEqual([]);
  });

  it('is not called for a task that lost it while it was prepared', async () => {
    const ready = deferred<void>();
    const bench = await following((_, { fence }) => (fence === 1 ? ready.promise : Promise.resolve())).up();
    const late = await call(bench, 'a', 1);
    await call(bench, 'b', 2);
    ready.resolve();
    await bench.time.advance(0);
    expect(late.end).toMatch(/^stale_message none/);
    // The next task waits until the device knows that the one before is over.
    expect(bench.heard).toEqual(['init', 'allocated', 'deallocated', 'allocated', 'call']);
  });

  it('ends its process when it does not get prepared in time, and no effect is in doubt', async () => {
    const bench = await following(() => new Promise(() => undefined), {
      limits: { deviceAllocatedMs: 1_000 },
    }).up();
    const made = await call(bench, 'a', 1);
    await bench.time.advance(10_000);
    expect(made.end).toMatch(
      /^deadline_exceeded none: .*_allocated of device lab.arm did not end within 1 s/,
    );
    expect(bench.status.doubt).toBeUndefined();
  });

  it('is prepared again when its process has started anew', async () => {
    const bench = await following(() => Promise.resolve()).up();
    await call(bench, 'a', 1);
    await bench.end('effect');
    await bench.crash();
    await bench.time.advance(60_000);
    await call(bench, 'a', 1);
    expect(bench.heard).toEqual(['init', 'allocated', 'call']);
  });

  it('learns that an attempt of another computer is over when its calls are barred', async () => {
    const bench = await following(() => Promise.resolve()).up();
    const of = { attemptId: 'a', caller: 'there' };
    void bench.devices.call(arm, { callId: 'r', function: 'query', arguments: {}, ...of }, 1);
    await bench.time.advance(0);
    await bench.end('query');
    bench.devices.barCallsOf(of, 'the task has ended');
    await bench.time.advance(0);
    expect(bench.heard).toEqual(['init', 'allocated', 'call', 'deallocated']);
  });
});

it('is told nothing when its class does not follow allocations', async () => {
  const bench = await new DeviceBench().up();
  await call(bench, 'a', 1);
  await bench.end('effect');
  bench.devices.releaseFrom({ attemptId: 'a' });
  await bench.time.advance(0);
  expect(bench.heard).toEqual(['init', 'call']);
});
