import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@lab/sdk';
import {
  SilaClient,
  SilaConnectionError,
  SilaError,
  ServerLock,
  type RemoteFeature,
} from '../../src/client/index.js';
import type { Command, Property } from '../../src/feature/index.js';
import { libraries, Peer, python } from '../peers.js';

const insecure = { insecure: true };

function commandOf({ feature }: RemoteFeature, name: string): Command {
  const command = feature.commands.get(name);
  if (command === undefined)
    throw new Error(`no command ${name}; there are: ${[...feature.commands.keys()].join()}`);
  return command;
}

function propertyOf({ feature }: RemoteFeature, name: string): Property {
  const property = feature.properties.get(name);
  if (property === undefined) throw new Error(`no property ${name}`);
  return property;
}

describe.skipIf(python === undefined).each(libraries)('a client of a server of %s', (library) => {
  let peer: Peer;
  let client: SilaClient;
  let bench: RemoteFeature;
  const run = (name: string, given: JsonObject): Promise<JsonObject> =>
    bench.run(commandOf(bench, name), given);

  beforeAll(async () => {
    peer = await Peer.start(library);
    client = await SilaClient.connect(peer.address, insecure, peer.uuid);
    bench = client.feature('Bench');
  });
  afterAll(async () => {
    client.close();
    await peer.kill();
  });

  it('learns who the server is and what it can do', () => {
    expect(client.server).toMatchObject({ uuid: peer.uuid, name: 'Bench', type: 'TestServer' });
    expect(bench.feature).toMatchObject({
      fullIdentifier: 'org.example/tests/Bench/v1',
      identifier: 'Bench',
    });
    expect([...bench.feature.commands.keys()].sort()).toEqual(['Carry', 'Echo', 'Heat', 'Label', 'Move']);
  });

  it('refuses a server with another UUID', async () => {
    const other = '00000000-0000-4000-8000-000000000000';
    await expect(SilaClient.connect(peer.address, insecure, other)).rejects.toThrow(
      `is Bench with the UUID ${peer.uuid}, not the server ${other}`,
    );
  });

  it('reads a property, and the first value of an observable one', async () => {
    const moves = Number(await bench.get(propertyOf(bench, 'Moves')));
    expect(await run('Move', { To: 12, Seconds: 0 })).toEqual({ Position: 12 });
    expect(await bench.get(propertyOf(bench, 'Moves'))).toBe(moves + 1);
    expect(await bench.get(propertyOf(bench, 'Position'))).toBe(12);
  });

  it('carries values of all types there and back', async () => {
    const Value = {
      Text: 'grün ✓',
      Large: '9007199254740993',
      Day: '2026-03-14+01:00',
      Clock: '09:30:01-05:30',
      Moment: '2026-03-14T23:59:59Z',
      Numbers: [1.5, -2],
      Pair: { Left: true, Right: '' },
    };
    expect(await run('Echo', { Value })).toEqual({ Value });
  });

  it('says which argument is wrong, and sends nothing', async () => {
    await expect(run('Move', { To: 'far', Seconds: 0 })).rejects.toThrow(
      'To must be a whole number, not "far"',
    );
    await expect(run('Move', { To: 1 })).rejects.toThrow('Seconds is missing');
    await expect(run('Move', { To: 1, Seconds: 0, Speed: 2 })).rejects.toThrow('there is no Speed');
  });

  it('tells a defined error, an undefined one and a validation error apart', async () => {
    await expect(run('Move', { To: 13, Seconds: 0 })).rejects.toMatchObject({
      kind: 'defined',
      identifier: 'Blocked',
      message: 'Blocked: the stage is blocked at 13',
    });
    await expect(run('Move', { To: 14, Seconds: 0 })).rejects.toMatchObject({ kind: 'undefined' });
    await expect(run('Move', { To: 500, Seconds: 0 })).rejects.toMatchObject({ kind: 'validation' });
  });

  it('follows an observable command to its result, and to its error', async () => {
    const heat = commandOf(bench, 'Heat');
    const uuid = await bench.begin(heat, { Seconds: 0.5, Fail: false });
    const states: string[] = [];
    for await (const { status } of bench.states(heat, uuid)) states.push(status);
    expect(states.at(-1)).toBe('finishedSuccessfully');
    expect(await bench.result(heat, uuid)).toEqual({ Reached: 37.5 });
    const failing = await bench.begin(heat, { Seconds: 0, Fail: true });
    await expect(bench.follow(heat, failing, 1_000)).rejects.toMatchObject({
      kind: 'defined',
      identifier: 'Blocked',
    });
  });

  it('says that the server does not know an execution', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    await expect(bench.follow(commandOf(bench, 'Heat'), unknown, 1_000)).rejects.toMatchObject({
      kind: 'framework',
      identifier: 'INVALID_COMMAND_EXECUTION_UUID',
    });
  });

  it('carries a small binary inside its message, and a large one apart', async () => {
    for (const size of [0, 10, 3_000_000]) {
      const Bytes = Buffer.alloc(size, 7).toString('base64');
      expect((await run('Carry', { Bytes }))['Bytes']).toBe(Bytes);
    }
  });

  it('locks and frees a server that has a lock, which refuses calls with another identifier', async () => {
    expect(await ServerLock.of(client)).toBeUndefined();
    const locking = await Peer.start(library, { lock: true });
    const other = await SilaClient.connect(locking.address, insecure);
    const lock = await ServerLock.of(other);
    expect(await lock?.isLocked()).toBe(false);
    await lock?.lock('mine', 30);
    expect(await lock?.isLocked()).toBe(true);
    await expect(lock?.lock('other', 30)).rejects.toMatchObject({ identifier: 'ServerAlreadyLocked' });
    await expect(lock?.unlock('other')).rejects.toMatchObject({ identifier: 'InvalidLockIdentifier' });
    // A call with another identifier is refused before it does anything.
    const locked = other.feature('Bench');
    const move = (context = {}) => locked.run(commandOf(locked, 'Move'), { To: 3, Seconds: 0 }, { context });
    await expect(move(await lock?.context('other'))).rejects.toMatchObject({
      identifier: 'InvalidLockIdentifier',
    });
    await expect(move()).rejects.toMatchObject({ kind: 'framework', identifier: 'INVALID_METADATA' });
    expect(await move(await lock?.context('mine'))).toEqual({ Position: 3 });
    const moves = await locked.get(propertyOf(locked, 'Moves'), { context: await lock?.context('mine') });
    expect(moves).toBe(1);
    await lock?.unlock('mine');
    expect(await lock?.isLocked()).toBe(false);
    other.close();
    await locking.kill();
  });
});

