import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HttpDevice } from '../../src/http/index.js';
import { makeCertificates, type Certificates } from '../certificates.js';
import { DeviceUnderTest, eventually } from '../device-under-test.js';
import { httpSession, recordSession } from '../message-sessions.js';
import { ReaderServer } from './reader-server.js';

const functions: JsonObject = {
  temperature: { request: { path: '/temperature' }, answer: { path: 'celsius', type: 'float', unit: 'C' } },
  set_temperature: {
    parameters: { target: { type: 'float', unit: 'C', min: 4, max: 65 } },
    request: { method: 'PUT', path: '/temperature', body: { celsius: '{target}' } },
  },
  status: { request: { path: '/status' }, answer: { path: 'state', type: 'str' } },
  measure: {
    parameters: {
      well: { type: 'str' },
      nm: { type: 'int', unit: 'nm' },
      gain: { type: 'float', unit: 'n/a', optional: true },
    },
    request: { method: 'POST', path: '/wells/{well}/measurements', body: { nm: '{nm}', gain: '{gain}' } },
    wait: {
      request: { path: '/measurements/{answer.id}' },
      done: { path: 'state', equals: 'done' },
      failed: { path: 'state', equals: ['failed'] },
      ...{ reason: 'message', every: 0.05 },
    },
    answer: { path: 'result.absorbance', type: 'float', unit: 'AU', factor: 0.001 },
  },
  tare: {
    request: { method: 'POST', path: '/tare' },
    wait: { every: 0.05 },
    answer: { path: 'offset', type: 'float' },
  },
  shake: { request: { method: 'POST', path: '/shake' } },
  hang: { request: { method: 'POST', path: '/hang' }, timeout: 0.5 },
  refuse: { request: { method: 'POST', path: '/refuse' } },
  elsewhere: { request: { method: 'POST', path: '/elsewhere' } },
  unlock: {
    parameters: { code: { type: 'str', secret: true } },
    request: { method: 'POST', path: '/unlock/{code}', body: { code: '{code}' } },
  },
  stop: { kind: 'idempotent', request: { method: 'POST', path: '/stop' } },
};

let certificates: Certificates;
beforeAll(async () => (certificates = await makeCertificates()));
afterAll(() => certificates.dispose());

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(tls?: { cert: string; key: string }): Promise<ReaderServer> {
  const started = await new ReaderServer(tls).start();
  ends.push(() => started.stop());
  return started;
}

function device(parameters: JsonObject): DeviceUnderTest {
  const made = new DeviceUnderTest(HttpDevice, { functions, ...parameters });
  ends.push(() => made.end().catch(() => undefined));
  return made;
}

const refused = (effect: 'none' | 'maybe', message: RegExp): object =>
  expect.objectContaining({
    name: effect === 'none' ? 'NotBegun' : 'ExchangeError',
    message: expect.stringMatching(message) as string,
  }) as object;

