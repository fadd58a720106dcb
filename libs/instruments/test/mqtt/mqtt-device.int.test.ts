import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { connectAsync } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MqttDevice } from '../../src/mqtt/index.js';
import { makeCertificates, type Certificates } from '../certificates.js';
import { DeviceUnderTest, eventually } from '../device-under-test.js';
import { mqttSession, recordSession } from '../message-sessions.js';
import { Bath } from './bath.js';
import { Broker, mosquitto, type BrokerOptions } from './broker.js';

if (mosquitto === undefined) {
  process.stderr.write(
    'The tests of MQTT DO NOT RUN: mosquitto is not installed (node tools/mosquitto.mjs fetches it)\n',
  );
}

const state: JsonObject = {
  temperature: { topic: 'bath/temperature', path: 'celsius', type: 'float', unit: 'C', stale_after: 60 },
  phase: { topic: 'bath/phase', type: 'str' },
  online: { topic: 'bath/online', type: 'str' },
};
const functions: JsonObject = {
  read_temperature: { state: 'temperature' },
  set_target: {
    kind: 'idempotent',
    parameters: { target: { type: 'float', unit: 'C' } },
    publish: { topic: 'bath/set/target', payload: { celsius: '{target}' } },
  },
  fill: {
    timeout: 3,
    parameters: { volume: { type: 'float', unit: 'l' } },
    publish: { topic: 'bath/do/fill', payload: { litres: '{volume}' } },
    ...{ request: true, failed: { path: 'ok', equals: false, reason: 'error' } },
    answer: { path: 'level', type: 'float', unit: 'l' },
  },
  circulate: {
    timeout: 3,
    parameters: { how: { type: 'str', value: '' } },
    publish: { topic: 'bath/do/circulate', payload: '{how}' },
    until: { state: 'phase', equals: 'mixed' },
    unless: { state: 'phase', equals: ['dry'] },
  },
  nowhere: { publish: { topic: 'nobody/listens', payload: 'x', qos: 1 } },
  stop: { kind: 'idempotent', publish: { topic: 'bath/do/stop', payload: 'now' } },
};

let certificates: Certificates;
beforeAll(async () => (certificates = await makeCertificates()));
afterAll(() => certificates.dispose());

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function broker(options?: BrokerOptions): Promise<Broker> {
  const started = await Broker.start(options);
  ends.push(() => started.stop());
  return started;
}

async function bath(port: number, options?: Parameters<Bath['start']>[1]): Promise<Bath> {
  const started = await new Bath().start(port, options);
  ends.push(() => started.stop());
  return started;
}

function device(port: number, parameters: JsonObject = {}): DeviceUnderTest {
  const url = `${parameters['tls'] === undefined ? 'mqtt' : 'mqtts'}://127.0.0.1:${port}`;
  const made = new DeviceUnderTest(MqttDevice, { url, state, functions, ...parameters });
  ends.push(() => made.end().catch(() => undefined));
  return made;
}

const refused = (effect: 'none' | 'maybe', message: RegExp): object =>
  expect.objectContaining({
    name: effect === 'none' ? 'NotBegun' : 'ExchangeError',
    message: expect.stringMatching(message) as string,
  }) as object;

