import type { EmergencyStop } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { arm, DeviceBench } from '../device-bench.js';
import { deferred } from '../world.js';
import { MemoryCallRecords, type DeviceScript } from '../../src/testing/index.js';

const fire: EmergencyStop = { id: 'halt-1', scope: 'all', by: 'ann', reason: 'fire' };
const idle = { reconcile: () => Promise.resolve({ idle: true }) };

/** A driver whose `_stop` ends the effect in progress with an error, as a correct driver does. */
function stoppable(bench: () => DeviceBench): Partial<DeviceScript> {
  return { stop: () => bench().end('effect', 'stopped halfway') };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

describe('a call of a stopped task', () => {
  it('ends by the _stop of its device, which stays in use', async () => {
    const bench: DeviceBench = await new DeviceBench({ script: () => stoppable(() => bench) }).up();
    const call = await bench.call('effect', { attemptId: 'a' });
    bench.devices.stopCallsOf({ attemptId: 'a' }, 'cancelled');
    await bench.time.advance(0);
    expect([call.now(), bench.state, bench.lives]).toEqual(['stopped halfway', 'idle', 1]);
    await bench.time.advance(60_000);
    expect([bench.state, bench.lives]).toEqual(['idle', 1]);
  });

  it('is not stopped for another attempt, and a query is never stopped', async () => {
    const bench: DeviceBench = await new DeviceBench({ script: () => stoppable(() => bench) }).up();
    await bench.call('query', { attemptId: 'a' });
    await bench.call('effect', { attemptId: 'b' });
    bench.devices.stopCallsOf({ attemptId: 'a' }, 'cancelled');
    await bench.time.advance(60_000 - 1);
    expect([bench.state, bench.heard]).toEqual(['busy', ['init', 'call', 'call']]);
  });

  it('runs to its end when its class has no _stop', async () => {
    const bench = await new DeviceBench().up();
    const call = await bench.call('effect', { attemptId: 'a' });
    bench.devices.stopCallsOf({ attemptId: 'a' }, 'cancelled');
    await bench.time.advance(59_000);
    expect([bench.state, bench.heard]).toEqual(['busy', ['init', 'call']]);
    await bench.end('effect');
    expect(call.now()).toBe('done');
  });

  it.each([
    ['does not end in spite of _stop', () => Promise.resolve(), 5_000],
    ['does not end after a _stop that failed', () => Promise.reject(new Error('worn')), 5_000],
    ['has a _stop that does not end', never, 5_000],
  ])('that %s is ended with its process, and the device is uncertain', async (_, stop, afterMs) => {
    const bench = await new DeviceBench({ script: () => ({ stop }) }).up();
    const call = await bench.call('effect', { attemptId: 'a' });
    const { process } = bench;
    bench.devices.stopCallsOf({ attemptId: 'a' }, 'cancelled');
    await bench.time.advance(afterMs - 1);
    expect([bench.state, call.now(), process.signals]).toEqual(['busy', 'open', []]);
    await bench.time.advance(1);
    expect(process.signals).toEqual(['SIGTERM']);
    expect([call.now(), bench.state, bench.status.doubt?.id]).toEqual([
      'device_error maybe',
      'uncertain',
      call.id,
    ]);
  });
});

describe('an emergency stop', () => {
  it('runs _stop beside the call in progress, refuses waiting calls and accepts only queries', async () => {
    const bench: DeviceBench = await new DeviceBench({ script: () => stoppable(() => bench) }).up();
    const [going, waiting, query] = [
      await bench.call('effect'),
      await bench.call('idempotent'),
      await bench.call('query'),
    ];
    expect(bench.devices.emergencyStop(fire)).toBe(true);
    await bench.time.advance(0);
    expect([going.now(), waiting.now(), query.now()]).toEqual(['stopped halfway', 'aborted none', 'open']);
    expect(bench.status).toMatchObject({ state: 'idle', halted: 'stopped by ann: fire' });
    for (const kind of ['effect', 'idempotent'] as const) {
      expect((await bench.call(kind)).now()).toBe('device_unavailable none');
    }
    await bench.end('query', 4);
    expect(query.now()).toBe(4);
    expect(() => bench.devices.actor(arm).requireUsable()).toThrow('stopped by ann: fire');
    bench.devices.release(['halt-1']);
    expect(bench.status.halted).toBeUndefined();
    await bench.call('effect');
    expect([bench.state, bench.lives]).toEqual(['busy', 1]);
  });

  it.each([
    ['has no _stop', undefined, 0],
    ['cannot stop', () => Promise.reject(new Error('worn')), 0],
    ['does not end the call by _stop', () => Promise.resolve(), 5_000],
    ['does not end its _stop', never, 5_000],
  ])('ends the process of a driver that %s, which makes the device uncertain', async (_, stop, afterMs) => {
    const script = stop === undefined ? idle : { ...idle, stop };
    const bench = await new DeviceBench({ script: () => script }).up();
    const call = await bench.call('effect');
    const { process } = bench;
    bench.devices.emergencyStop(fire);
    if (afterMs > 0) {
      await bench.time.advance(afterMs - 1);
      expect([process.signals, call.now()]).toEqual([[], 'open']);
    }
    await bench.time.advance(1);
    expect([process.signals, call.now()]).toEqual([['SIGTERM'], 'device_error maybe']);
    await bench.time.advance(3_600_000);
    expect(bench.status).toMatchObject({
      state: 'uncertain',
      detail: expect.stringContaining('stopped by ann: fire') as string,
      halted: 'stopped by ann: fire',
      doubt: { id: call.id },
    });
    expect(bench.lives).toBe(1);
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect([bench.state, bench.heard]).toEqual(['idle', ['reconcile', 'init']]);
  });

  it('does not affect an idle device without _stop', async () => {
    const bench = await new DeviceBench().up();
    bench.devices.emergencyStop(fire);
    await bench.time.advance(60_000);
    expect([bench.state, bench.process.signals, bench.lives]).toEqual(['idle', [], 1]);
  });

  it('keeps a device from starting, also one that is assigned later or crashes', async () => {
    const bench = new DeviceBench();
    bench.devices.emergencyStop(fire);
    await bench.up();
    expect(bench.status).toMatchObject({ state: 'disabled', detail: 'stopped by ann: fire' });
    expect(bench.lives).toBe(0);
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect([bench.state, bench.lives]).toEqual(['idle', 1]);
    bench.devices.emergencyStop({ ...fire, id: 'halt-2' });
    await bench.crash();
    await bench.time.advance(3_600_000);
    expect([bench.state, bench.lives]).toEqual(['disabled', 1]);
    bench.devices.release(['halt-2']);
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it('during a restart of a device keeps it down until the release', async () => {
    const bench = await new DeviceBench().up();
    await bench.crash();
    bench.devices.emergencyStop(fire);
    await bench.time.advance(3_600_000);
    expect([bench.state, bench.lives]).toEqual(['disabled', 1]);
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it.each([
    ['that cannot be stopped', undefined],
    ['that goes on', () => Promise.resolve()],
  ])('ends an _initialize %s, and the device restarts on release', async (_, stop) => {
    const bench = await new DeviceBench({
      script: (life) => ({
        ...(life === 1 ? { initialize: never } : {}),
        ...(stop === undefined ? {} : { stop }),
      }),
    }).up();
    bench.devices.emergencyStop(fire);
    await bench.time.advance(10_000);
    expect([bench.state, bench.processes.alive('lab', 'arm')]).toEqual(['disabled', 0]);
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it('that makes _initialize fail leaves no faulted device behind', async () => {
    const failing = deferred();
    const bench = await new DeviceBench({
      script: (life) => ({
        initialize: () => (life === 1 ? failing.promise : Promise.resolve()),
        stop: () => {
          failing.reject(new Error('interrupted'));
          bench.process.exit({ code: 1, signal: null, lastStderr: null });
          return Promise.resolve();
        },
      }),
    }).up();
    bench.devices.emergencyStop(fire);
    await bench.time.advance(0);
    expect(bench.state).toBe('disabled');
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it('with a doubt at the start delays the question to the driver until the release, but a person may settle the doubt', async () => {
    const records = new MemoryCallRecords();
    const before = await new DeviceBench({ records }).up();
    const call = await before.call('effect');
    const bench = new DeviceBench({ records, script: () => idle });
    bench.devices.emergencyStop(fire);
    await bench.up();
    expect([bench.state, bench.lives]).toEqual(['uncertain', 0]);
    await bench.devices.actor(arm).reset(call.id, 'ann');
    await bench.time.advance(0);
    expect([bench.state, bench.lives]).toEqual(['disabled', 0]);
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect([bench.state, bench.heard]).toEqual(['idle', ['init']]);
  });

  it('ends a question to the driver, which is asked again on release', async () => {
    const bench = await new DeviceBench({
      script: (life) => (life === 2 ? { reconcile: never } : idle),
    }).up();
    await bench.call('effect');
    await bench.crash();
    bench.devices.emergencyStop(fire);
    await bench.time.advance(60_000);
    expect([bench.state, bench.processes.alive('lab', 'arm'), bench.lives]).toEqual(['uncertain', 0, 2]);
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it('permits the reset of a faulted device, which starts on release', async () => {
    const bench = await new DeviceBench({
      script: (life) => ({
        initialize: () => (life === 1 ? Promise.reject(new Error('no port')) : Promise.resolve()),
      }),
    }).up();
    bench.devices.emergencyStop(fire);
    expect(bench.state).toBe('faulted');
    await bench.devices.actor(arm).reset(null, 'ann');
    await bench.time.advance(0);
    expect(bench.state).toBe('disabled');
    bench.devices.release(['halt-1']);
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
  });

  it.each([
    ['all', true],
    ['lab:lab', true],
    ['device:lab.arm', true],
    ['lab:other', false],
    ['device:lab.leg', false],
    ['device:lab.armoury', false],
  ])('of %s has the device arm of the lab lab in its scope: %s', async (scope, has) => {
    const bench = await new DeviceBench().up();
    bench.devices.emergencyStop({ ...fire, scope });
    expect(bench.status.halted !== undefined).toBe(has);
  });

  it('ends when all of several stops are released, and a released one does not return', async () => {
    const bench = await new DeviceBench().up();
    bench.devices.emergencyStop(fire);
    bench.devices.emergencyStop({ id: 'halt-2', scope: 'lab:lab', by: 'bob', reason: 'smoke' });
    expect(bench.devices.release(['halt-1', 'unknown'])).toEqual(['halt-1']);
    expect(bench.status.halted).toBe('stopped by bob: smoke');
    bench.devices.release(['halt-2']);
    expect(bench.status.halted).toBeUndefined();
    expect(bench.devices.emergencyStop(fire)).toBe(false);
    expect(bench.devices.emergencyStop({ ...fire, id: 'unknown' })).toBe(false);
    expect(bench.status.halted).toBeUndefined();
  });
});