describe('a device with HTTP and JSON', () => {
  it('has functions whose kinds follow from the methods', async () => {
    const { functions: found } = await device({ url: (await server()).url }).start();
    expect(Object.fromEntries(Object.entries(found).map(([name, { kind }]) => [name, kind]))).toMatchObject({
      ...{ temperature: 'query', set_temperature: 'idempotent', measure: 'effect', stop: 'idempotent' },
    });
    expect(found['temperature']).toMatchObject({ description: 'Returns C.', timeout: 35 });
  });

  it('asks, sets and shows values', async () => {
    const reader = await server();
    const under = await device({ url: reader.url, report: ['temperature'] }).start();
    expect(await under.call('temperature')).toBe(22);
    expect(await under.call('set_temperature', { target: 37.5 })).toBeNull();
    expect(await under.report()).toMatchObject({ connected: true, peer: reader.url, temperature: 37.5 });
  });

  it('waits for the end of an operation that a request tells', async () => {
    const reader = await server();
    const under = await device({ url: reader.url }).start();
    expect(await under.call('measure', { well: 'A/1', nm: 450 })).toBeCloseTo(0.42);
    expect(reader.requests.at(0)).toMatchObject({
      route: 'POST /wells/A%2F1/measurements',
      body: { nm: 450 },
    });
    reader.fails = true;
    await expect(under.call('measure', { well: 'A1', nm: 450 })).rejects.toEqual(
      refused('maybe', /lamp broken/),
    );
  });

  it('follows the Location of an accepted operation, and never to another server', async () => {
    const reader = await server();
    const under = await device({ url: reader.url }).start();
    expect(await under.call('tare')).toBe(0.5);
    await expect(under.call('elsewhere')).rejects.toEqual(refused('maybe', /another server/));
  });

  it('goes on asking for an operation when the instrument was away meanwhile', async () => {
    const reader = await server();
    const under = await device({ url: reader.url }).start();
    reader.measuringMs = 400;
    const measured = under.call('measure', { well: 'A1', nm: 450 });
    await eventually(() => reader.count('POST /wells/A1/measurements') === 1, 'the measurement begins');
    await reader.stop();
    await reader.start();
    expect(await measured).toBeCloseTo(0.42);
    expect(reader.count('POST /wells/A1/measurements')).toBe(1);
  });

  it('never sends an effect again whose connection ended, and says that it may have happened', async () => {
    const reader = await server();
    const under = await device({ url: reader.url }).start();
    await expect(under.call('shake')).rejects.toEqual(refused('maybe', /POST \/shake/));
    await eventually(async () => (await under.report())['connected'] === true, 'it connects again');
    expect(reader.count('POST /shake')).toBe(1);
  });

  it('says that nothing happened when the instrument is not there, and connects again by itself', async () => {
    const reader = await server();
    const under = await device({
      url: reader.url,
      identity: { path: '/info', value: 'serial', equals: 'PR-0042' },
    }).start();
    await reader.stop();
    await expect(under.call('set_temperature', { target: 5 })).rejects.toEqual(
      refused('none', /nothing listens there/),
    );
    await expect(under.call('set_temperature', { target: 5 })).rejects.toEqual(
      refused('none', /not connected since/),
    );
    reader.serial = 'PR-0043';
    await reader.start();
    await eventually(
      () => under.logged.some((line) => line.includes('is not the one')),
      'another one is refused',
    );
    await expect(under.call('temperature')).rejects.toEqual(
      refused('none', /"?PR-0043"? instead of "?PR-0042/),
    );
    reader.serial = 'PR-0042';
    await eventually(async () => (await under.report())['connected'] === true, 'it connects again');
    expect(await under.call('temperature')).toBe(22);
    expect(reader.count('PUT /temperature')).toBe(0);
  });

  it('refuses another instrument at the start', async () => {
    const reader = await server();
    const other = device({ url: reader.url, identity: { path: '/info', value: 'serial', equals: 'PR-1' } });
    await expect(other.start()).rejects.toThrow(/not the one that init_parameters.identity names/);
  });

  it('fails a call that lasts too long, and one that the instrument refuses, without secrets', async () => {
    const reader = await server();
    reader.token = 'very-secret-token';
    const path = join(certificates.folder, 'token');
    writeFileSync(path, 'very-secret-token\n');
    const under = await device({ url: reader.url, record: true, auth: { bearer: { file: path } } }).start();
    await expect(under.call('hang')).rejects.toEqual(refused('maybe', /did not answer within 0.5 s/));
    await expect(under.call('refuse')).rejects.toEqual(refused('maybe', /409: .*lid is open.*Bearer \*\*\*/));
    reader.token = 'another';
    await expect(under.call('temperature')).rejects.toEqual(refused('maybe', /401 .*init_parameters.auth/));
    await expect(under.call('unlock', { code: 'geh/eim' })).rejects.toThrow(/401/);
    expect(JSON.stringify(under.traffic())).not.toMatch(/very-secret|geh.{0,3}eim/);
  });

  it('reaches its safe state at the start, at a stop and at the end', async () => {
    const reader = await server();
    const under = await device({ url: reader.url, safe_state: ['stop'] }).start();
    expect(reader.count('POST /stop')).toBe(1);
    const hanging = expect(under.call('hang')).rejects.toEqual(refused('maybe', /stopped: test/));
    await eventually(() => reader.count('POST /hang') === 1, 'the call begins');
    await under.stop();
    await hanging;
    expect(reader.count('POST /stop')).toBe(2);
    await under.cleanup();
    expect(reader.count('POST /stop')).toBe(3);
    expect(device({ url: reader.url }).canStop).toBe(false);
    const wrong = device({ url: reader.url, safe_state: ['measure'] });
    await expect(wrong.start()).rejects.toThrow(
      /measure is a function of kind effect.*set_temperature, stop/,
    );
  });

  it('says after a crash whether the instrument is idle, and moves nothing', async () => {
    const reader = await server();
    const parameters = {
      url: reader.url,
      safe_state: ['stop'],
      idle: { function: 'status', equals: 'idle' },
    };
    expect(await device(parameters).reconcile()).toMatchObject({ idle: true });
    reader.state = 'measuring';
    expect(await device(parameters).reconcile()).toMatchObject({
      idle: false,
      detail: expect.stringContaining('measuring') as string,
    });
    expect(await device({ url: reader.url }).reconcile()).toMatchObject({ idle: false });
    expect(reader.requests.every(({ route }) => route.startsWith('GET'))).toBe(true);
  });

  it('gives the instrument the id of the call', async () => {
    const reader = await server();
    const under = await device({ url: reader.url, idempotency_header: 'Idempotency-Key' }).start();
    await under.call('temperature');
    await under.call('stop');
    expect(reader.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, 'call-2']);
  });
});

