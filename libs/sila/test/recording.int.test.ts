import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceUnderTest } from '../../instruments/test/device-under-test.js';
import { fixtures, silaSession } from '../../instruments/test/message-sessions.js';
import { SilaDevice } from '../src/device/index.js';
import { deviceFeature, DeviceLock, SilaServer, type OfferedFunction } from '../src/server/index.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function under(parameters: JsonObject): DeviceUnderTest {
  const device = new DeviceUnderTest(SilaDevice, parameters);
  ends.push(() => device.end().catch(() => undefined));
  return device;
}

/** A server with a command that takes long, one that fails, a property and a lock. */
async function served(): Promise<number> {
  const identity = {
    ...{
      uuid: '25597b36-e9bf-11e8-aeb5-f2801f1b9fd1',
      name: 'lab.station',
      type: 'Station',
      description: 'x',
    },
    ...{ version: '1.0', vendorUrl: 'https://example.org' },
  };
  const functions: OfferedFunction[] = [
    { name: 'status', kind: 'query', description: 'Tells the state', parameters: {} },
    {
      name: 'mix',
      kind: 'effect',
      description: 'Mixes',
      parameters: { volume: { type: 'float', unit: 'ml' } },
    },
    { name: 'open', kind: 'idempotent', description: 'Opens', parameters: {} },
  ];
  const feature = deviceFeature('station', 'org.example', functions, (name, given) =>
    name === 'open' ? Promise.reject(new Error('the lid is stuck')) : Promise.resolve({ name, given }),
  );
  const reservations = {
    heldBy: () => Promise.resolve(null),
    reserve: () => Promise.resolve('r'),
    end: () => Promise.resolve(),
  };
  const lock = new DeviceLock(reservations, 'org.example/devices/Station/v1');
  const server = new SilaServer(identity, [feature, lock], (call) => lock.guard(call));
  ends.push(
    () => server.close(),
    () => lock.close(),
  );
  return server.listen('127.0.0.1', 0);
}

/** A query, an effect under a lock, and an error. */
async function session(device: DeviceUnderTest): Promise<unknown[]> {
  return [
    await device.call('Station_Status'),
    await device.call('Station_Mix', { Volume: 2.5 }),
    await device.call('Station_Open').catch((error: unknown) => String(error)),
    (await device.report())['lock'],
  ];
}

describe('a recorded session with a SiLA server', () => {
  it.each(['strict', 'lenient'])(
    'replays with the commands and properties of the server: %s',
    async (order) => {
      const replay = { file: join(fixtures, 'sila.ndjson'), order };
      const device = await under({ address: 'nowhere.invalid:1', ...silaSession.parameters, replay }).start();
      expect(device.functions['Bench_Move']).toMatchObject({
        kind: 'effect',
        parameters: { To: { type: 'int' } },
      });
      await silaSession.run(device);
    },
  );

  it('answers in place of the server, with its errors and under its lock', async () => {
    const address = `127.0.0.1:${await served()}`;
    const recorded = await under({ address, insecure: true, record: true }).start();
    const came = await session(recorded);
    expect(came).toEqual([
      '{"name":"status","given":{}}',
      { Result: '{"name":"mix","given":{"volume":2.5}}' },
      'SilaError: the lid is stuck',
      'not held',
    ]);
    const file = recorded.recording();
    await recorded.cleanup();
    const replayed = await under({ address, insecure: true, replay: { file } }).start();
    expect(await session(replayed)).toEqual(came);
  });

  it('has no identifier of a lock, and no values of metadata', async () => {
    const address = `127.0.0.1:${await served()}`;
    const recorded = await under({ address, insecure: true, record: true }).start();
    await session(recorded);
    const text = readFileSync(recorded.recording(), 'utf8');
    const messages = recorded.traffic().map(({ message }) => message as JsonObject | undefined);
    const lock = messages.find((each) => String(each?.['call']).endsWith('/LockServer'));
    expect(lock).toMatchObject({ message: { LockIdentifier: { value: '***' } } });
    const mix = messages.find((each) => String(each?.['call']).endsWith('/Mix'));
    expect(mix).toMatchObject({
      metadata: ['sila-org.silastandard-core-lockcontroller-v2-metadata-lockidentifier-bin'],
    });
    // The identifier names the device and the call.
    expect(text).not.toContain('svc test_lab.device_1');
    expect(text).not.toContain(Buffer.from('svc test_lab').toString('base64').slice(0, 12));
  });

  it('refuses what was not recorded, without a doubt about an effect', async () => {
    const replay = { file: join(fixtures, 'sila.ndjson') };
    const device = await under({ address: 'nowhere.invalid:1', ...silaSession.parameters, replay }).start();
    await expect(device.call('Bench_Move', { To: 99, Seconds: 0 })).rejects.toThrow(
      /sila\.ndjson has at line \d+ .*the device asks .*"99"/,
    );
  });

  it('is begun and fetched by the functions of the device', async () => {
    const device = await under({ address: `127.0.0.1:${await served()}`, insecure: true }).start();
    expect(await device.call('record_traffic', { on: true, max_mib: 1 })).toMatchObject({ running: true });
    await device.call('Station_Status');
    await device.call('record_traffic', { on: false, max_mib: 1 });
    const { text, running } = (await device.call('recorded_traffic', { offset: 0 })) as JsonObject;
    expect(running).toBe(false);
    const lines = String(text)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    expect(lines[0]).toMatchObject({ svc_recording: 1, of: 'test_lab.device_1' });
    expect(lines[1]).toMatchObject({ dir: 'out', call: 'call-2' });
    expect(lines[2]).toMatchObject({ dir: 'in', exchange: lines[1]?.['exchange'] });
  });
});