describe.skipIf(mosquitto === undefined)('a device behind a broker', () => {
  it('shows states with value, unit and age, and says which are not known', async () => {
    const { port } = await broker();
    const water = await bath(port);
    const under = await device(port).start();
    await eventually(async () => (await under.report())['temperature'] !== undefined, 'a state');
    await eventually(
      async () => ((await under.report())['temperature'] as JsonObject)['value'] === 21.5,
      'the retained value',
    );
    expect(await under.call('read_temperature')).toBe(21.5);
    expect(await under.report()).toMatchObject({
      connected: true,
      temperature: { value: 21.5, unit: 'C', age_s: expect.any(Number) as number },
      phase: { value: null, why: expect.stringContaining('bath/phase') as string },
    });
    await water.tell('temperature', '{"celsius":"broken"}');
    await eventually(
      async () => ((await under.report())['temperature'] as JsonObject)['value'] === null,
      'a value that is no number is not known',
    );
    await expect(under.call('read_temperature')).rejects.toThrow(/broken/);
  });

  it('publishes effects with QoS 2 and other messages with QoS 1', async () => {
    const { port } = await broker();
    const water = await bath(port);
    const under = await device(port).start();
    await under.call('set_target', { target: 40 });
    expect(await under.call('fill', { volume: 1.5 })).toBe(1.5);
    expect(water.commands).toEqual([
      { topic: 'bath/set/target', payload: '{"celsius":40}', qos: 1 },
      { topic: 'bath/do/fill', payload: '{"litres":1.5}', qos: 2 },
    ]);
  });

  it('fails when the instrument says so, does not answer, or is not subscribed', async () => {
    const { port } = await broker();
    const water = await bath(port);
    const under = await device(port).start();
    await expect(under.call('fill', { volume: 5 })).rejects.toEqual(refused('maybe', /it would overflow/));
    water.answers = false;
    await expect(under.call('fill', { volume: 1 })).rejects.toEqual(
      refused('maybe', /did not answer within 3 s/),
    );
    await expect(under.call('nowhere')).rejects.toEqual(
      refused('maybe', /nobody has subscribed to nobody\/listens/),
    );
  });

  it('waits for the state that ends a long command', async () => {
    const { port } = await broker();
    const water = await bath(port);
    await water.tell('phase', 'mixed');
    const under = await device(port).start();
    await under.call('circulate', { how: '' });
    await expect(under.call('circulate', { how: 'dry' })).rejects.toEqual(refused('maybe', /phase is dry/));
    expect(water.commands.map(({ topic }) => topic)).toEqual(['bath/do/circulate', 'bath/do/circulate']);
  });

  it('never publishes an effect again whose connection was lost, and connects again by itself', async () => {
    const running = await broker();
    const water = await bath(running.port);
    water.answers = false;
    const under = await device(running.port).start();
    const filling = under.call('fill', { volume: 1 });
    const outcome = expect(filling).rejects.toEqual(refused('maybe', /closed the connection/));
    await eventually(() => water.commands.length === 1, 'the command arrives');
    await running.down();
    await outcome;
    await expect(under.call('set_target', { target: 1 })).rejects.toEqual(
      refused('none', /not connected since/),
    );
    await water.stop();
    await running.up();
    const again = await bath(running.port);
    await eventually(async () => (await under.report())['connected'] === true, 'it connects again');
    await under.call('set_target', { target: 2 });
    // The broker may acknowledge a message before the instrument has read it.
    await eventually(() => again.commands.length > 0, 'the new message arrives');
    expect(again.commands.map(({ payload }) => payload)).toEqual(['{"celsius":2}']);
  });

  it('sends nothing while the last will of the instrument says that it is gone', async () => {
    const { port } = await broker();
    const water = await bath(port);
    const under = await device(port, { presence: { state: 'online', equals: 'yes' } }).start();
    await under.call('set_target', { target: 1 });
    await water.stop(true);
    await eventually(
      async () => ((await under.report())['online'] as JsonObject)['value'] === 'no',
      'the last will',
    );
    await expect(under.call('set_target', { target: 2 })).rejects.toEqual(refused('none', /it said no/));
  });

  it('refuses another instrument', async () => {
    const { port } = await broker();
    await bath(port, { serial: 'WB-8' });
    const identity = { topic: 'bath/serial', value: 'serial', equals: 'WB-7' };
    await expect(device(port, { identity }).start()).rejects.toThrow(
      /bath\/serial says WB-8 instead of WB-7/,
    );
  });

  it('tells others by will and birth whether it is there', async () => {
    const { port } = await broker();
    const seen: string[] = [];
    const watcher = await connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
    ends.push(() => watcher.endAsync(true));
    watcher.on('message', (_, payload) => seen.push(payload.toString()));
    await watcher.subscribeAsync('svc/online');
    const message = (payload: string): JsonObject => ({ topic: 'svc/online', payload, retain: true });
    const first = await device(port, { will: message('lost'), birth: message('here') }).start();
    await eventually(() => seen.includes('here'), 'the birth');
    // Another client takes its name: the broker publishes the will of the first.
    const thief = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId: 'test_lab-device_1',
      protocolVersion: 5,
    });
    ends.push(() => thief.endAsync(true));
    await eventually(() => seen.includes('lost'), 'the will');
    await eventually(() => first.logged.join().includes('Has another client the client id test_lab'), 'why');
  });

  it('says why a broker ended the connection, if the broker says so', async () => {
    // Mosquitto does not say it: CONNACK, then DISCONNECT with the reason code "session taken over".
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(Buffer.from('2003000000e0028e00', 'hex')));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => server.close(() => resolve())));
    const under = device((server.address() as AddressInfo).port, { state: {}, functions: {} });
    await under.start().catch(() => undefined);
    await eventually(() => under.logged.join().includes('another client connected'), 'the reason');
    expect(under.logged.join()).toMatch(
      /client id test_lab-device_1: give each device a client_id of its own/,
    );
  });

  it('reaches its safe state at the start, at a stop and at the end', async () => {
    const { port } = await broker();
    const water = await bath(port);
    water.answers = false;
    const under = await device(port, { safe_state: ['stop'] }).start();
    const stops = (): number => water.commands.filter(({ topic }) => topic === 'bath/do/stop').length;
    await eventually(() => stops() === 1, 'at the start');
    const filling = under.call('fill', { volume: 1 });
    const outcome = expect(filling).rejects.toEqual(refused('maybe', /stopped: test/));
    await eventually(() => water.commands.some(({ topic }) => topic === 'bath/do/fill'), 'the call begins');
    await under.stop();
    await outcome;
    await under.cleanup();
    await eventually(() => stops() === 3, 'at the end');
  });
});