describe.skipIf(python === undefined).each(libraries)('a server of %s that goes away', (library) => {
  it('fails an effect in the middle, and is found again when it is back', async () => {
    const peer = await Peer.start(library);
    const client = await SilaClient.connect(peer.address, insecure);
    const bench = client.feature('Bench');
    const moving = bench.run(commandOf(bench, 'Move'), { To: 1, Seconds: 60 });
    const failed = expect(moving).rejects.toBeInstanceOf(SilaConnectionError);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await peer.kill();
    await failed;
    const next = await peer.restart();
    await expect
      .poll(
        () =>
          client.ping().then(
            () => 'there',
            () => 'away',
          ),
        { timeout: 10_000 },
      )
      .toBe('there');
    // Nothing was sent again.
    expect(await bench.get(propertyOf(bench, 'Moves'))).toBe(0);
    client.close();
    await next.kill();
  });

  it('does not know the execution of a command from before its restart', async () => {
    const peer = await Peer.start(library);
    const client = await SilaClient.connect(peer.address, insecure);
    const bench = client.feature('Bench');
    const heat = commandOf(bench, 'Heat');
    const following = bench.follow(heat, await bench.begin(heat, { Seconds: 60, Fail: false }), 30_000);
    const failed = expect(following).rejects.toBeInstanceOf(SilaError);
    const next = await peer.restart();
    await failed;
    client.close();
    await next.kill();
  });
});
