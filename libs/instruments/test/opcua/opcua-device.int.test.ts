import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { SecurityPolicy, StatusCodes } from 'node-opcua';
import { afterEach, describe, expect, it } from 'vitest';
import { OpcuaDevice } from '../../src/opcua/index.js';
import { DeviceUnderTest, eventually } from '../device-under-test.js';
import { opcuaSession, recordSession } from '../message-sessions.js';
import { ReactorServer, type ServerOptions } from './reactor-server.js';

const functions: JsonObject = {
  temperature: { read: '/Objects/Reactor/Temperature' },
  set_target: {
    write: '/Objects/Reactor/Target',
    parameters: { target: { type: 'float', unit: 'C', max: 95 } },
  },
  target: { read: '/Objects/Reactor/Target' },
  stir: { write: '/Objects/1:Reactor/1:Stirrer' },
  counter: { read: '/Objects/Reactor/Counter' },
  set_counter: { write: '/Objects/Reactor/Counter' },
  phase: { read: '/Objects/Reactor/Phase' },
  set_phase: { write: '/Objects/Reactor/Phase' },
  profile: { read: '/Objects/Reactor/Profile' },
  set_profile: { write: '/Objects/Reactor/Profile' },
  lock: { write: '/Objects/Reactor/ReadOnly' },
  dose: { method: '/Objects/Reactor/Dose', timeout: 2 },
};
const none = { policy: 'None' };

const ends: (() => Promise<void>)[] = [];
const { OPENSSL_CONF: before } = process.env;
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  // The library that makes certificates sets it, and other tests of this worker run openssl.
  if (before === undefined) delete process.env['OPENSSL_CONF'];
  else process.env['OPENSSL_CONF'] = before;
});

async function server(options?: ServerOptions): Promise<ReactorServer> {
  const started = await new ReactorServer(options).start();
  ends.push(() => started.dispose());
  return started;
}

function device(url: string, parameters: JsonObject = {}): DeviceUnderTest {
  const made = new DeviceUnderTest(OpcuaDevice, { url, security: none, functions, ...parameters });
  ends.push(() => made.end().catch(() => undefined));
  return made;
}

const refused = (effect: 'none' | 'maybe', message: RegExp): object =>
  expect.objectContaining({
    name: effect === 'none' ? 'NotBegun' : 'ExchangeError',
    message: expect.stringMatching(message) as string,
  }) as object;
const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it succeeded',
    (error: unknown) => (error as Error).message,
  );

