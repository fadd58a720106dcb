import { longestDeviceTimeoutS } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/ports/index.js';
import type { DeviceScript } from '../../src/testing/index.js';
import { arm, DeviceBench } from '../device-bench.js';
import { deferred, device } from '../world.js';

const address = '127.0.0.1:5678';
const hour = 3_600_000;
const script = (): Partial<DeviceScript> => ({ debugger: address });

describe('a device to whose process a debugger may attach', () => {
  it('has no time limits, and says so in its record and to its callers', async () => {
    const initialized = deferred();
    const bench = new DeviceBench({
      script: () => ({ debugger: address, initialize: () => initialized.promise }),
    });
    bench.devices.assign([device('arm')]);
    await bench.time.advance(hour);
    expect([bench.state, bench.status.debugger]).toEqual(['initializing', address]);
    expect(bench.status.detail).toContain(`a debugger may attach at ${address}, so it has no time limits`);
    initialized.resolve();
    await bench.time.advance(0);
    expect(bench.state).toBe('idle');
    expect(bench.status.functions.map((each) => each.timeout_s)).toEqual(
      Array.from({ length: 3 }, () => longestDeviceTimeoutS),
    );
    const held = await bench.call('effect');
    const waiting = await bench.call('effect');
    await bench.time.advance(24 * hour);
    expect([held.now(), waiting.now(), bench.state, bench.lives]).toEqual(['open', 'open', 'busy', 1]);
    await bench.end('effect');
    await bench.end('effect');
    expect(await Promise.all([held.ended, waiting.ended])).toEqual(['done', 'done']);
  });

  it('is not taken for one that does not respond', async () => {
    const bench = await new DeviceBench({ script: () => ({ ...script(), responds: () => false }) }).up();
    await bench.time.advance(hour);
    expect(bench.process.received.map(({ type }) => type)).not.toContain('ping');
    expect(bench.status.silent_since_ms).toBeUndefined();
  });

  it('is ended by an emergency stop also while it stands at a breakpoint', async () => {
    const bench = await new DeviceBench({
      script: () => ({ ...script(), stop: () => new Promise(() => undefined) }),
    }).up();
    const { process } = bench;
    process.onTerm(() => undefined);
    const held = await bench.call('effect');
    bench.devices.emergencyStop({ id: 's', scope: 'all', by: 'ada', reason: 'smoke', at_ms: 0 } as never);
    await bench.time.advance(defaultLimits.deviceStopMs);
    expect(process.signals).toEqual(['SIGTERM']);
    await bench.time.advance(defaultLimits.deviceAbortMs);
    expect(process.signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect(await held.ended).toMatch(/maybe$/);
    expect(bench.status.debugger).toBeUndefined();
  });

  it('gets its time to clean up at a reload, and ends in time with its agent', async () => {
    const bench = await new DeviceBench({
      script: () => ({ ...script(), cleanUp: () => new Promise(() => undefined) }),
    }).up();
    const { process } = bench;
    process.onTerm(() => undefined);
    bench.devices.assign([]);
    await bench.time.advance(hour);
    expect(process.signals).toEqual([]);
    void bench.devices.close();
    await bench.time.advance(defaultLimits.deviceCleanupMs + defaultLimits.deviceKillMs);
    expect(process.signals).toEqual(['SIGTERM', 'SIGKILL']);
  });

  it('reports as long as it needs', async () => {
    const reported = deferred<object>();
    const bench = await new DeviceBench({
      script: () => ({ ...script(), report: () => reported.promise as never }),
    }).up();
    const report = bench.devices.actor(arm).report();
    await bench.time.advance(hour);
    reported.resolve({ at: 3 });
    await bench.time.advance(0);
    expect(await report).toEqual({ at: 3 });
  });
});

describe('what executes a device', () => {
  it('is in its status while its process lives, and in the record of each call', async () => {
    const bench = await new DeviceBench({ script: () => ({ version: '3.11.2' }) }).up();
    const runtime = { name: 'node', version: '3.11.2', environment: null };
    expect(bench.status.runtime).toEqual(runtime);
    await bench.call('effect');
    expect(bench.records.inDoubt('lab.arm')).toMatchObject([{ function: 'effect', runtime }]);
    await bench.crash();
    expect(bench.status.runtime).toBeUndefined();
  });

  it('has no version when its process says none', async () => {
    const bench = await new DeviceBench().up();
    expect(bench.status.runtime).toEqual({ name: 'node', version: null, environment: null });
  });
});
