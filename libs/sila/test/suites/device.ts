import { afterEach, describe, expect, it } from 'vitest';
import { DeviceUnderTest } from '../../../instruments/test/device-under-test.js';
import { recordSession, silaSession } from '../../../instruments/test/message-sessions.js';
import { ServerLock, SilaClient } from '../../src/client/index.js';
import { SilaDevice } from '../../src/device/index.js';
import { Bench } from '../device-host.js';
import { libraries, Peer, python } from '../peers.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((end) => end()));
});

describe.skipIf(python === undefined).each(libraries)('a device for a server of %s', (library) => {
  async function peerOf(options = {}): Promise<Peer> {
    const peer = await Peer.start(library, options);
    open.push(() => peer.kill());
    return peer;
  }

  async function benchOf(peer: Peer, parameters: Record<string, unknown> = {}): Promise<Bench> {
    const bench = await Bench.make({
      address: `127.0.0.1:${peer.port}`,
      server_uuid: peer.uuid,
      insecure: true,
      ...parameters,
    });
    open.push(() => bench.dispose());
    return bench;
  }

  it('has the commands and properties of the server as functions, with their kinds and parameters', async () => {
    const bench = await benchOf(await peerOf(), {
      kinds: { Bench_Move: 'idempotent' },
      timeouts: { Bench_Move: 5 },
    });
    const { functions } = (await bench.start()) as unknown as { functions: { name: string }[] };
    expect(functions.map(({ name }) => name).sort()).toEqual(
      ['Carry', 'Echo', 'Heat', 'Label', 'Move', 'Moves', 'Position']
        .map((name) => `Bench_${name}`)
        .concat('lock', 'record_traffic', 'recorded_traffic', 'unlock'),
    );
    const find = (name: string): unknown => functions.find((each) => each.name === name);
    expect(find('Bench_Move')).toMatchObject({
      kind: 'idempotent',
      timeout_s: 5,
      parameters: { To: { type: 'int', unit: 'mm', min: 0, max: 200 }, Seconds: { type: 'float' } },
    });
    expect(find('Bench_Moves')).toMatchObject({ kind: 'query', parameters: {} });
    expect(find('Bench_Heat')).toMatchObject({ kind: 'effect', timeout_s: 3_600 });
  });

  it.each([
    [{ features: ['Oven'] }, /has no feature Oven; it has: .*Bench/],
    [
      { kinds: { Bench_Fly: 'query' } },
      /kinds\.Bench_Fly: the server has no such function; it has: .*Bench_Move/,
    ],
    [{ stop: 'Bench_Move' }, /stop: the server has no command Bench_Move without parameters/],
    [{ lock_timeout: 0 }, /init_parameters\.lock_timeout: /],
    [{ addres: 'x' }, /init_parameters.*addres/],
    [{ metadata: { 'Bench/Colour': 'red' } }, /metadata\.Bench\/Colour: .* has no such metadata/],
  ])('does not start with %j', async (wrong, why) => {
    const bench = await benchOf(await peerOf(), wrong);
    const { error } = (await bench.start()) as unknown as { error?: { message: string } };
    expect(error?.message).toMatch(why);
  });

  it('runs an effect, a query and a long command, and passes on errors by their identifiers', async () => {
    const bench = await benchOf(await peerOf());
    await bench.start();
    expect(await bench.call('Bench_Move', { To: 12, Seconds: 0 }).end).toMatchObject({
      value: { Position: 12 },
    });
    const heating = bench.call('Bench_Heat', { Seconds: 0.5, Fail: false });
    expect(await bench.call('Bench_Position').end).toMatchObject({ value: 12 });
    expect(await heating.end).toMatchObject({ value: { Reached: 37.5 } });
    expect(await bench.call('Bench_Move', { To: 13, Seconds: 0 }).end).toMatchObject({
      type: 'failure',
      code: 'device_error',
      error: { message: 'Blocked: the stage is blocked at 13' },
    });
  });

  it('is recorded', async () => {
    const peer = await peerOf({ lock: true });
    const parameters = { address: `127.0.0.1:${peer.port}`, record: true, ...silaSession.parameters };
    const device = new DeviceUnderTest(SilaDevice, parameters);
    open.push(() => device.end());
    await recordSession(library === 'sila2' ? 'sila' : library, silaSession, device);
  });

  it('sends the metadata of the lab, or of the call, with the calls that take it', async () => {
    const peer = await peerOf();
    const bench = await benchOf(peer, { metadata: { 'Bench/Sample': 'of the lab' } });
    const { functions } = (await bench.start()) as unknown as { functions: { name: string }[] };
    expect(functions).toContainEqual(
      expect.objectContaining({
        name: 'Bench_Label',
        parameters: { metadata: expect.objectContaining({ type: 'dict', optional: true }) as unknown },
      }),
    );
    expect(functions).toContainEqual(expect.objectContaining({ name: 'Bench_Moves', parameters: {} }));
    expect(await bench.call('Bench_Label').end).toMatchObject({ value: { Sample: 'of the lab' } });
    const label = (metadata: object) => bench.call('Bench_Label', { metadata }).end;
    expect(await label({ 'Bench/Sample': 'S-17' })).toMatchObject({ value: { Sample: 'S-17' } });
    expect(await label({ 'Bench/Colour': 'red' })).toMatchObject({
      error: {
        message: 'metadata.Bench/Colour: the call takes no such metadata; it takes: Bench/Sample',
      },
    });
    const without = await benchOf(peer);
    await without.start();
    expect(await without.call('Bench_Label').end).toMatchObject({
      error: { message: expect.stringMatching(/^INVALID_METADATA: /) as string },
    });
  });

  it('stops what is running by the CancelController of the server, and sends nothing after a stop', async () => {
    const peer = await peerOf({ cancel: true, lock: true });
    const bench = await benchOf(peer, { lock_retry_delay: 0.1 });
    expect(await bench.start()).toMatchObject({ can_stop: true });
    let moves = 0;
    for (const [name, given] of [
      ['Bench_Heat', { Seconds: 10, Fail: false }],
      ['Bench_Move', { To: 1, Seconds: 10 }],
    ] as const) {
      const running = bench.call(name, given, 1);
      moves += 1;
      await expect
        .poll(() => bench.call('Bench_Moves', {}, 1).end, { timeout: 10_000 })
        .toMatchObject({ value: moves });
      expect(await bench.stop()).toEqual({ type: 'stopped', supported: true });
      expect(await running.end).toMatchObject({
        type: 'failure',
        error: { message: expect.stringContaining('the command was cancelled') as string },
      });
    }
    // Nothing is running.
    expect(await bench.stop()).toEqual({ type: 'stopped', supported: true });
    await bench.release(1);
    const client = await SilaClient.connect(peer.address, { insecure: true });
    const other = await ServerLock.of(client);
    await other?.lock('other', 30);
    const waiting = bench.call('Bench_Move', { To: 1, Seconds: 0 }, 2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await bench.stop()).toEqual({ type: 'stopped', supported: true });
    expect(await waiting.end).toMatchObject({
      type: 'failure',
      error: { message: 'stopped before the command was sent: a hand is in it' },
    });
    await other?.unlock('other');
    client.close();
    expect(await bench.call('Bench_Moves', {}, 2).end).toMatchObject({ value: moves });
  });

  it('cannot be stopped without a CancelController and without a command that the lab names', async () => {
    const bench = await benchOf(await peerOf());
    expect(await bench.start()).toMatchObject({ can_stop: false });
    expect(await bench.stop()).toEqual({ type: 'stopped', supported: false });
  });

  it('ends its process when the server is lost in the middle of an effect, and a person is asked', async () => {
    const peer = await peerOf();
    const bench = await benchOf(peer);
    await bench.start();
    const { id } = bench.call('Bench_Move', { To: 1, Seconds: 60 });
    await expect.poll(() => bench.call('Bench_Moves').end).toMatchObject({ value: 1 });
    await peer.kill();
    expect(await bench.host.exit).toMatchObject({ code: 1 });
    const next = await peer.restart();
    open.push(() => next.kill());
    expect(await bench.reconcile(id)).toMatchObject({
      idle: false,
      detail: 'Move was sent, and the server gave no execution UUID that could be asked about',
    });
  });

  it('fails an effect, without a doubt, when the server is away before it', async () => {
    const peer = await peerOf();
    const bench = await benchOf(peer);
    await bench.start();
    await peer.kill();
    expect(await bench.call('Bench_Move', { To: 1, Seconds: 0 }).end).toMatchObject({
      type: 'failure',
      error: { message: expect.stringContaining('did not answer (UNAVAILABLE') as string },
    });
    const next = await peer.restart();
    open.push(() => next.kill());
    await expect
      .poll(() => bench.call('Bench_Move', { To: 2, Seconds: 0 }).end, { timeout: 15_000, interval: 500 })
      .toMatchObject({ value: { Position: 2 } });
    expect(await bench.call('Bench_Moves').end).toMatchObject({ value: 1 });
  });

  it('asks the server how a long command ended, after its process was killed', async () => {
    const bench = await benchOf(await peerOf());
    await bench.start();
    const { id } = bench.call('Bench_Heat', { Seconds: 1.5, Fail: false });
    await expect.poll(() => bench.call('Bench_Moves').end).toMatchObject({ value: 1 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await bench.kill();
    expect(await bench.reconcile(id)).toMatchObject({
      idle: true,
      detail: expect.stringMatching(/^Heat ended well \(execution [0-9a-f-]{36}\)$/) as string,
    });
  });

  it('knows that a server which was restarted cannot tell how a long command ended', async () => {
    const peer = await peerOf();
    const bench = await benchOf(peer);
    await bench.start();
    const { id } = bench.call('Bench_Heat', { Seconds: 60, Fail: false });
    await expect.poll(() => bench.call('Bench_Moves').end).toMatchObject({ value: 1 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await bench.kill();
    const next = await peer.restart();
    open.push(() => next.kill());
    expect(await bench.reconcile(id)).toMatchObject({
      idle: false,
      detail: expect.stringContaining('does not know the execution') as string,
    });
  });

  it('knows that a call was never sent', async () => {
    const bench = await benchOf(await peerOf());
    expect(await bench.reconcile('never-sent')).toMatchObject({
      idle: true,
      detail: 'no command was under way on the server',
    });
  });
});