describe('a device with OPC UA', () => {
  it('has functions with the kinds, types, units and arguments of the server', async () => {
    const under = await device((await server()).url).start();
    expect(under.functions).toMatchObject({
      temperature: { kind: 'query', description: 'Returns °C.', parameters: {} },
      set_target: { kind: 'idempotent', parameters: { target: { type: 'float', unit: 'C', max: 95 } } },
      stir: {
        kind: 'idempotent',
        parameters: { value: { type: 'int', unit: 'n/a', min: -32768, max: 32767 } },
      },
      set_phase: { parameters: { value: { type: 'choice', choices: ['Idle', 'Heating', 'Draining'] } } },
      set_profile: { parameters: { value: { type: 'list', element_type: 'float' } } },
      dose: { kind: 'effect', parameters: { volume: { type: 'float', desc: 'in ml' } } },
    });
  });

  it('reads, writes and calls', async () => {
    const reactor = await server();
    const under = await device(reactor.url).start();
    expect(await under.call('temperature')).toBe(21.5);
    await under.call('set_target', { target: 37 });
    expect(await under.call('target')).toBe(37);
    expect(await under.call('phase')).toBe('Heating');
    await under.call('set_phase', { value: 'Draining' });
    expect(await under.call('phase')).toBe('Draining');
    await expect(under.call('set_phase', { value: 'Boiling' })).rejects.toEqual(
      refused('none', /one of Idle/),
    );
    await under.call('set_profile', { value: [1, 2.5, 3] });
    expect(await under.call('profile')).toEqual([1, 2.5, 3]);
    expect(await under.call('counter')).toBe(2 ** 32 + 5);
    await under.call('set_counter', { value: '9007199254740993' });
    expect(await under.call('counter')).toBe('9007199254740993');
    expect(await under.call('dose', { volume: 4.5 })).toBe(4.5);
    expect(reactor.doses).toEqual([4.5]);
  });

  it('says what the server refuses', async () => {
    const under = await device((await server()).url).start();
    await expect(under.call('dose', { volume: 101 })).rejects.toEqual(refused('maybe', /BadOutOfRange/));
    await expect(under.call('lock', { value: 2 })).rejects.toEqual(
      refused('maybe', /ReadOnly.*BadNotWritable/),
    );
  });

  it('shows what a subscription brings, and bad values as unknown', async () => {
    const reactor = await server();
    const report = { temperature: { node: '/Objects/Reactor/Temperature', interval: 0.1 } };
    const under = await device(reactor.url, { report }).start();
    const shown = async (): Promise<JsonObject> => (await under.report())['temperature'] as JsonObject;
    await eventually(async () => (await shown())['value'] === 21.5, 'the first value');
    expect(await shown()).toMatchObject({
      ...{
        unit: '°C',
        status: 'Good',
        age_s: expect.any(Number) as number,
        time: expect.any(String) as string,
      },
    });
    reactor.temperature = 30;
    await eventually(async () => (await shown())['value'] === 30, 'a change');
    reactor.status = StatusCodes.BadSensorFailure;
    await eventually(async () => (await shown())['status'] === 'BadSensorFailure', 'a bad value');
    expect((await shown())['value']).toBeNull();
    await expect(under.call('temperature')).rejects.toThrow(/not known: the server says BadSensorFailure/);
  });

  it('names what is there when a node is missing or is no such node', async () => {
    const { url } = await server();
    const read = (node: string): Promise<unknown> =>
      device(url, { functions: { x: { read: node } } }).start();
    expect(await reasonOf(read('/Objects/Reactor/Temp'))).toMatch(
      /there is no Temp in \/Objects\/Reactor: it has .*1:Temperature/,
    );
    expect(await reasonOf(read('ns=1;s=nothing'))).toMatch(/BadNodeIdUnknown/);
    expect(await reasonOf(read('/Objects/Reactor'))).toMatch(
      /functions.x: .*class Object.*variable is needed/,
    );
  });

  it('never calls a method again whose connection was lost, and connects again by itself', async () => {
    const reactor = await server();
    const under = await device(reactor.url, {
      identity: { read: '/Objects/Reactor/SerialNumber', equals: 'R-17' },
    }).start();
    const dosing = under.call('dose', { volume: -1 });
    const outcome = expect(dosing).rejects.toEqual(refused('maybe', /opc\.tcp/));
    await eventually(() => reactor.doses.length === 1, 'the method begins');
    await reactor.stop();
    await outcome;
    await expect(under.call('set_target', { target: 1 })).rejects.toEqual(
      refused('none', /not connected since/),
    );
    await reactor.start();
    await eventually(async () => (await under.report())['connected'] === true, 'it connects again');
    expect(await under.call('dose', { volume: 2 })).toBe(2);
    expect(reactor.doses).toEqual([-1, 2]);
  });

  it('fails a call that lasts too long', async () => {
    const under = await device((await server()).url).start();
    await expect(under.call('dose', { volume: -1 })).rejects.toEqual(
      refused('maybe', /did not answer within 2 s/),
    );
  });

  it('refuses another instrument', async () => {
    const { url } = await server({ serial: 'R-18' });
    const identity = { read: '/Objects/Reactor/SerialNumber', equals: 'R-17' };
    expect(await reasonOf(device(url, { identity }).start())).toMatch(/SerialNumber is R-18 instead of R-17/);
  });

  it('reaches its safe state', async () => {
    const reactor = await server();
    const under = await device(reactor.url, {
      safe_state: [{ function: 'set_target', arguments: { target: 5 } }],
    }).start();
    expect(await under.call('target')).toBe(5);
    await under.call('set_target', { target: 60 });
    const dosing = expect(under.call('dose', { volume: -1 })).rejects.toEqual(
      refused('maybe', /stopped: test/),
    );
    await eventually(() => reactor.doses.length === 1, 'the method begins');
    await under.stop();
    await dosing;
    expect(await under.call('target')).toBe(5);
  });
});

