import { join } from 'node:path';
import type { BaseDevice, JsonObject } from '@lab/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpDevice } from '../src/http/index.js';
import { MqttDevice } from '../src/mqtt/index.js';
import { OpcuaDevice } from '../src/opcua/index.js';
import { DeviceUnderTest } from './device-under-test.js';
import { fixtures, httpSession, mqttSession, opcuaSession, type MessageSession } from './message-sessions.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function under(Device: new () => BaseDevice<JsonObject>, parameters: JsonObject): DeviceUnderTest {
  const device = new DeviceUnderTest(Device, parameters);
  ends.push(() => device.end().catch(() => undefined));
  return device;
}

const sessions: [string, new () => BaseDevice<JsonObject>, string, MessageSession][] = [
  ['http', HttpDevice, 'http://reader.invalid', httpSession],
  ['mqtt', MqttDevice, 'mqtt://broker.invalid', mqttSession],
  ['opcua', OpcuaDevice, 'opc.tcp://reactor.invalid:4840', opcuaSession],
];

describe('a recorded session of messages', () => {
  it.each(sessions)('replays in the recorded order: %s', async (name, Device, url, { parameters, run }) => {
    const replay = { file: join(fixtures, `${name}.ndjson`) };
    await run(await under(Device, { url, ...parameters, replay }).start());
  });

  it.each(sessions)(
    'replays in another order if lenient: %s',
    async (name, Device, url, { parameters, run }) => {
      const replay = { file: join(fixtures, `${name}.ndjson`), order: 'lenient' };
      const device = await under(Device, { url, ...parameters, replay }).start();
      await run(device);
      const [query = ''] = Object.entries(device.functions).flatMap(([each, { kind }]) =>
        kind === 'query' ? each : [],
      );
      expect(await device.call(query)).toEqual(await device.call(query));
    },
  );
});