describe.skipIf(mosquitto === undefined)('a broker that admits not everybody', () => {
  const users = { bath: 'bath-word', lab: 'lab-word' };

  it('is told user and password from a file, and the errors say who is not admitted', async () => {
    const { port } = await broker({ users });
    const file = join(certificates.folder, 'word');
    writeFileSync(file, 'lab-word\n');
    await bath(port, { user: 'bath', password: 'bath-word' });
    const under = await device(port, { auth: { user: 'lab', password: { file } } }).start();
    expect(await under.call('fill', { volume: 1 })).toBe(1);
    await expect(device(port).start()).rejects.toEqual(refused('none', /it wants a user and a password/));
    const wrong = device(port, { auth: { user: 'bath', password: { file } } });
    await expect(wrong.start()).rejects.toEqual(refused('none', /does not admit the user bath.*auth right/));
  });

  it('names the topic that the user may not use', async () => {
    const acl = ['user lab', 'topic readwrite bath/set/#', 'topic read bath/#', 'topic readwrite svc/#'];
    const { port } = await broker({ users, acl });
    const file = join(certificates.folder, 'word');
    writeFileSync(file, 'lab-word\n');
    const auth = { user: 'lab', password: { file } };
    const under = await device(port, { auth }).start();
    await expect(under.call('nowhere')).rejects.toEqual(
      refused('maybe', /does not let the user lab publish on nobody\/listens/),
    );
  });

  it('is recognised by its certificate', async () => {
    const { port } = await broker({ tls: certificates.right });
    const under = await device(port, { tls: { ca: certificates.ca } }).start();
    expect(await under.report()).toMatchObject({ connected: true });
    await expect(device(port, { tls: { ca: certificates.otherCa } }).start()).rejects.toEqual(
      refused('none', /nobody whom this computer trusts/),
    );
    const old = await broker({ tls: certificates.expired });
    await expect(device(old.port, { tls: { ca: certificates.ca } }).start()).rejects.toEqual(
      refused('none', /not valid at this time/),
    );
  });
});

describe.skipIf(mosquitto === undefined)('a recording of MQTT', () => {
  it('answers in place of the broker, with the messages that followed each request', async () => {
    const { port } = await broker();
    await bath(port);
    const { parameters, run } = mqttSession;
    const recorded = device(port, { record: true, ...parameters });
    await recordSession('mqtt', mqttSession, recorded);
    const replay = { file: recorded.recording() };
    const replayed = await device(port, { replay, ...parameters }).start();
    await run(replayed);
    await expect(replayed.call('circulate')).rejects.toEqual(refused('none', /has no further request/));
  });
});

describe('the twin of an instrument behind a broker', () => {
  it('behaves, and needs no broker', async () => {
    const own = structuredClone(functions) as Record<string, JsonObject>;
    own['fill']!['twin'] = { answers: { ok: true, level: '{volume}' }, takes: 0.05 };
    own['set_target']!['twin'] = { sets: { target: '{target}' } };
    const under = device(1, {
      ...{ functions: own, simulate: true, presence: { state: 'online', equals: 'yes' } },
      state: { ...state, temperature: { ...(state['temperature'] as JsonObject), stale_after: 3 } },
      twin: { state: { temperature: 20, target: 20 }, follow: { temperature: { to: 'target', rate: 100 } } },
    });
    await under.start();
    await eventually(
      async () => ((await under.report())['online'] as JsonObject)['value'] === 'yes',
      'it is there',
    );
    // What stays the same is said again before it is stale.
    await new Promise((resolve) => setTimeout(resolve, 3_200));
    expect(await under.call('read_temperature')).toBe(20);
    await under.call('set_target', { target: 25 });
    await eventually(async () => (await under.call('read_temperature')) === 25, 'the temperature is reached');
    expect(await under.call('fill', { volume: 2 })).toBe(2);
    await under.call('circulate', { how: '' });
  });
});