describe('the certificate of an instrument', () => {
  it('is accepted from its authority, or by its fingerprint', async () => {
    const reader = await server(certificates.right);
    const trusting = await device({ url: reader.url, tls: { ca: certificates.ca } }).start();
    expect(await trusting.call('temperature')).toBe(22);
    expect(await trusting.call('set_temperature', { target: 30 })).toBeNull();
    const unknown = device({ url: reader.url, tls: { ca: certificates.otherCa } });
    const why = await unknown.start().catch((error: unknown) => (error as Error).message);
    expect(why).toMatch(/nobody whom this computer trusts/);
    const fingerprint = /It presents ([0-9A-F:]{95})/.exec(String(why))?.[1] ?? '';
    const pinned = await device({ url: reader.url, tls: { fingerprint } }).start();
    expect(await pinned.call('temperature')).toBe(30);
    const other = device({ url: reader.url, tls: { fingerprint: '0'.repeat(64) } });
    await expect(other.start()).rejects.toEqual(refused('none', /somebody stands between/));
  });

  it('is refused when it has expired, and nothing is sent', async () => {
    const reader = await server(certificates.expired);
    const under = device({ url: reader.url, tls: { ca: certificates.ca } });
    await expect(under.start()).rejects.toEqual(refused('none', /not valid at this time/));
    expect(reader.requests).toEqual([]);
  });
});

describe('a recording', () => {
  it('has a session that the fixtures have', async () => {
    const reader = await server();
    await recordSession(
      'http',
      httpSession,
      device({ url: reader.url, record: true, ...httpSession.parameters }),
    );
  });

  it('answers in place of the instrument', async () => {
    const reader = await server();
    const recorded = await device({ url: reader.url, record: true }).start();
    await recorded.call('set_temperature', { target: 40 });
    await recorded.call('temperature');
    await recorded.call('refuse').catch(() => undefined);
    const lines = recorded.traffic();
    expect(lines[0]).toMatchObject({ svc_recording: 1, label: reader.url, of: 'test_lab.device_1' });
    expect(lines[2]).toMatchObject({
      ...{ dir: 'out', call: 'call-1', exchange: 1 },
      message: { method: 'PUT', path: '/temperature', body: { celsius: 40 } },
    });
    expect(lines[2]!['ms']).toBeLessThanOrEqual(Number(lines[3]!['ms']));
    await reader.stop();
    const file = recorded.recording();
    const replayed = await device({ url: reader.url, replay: { file } }).start();
    await replayed.call('set_temperature', { target: 40 });
    await expect(replayed.call('set_temperature', { target: 41 })).rejects.toEqual(
      refused('none', /has at line 5 .*GET.*the device asks .*41/),
    );
    expect(await replayed.call('temperature')).toBe(40);
    await expect(replayed.call('refuse')).rejects.toThrow(/lid is open/);
    const lenient = await device({ url: reader.url, replay: { file, order: 'lenient' } }).start();
    expect([await lenient.call('temperature'), await lenient.call('temperature')]).toEqual([40, 40]);
  });

  it('answers calls with other ids than those of the recorded session', async () => {
    const reader = await server();
    const settings = { url: reader.url, idempotency_header: 'Idempotency-Key' };
    const recorded = await device({ ...settings, record: true }).start();
    await recorded.call('set_temperature', { target: 40 });
    const file = recorded.recording();
    const replayed = await device({ ...settings, replay: { file, order: 'lenient' } }).start();
    await replayed.call('set_temperature', { target: 40 });
    await replayed.call('set_temperature', { target: 40 });
  });

  it('has no secret, whatever its type is', async () => {
    const reader = await server();
    const target = { type: 'float', unit: 'C', secret: true };
    const request = { method: 'PUT', path: '/temperature', body: { celsius: '{target}' } };
    const own = { set_temperature: { parameters: { target }, request } };
    const recorded = await device({ url: reader.url, record: true, functions: own }).start();
    await recorded.call('set_temperature', { target: 40.25 });
    expect(recorded.traffic()[2]).toMatchObject({ message: { body: { celsius: '***' } } });
    expect(readFileSync(recorded.recording(), 'utf8')).not.toContain('40.25');
  });
});

describe('the twin', () => {
  const twin = {
    state: { temperature: 20, target: 20 },
    follow: { temperature: { to: 'target', rate: 100 } },
  };

  it('behaves, and needs no instrument', async () => {
    const own = structuredClone(functions) as Record<string, JsonObject>;
    own['set_temperature']!['twin'] = { sets: { target: '{target}' } };
    own['measure']!['twin'] = { answers: { result: { absorbance: 300 } }, takes: 0.1 };
    const under = await device({
      url: 'http://nowhere.invalid',
      simulate: true,
      twin,
      functions: own,
    }).start();
    await under.call('set_temperature', { target: 30 });
    await eventually(async () => (await under.call('temperature')) === 30, 'the temperature is reached');
    expect(await under.call('measure', { well: 'A1', nm: 450 })).toBeCloseTo(0.3);
    expect(await under.report()).toMatchObject({ simulated: true, connected: true });
  });
});