describe('the certificates of a device with OPC UA', () => {
  const secure = { policy: 'Basic256Sha256', mode: 'SignAndEncrypt' };

  it('are confirmed by a person on both sides', async () => {
    const reactor = await server({ trusting: false });
    const first = device(reactor.url, { security: secure });
    const unknown = await reasonOf(first.start());
    expect(unknown).toMatch(/nobody has confirmed the certificate/);
    const pin = /server_certificate: ([0-9A-F:]{95})/.exec(unknown)?.[1] ?? '';
    // One folder, so that the device keeps its certificate.
    const parameters = { security: secure, server_certificate: pin };
    const second = device(reactor.url, parameters);
    const rejected = await reasonOf(second.start());
    expect(rejected).toMatch(
      /copy .*pki\/own\/certs\/client\.der into the trusted certificates of the server/,
    );
    await reactor.trust(readFileSync(join(second.folder, 'pki/own/certs/client.der')));
    await second.start();
    expect(await second.call('dose', { volume: 1 })).toBe(1);
  });

  it('are refused when the server shows another one, or one that has expired', async () => {
    const reactor = await server();
    const other = { security: secure, server_certificate: '0'.repeat(64) };
    await expect(device(reactor.url, other).start()).rejects.toEqual(
      refused('none', /somebody stands between/),
    );
    const old = await server({ days: -1 });
    const why = await reasonOf(device(old.url, { security: secure }).start());
    const pin = /server_certificate: ([0-9A-F:]{95})/.exec(why)?.[1] ?? '';
    const expired = device(old.url, { security: secure, server_certificate: pin });
    await expect(expired.start()).rejects.toEqual(refused('none', /not valid at this time/));
  });

  it('are not of use when the server has not the policy, and the error lists those that it has', async () => {
    const { url } = await server({ policies: [SecurityPolicy.None] });
    const why = await reasonOf(device(url, { security: secure }).start());
    expect(why).toMatch(/no endpoint with Basic256Sha256 and SignAndEncrypt. It has None with None/);
    expect(await reasonOf(device(url, { security: { policy: 'None', mode: 'Sign' } }).start())).toMatch(
      /None goes with None/,
    );
  });
});

describe('a server that wants a user', () => {
  it('gets name and password from a file, and the error says who is not admitted', async () => {
    const { url } = await server({ users: { lab: 'lab-word' } });
    const under = device(url);
    const file = join(under.folder, 'word');
    writeFileSync(file, 'lab-word\n');
    expect(await reasonOf(under.start())).toMatch(/does not admit a device without a user.*UserName/);
    const right = await device(url, { user: { name: 'lab', password: { file } } }).start();
    expect(await right.call('target')).toBe(20);
    expect(await reasonOf(device(url, { user: { name: 'eve', password: { file } } }).start())).toMatch(
      /does not admit the user eve/,
    );
  });
});

describe('a recording of OPC UA', () => {
  it('answers in place of the server', async () => {
    const reactor = await server();
    const { parameters, run } = opcuaSession;
    const recorded = device(reactor.url, { record: true, ...parameters });
    await recordSession('opcua', opcuaSession, recorded);
    await reactor.stop();
    const replay = { file: recorded.recording() };
    await run(await device(reactor.url, { replay, ...parameters }).start());
  });
});

describe('the twin of a server of OPC UA', () => {
  it('behaves, and needs no server', async () => {
    const under = await device('opc.tcp://nowhere.invalid:4840', {
      simulate: true,
      functions: {
        temperature: { read: '/Objects/Reactor/Temperature' },
        set_target: { write: '/Objects/Reactor/Target' },
        dose: {
          method: '/Objects/Reactor/Dose',
          parameters: { volume: { type: 'float', unit: 'ml' } },
          twin: { answers: '{volume}', takes: 0.05 },
        },
      },
      report: { temperature: { node: '/Objects/Reactor/Temperature', unit: 'C' } },
      twin: { state: { Temperature: 20, Target: 20 }, follow: { Temperature: { to: 'Target', rate: 100 } } },
    }).start();
    await under.call('set_target', { value: 25 });
    await eventually(async () => (await under.call('temperature')) === 25, 'the temperature is reached');
    await eventually(
      async () => ((await under.report())['temperature'] as JsonObject)['value'] === 25,
      'the report follows',
    );
    expect(await under.call('dose', { volume: 5 })).toBe(5);
  });
});
