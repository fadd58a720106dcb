import { join } from 'node:path';
import type { BaseDevice, JsonObject } from '@lab/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { EosDevice } from '../src/eos/index.js';
import { HttpDevice } from '../src/http/index.js';
import { MadsciDevice } from '../src/madsci/index.js';
import { MqttDevice } from '../src/mqtt/index.js';
import { OpcuaDevice } from '../src/opcua/index.js';
import { OpentronsDevice } from '../src/opentrons/index.js';
import { DeviceUnderTest } from './device-under-test.js';
import {
  eosSession,
  fixtures,
  httpSession,
  madsciSession,
  mqttSession,
  opcuaSession,
  opentronsSession,
  type MessageSession,
} from './message-sessions.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function under(Device: new () => BaseDevice<JsonObject>, parameters: JsonObject): DeviceUnderTest {
  const device = new DeviceUnderTest(Device, parameters);
  ends.push(() => device.end().catch(() => undefined));
  return device;
}

const sessions: [string, new () => BaseDevice<JsonObject>, JsonObject, MessageSession][] = [
  ['http', HttpDevice, { url: 'http://reader.invalid' }, httpSession],
  ['mqtt', MqttDevice, { url: 'mqtt://broker.invalid' }, mqttSession],
  ['opcua', OpcuaDevice, { url: 'opc.tcp://reactor.invalid:4840' }, opcuaSession],
  ['madsci', MadsciDevice, { address: 'http://node.invalid:2000' }, madsciSession],
  ['opentrons', OpentronsDevice, { address: 'http://robot.invalid:31950' }, opentronsSession],
  ['eos', EosDevice, { address: 'http://eos.invalid:8070' }, eosSession],
];

describe('a recorded session of messages', () => {
  it.each(sessions)('replays in the recorded order: %s', async (name, Device, where, { parameters, run }) => {
    const replay = { file: join(fixtures, `${name}.ndjson`) };
    await run(await under(Device, { ...where, ...parameters, replay }).start());
  });

  it.each(sessions)(
    'replays in another order if lenient: %s',
    async (name, Device, where, { parameters, run }) => {
      const replay = { file: join(fixtures, `${name}.ndjson`), order: 'lenient' };
      const device = await under(Device, { ...where, ...parameters, replay }).start();
      await run(device);
      const [query = ''] = Object.entries(device.functions).flatMap(([each, { kind }]) =>
        kind === 'query' ? each : [],
      );
      expect(await device.call(query)).toEqual(await device.call(query));
    },
  );
});
