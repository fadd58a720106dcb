import { afterEach, describe, expect, it } from 'vitest';
import { DeviceUnderTest } from '../../../instruments/test/device-under-test.js';
import { recordSession, silaSession } from '../../../instruments/test/message-sessions.js';
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
      ['Carry', 'Echo', 'Heat', 'Move', 'Moves', 'Position']
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
