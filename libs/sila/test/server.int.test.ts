import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { certifyServer, makeCertificateAuthority } from '@lab/trust/certificates';
import { ServerLock, SilaClient } from '../src/client/index.js';
import {
  deviceFeature,
  DeviceLock,
  SilaServer,
  type OfferedFunction,
  type Reservations,
} from '../src/server/index.js';

const identity = {
  uuid: '25597b36-e9bf-11e8-aeb5-f2801f1b9fd1',
  name: 'color_lab.station_1',
  type: 'ColorStation',
  description: 'A device of a lab',
  version: '1.0',
  vendorUrl: 'https://example.org',
};

const functions: OfferedFunction[] = [
  { name: 'status', kind: 'query', description: 'Tells the state', parameters: {} },
  {
    name: 'mix_colors',
    kind: 'effect',
    description: 'Mixes <A & B>',
    parameters: {
      volume: { type: 'float', unit: 'ml', min: 0, max: 25 },
      mode: { type: 'choice', choices: ['slow', 'fast & loud'] },
      recipe: { type: 'dict' },
      wells: { type: 'list', element_type: 'int' },
    },
  },
  { name: 'raw', kind: 'idempotent', description: null, parameters: null },
];

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

/** A device whose calls are echoed, with the reservations of a service. */
async function offered() {
  const called: [string, JsonObject][] = [];
  const taken = new Set<string>();
  const state: { task: string | null } = { task: null };
  const feature = deviceFeature(
    'color_station',
    'org.example',
    functions,
    (name, given): Promise<JsonValue> => {
      called.push([name, given]);
      return name === 'raw' ? Promise.reject(new Error('the lid is open')) : Promise.resolve({ name });
    },
  );
  const reservations: Reservations = {
    heldBy: () => Promise.resolve(state.task),
    reserve: () => {
      taken.add('r');
      return Promise.resolve('r');
    },
    end: () => {
      taken.delete('r');
      return Promise.resolve();
    },
  };
  const lock = new DeviceLock(reservations, 'org.example/devices/ColorStation/v1');
  const server = new SilaServer(identity, [feature, lock], (call) => lock.guard(call));
  const port = await server.listen('127.0.0.1', 0);
  const client = await SilaClient.connect({ host: '127.0.0.1', port }, { insecure: true }, identity.uuid);
  open.push(
    () => server.close(),
    () => lock.close(),
    () => client.close(),
  );
  const remote = client.feature('ColorStation');
  const run = (name: string, given: JsonObject, context = {}): Promise<JsonObject> => {
    const command = remote.feature.commands.get(name);
    if (command === undefined) throw new Error(`no command ${name}`);
    return command.observable
      ? remote.begin(command, given, { context }).then((uuid) => remote.follow(command, uuid, 1_000))
      : remote.run(command, given, { context });
  };
  const clientLock = await ServerLock.of(client);
  if (clientLock === undefined) throw new Error('the server has no lock');
  return { client, remote, run, called, taken, state, lock: clientLock };
}

const mix = { Volume: 2.5, Mode: 'fast & loud', Recipe: '{"a": 1}', Wells: [1, 2] };

describe('a device that is offered to clients of SiLA', () => {
  it('has its functions as commands and properties', async () => {
    const { client, remote } = await offered();
    expect(client.server).toEqual(identity);
    expect([...remote.feature.properties.keys()]).toEqual(['Status']);
    expect(
      [...remote.feature.commands.values()].map(({ identifier, observable }) => [identifier, observable]),
    ).toEqual([
      ['MixColors', true],
      ['Raw', false],
    ]);
    expect(remote.feature.commands.get('MixColors')?.description).toBe('Mixes <A & B>');
  });

  it('does not have its functions for recordings, which may have passwords', () => {
    const named = (name: string): OfferedFunction => ({
      name,
      kind: 'query',
      description: null,
      parameters: {},
    });
    const functions = ['status', 'record_traffic', 'recorded_traffic'].map(named);
    const { xml } = deviceFeature('pump', 'org.example', functions, () => Promise.resolve(null));
    expect(xml).toContain('Status');
    expect(xml).not.toMatch(/Record/);
  });

  it('calls them with the names and values of the device', async () => {
    const { run, called, remote } = await offered();
    expect(await run('MixColors', mix)).toEqual({ Result: '{"name":"mix_colors"}' });
    expect(called).toEqual([
      ['mix_colors', { volume: 2.5, mode: 'fast & loud', recipe: { a: 1 }, wells: [1, 2] }],
    ]);
    const property = remote.feature.properties.get('Status');
    expect(property && (await remote.get(property))).toBe('{"name":"status"}');
    await expect(run('Raw', { Parameters: '{}' })).rejects.toMatchObject({
      kind: 'undefined',
      message: 'the lid is open',
    });
  });

  it('is reserved in the service while a client has locked it, and refuses others', async () => {
    const { lock, run, taken } = await offered();
    await lock.lock('mine', 30);
    expect([...taken]).toEqual(['r']);
    await expect(run('MixColors', mix)).rejects.toMatchObject({ identifier: 'INVALID_METADATA' });
    await expect(run('MixColors', mix, await lock.context('other'))).rejects.toMatchObject({
      identifier: 'InvalidLockIdentifier',
    });
    expect(await run('MixColors', mix, await lock.context('mine'))).toMatchObject({
      Result: expect.any(String) as string,
    });
    await expect(lock.unlock('other')).rejects.toMatchObject({ identifier: 'InvalidLockIdentifier' });
    await lock.unlock('mine');
    expect([...taken]).toEqual([]);
    await expect(lock.unlock('mine')).rejects.toMatchObject({ identifier: 'ServerNotLocked' });
  });

  it('is locked while a task has it', async () => {
    const { lock, state, taken } = await offered();
    state.task = 'mix_1/mix_colors';
    expect(await lock.isLocked()).toBe(true);
    await expect(lock.lock('mine', 30)).rejects.toMatchObject({
      identifier: 'ServerAlreadyLocked',
      message: 'ServerAlreadyLocked: mix_1/mix_colors has the device',
    });
    expect([...taken]).toEqual([]);
  });

  it('is free again when its lock was not used for its time', async () => {
    const { lock, taken, run } = await offered();
    await lock.lock('mine', 4);
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    await run('MixColors', mix, await lock.context('mine'));
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(await lock.isLocked()).toBe(true);
    await expect.poll(() => lock.isLocked()).toBe(false);
    expect([...taken]).toEqual([]);
  });
});

describe('a server whose certificate an authority has issued', () => {
  it('is refused at an address that does not stand in it, unless its fingerprint is pinned', async () => {
    const authority = await makeCertificateAuthority('lab', Date.now());
    const keys = await certifyServer(authority, ['reader.lab.example.org'], Date.now(), 1);
    const server = new SilaServer(identity, []);
    open.push(() => server.close());
    const address = { host: '127.0.0.1', port: await server.listen('127.0.0.1', 0, keys) };
    const authorities = authority.certificate;
    await expect(SilaClient.connect(address, { authorities })).rejects.toThrow(
      /none of the given authorities has issued for 127\.0\.0\.1 \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    );
    const fingerprint = new X509Certificate(keys.certificate).fingerprint256;
    const client = await SilaClient.connect(address, { authorities, fingerprint });
    expect(client.server.uuid).toBe(identity.uuid);
    client.close();
    const other = fingerprint.replace(/^../, (byte) => (byte === '00' ? '01' : '00'));
    await expect(SilaClient.connect(address, { authorities, fingerprint: other })).rejects.toThrow(
      'not the confirmed one',
    );
  });
});
