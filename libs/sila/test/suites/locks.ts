import { afterEach, describe, expect, it } from 'vitest';
import { ServerLock, SilaClient } from '../../src/client/index.js';
import { Bench } from '../device-host.js';
import { libraries, Peer, python } from '../peers.js';

const open: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((end) => end()));
});

/** A client of the lab next door. */
async function stranger(peer: Peer): Promise<ServerLock> {
  const client = await SilaClient.connect(peer.address, { insecure: true });
  open.push(() => client.close());
  const lock = await ServerLock.of(client);
  if (lock === undefined) throw new Error('the peer has no lock');
  return lock;
}

const move = { To: 1, Seconds: 0 };
const moved = { type: 'result', value: { Position: 1 } };
const refusedBy = (identifier: string) => expect.objectContaining({ identifier }) as unknown;

describe.skipIf(python === undefined).each(libraries)('the lock of a server of %s', (library) => {
  async function setUp(parameters: Record<string, unknown> = {}) {
    const peer = await Peer.start(library, { lock: true });
    open.push(() => peer.kill());
    const bench = await Bench.make({
      address: `127.0.0.1:${peer.port}`,
      insecure: true,
      lock_retry_delay: 0.1,
      lock_max_retries: 10,
      ...parameters,
    });
    open.push(() => bench.dispose());
    await bench.start();
    return { peer, bench, other: await stranger(peer) };
  }

  it('is held from the first effect of a task to the end of the task', async () => {
    const { bench, other } = await setUp();
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    await expect(other.lock('other', 5)).rejects.toEqual(refusedBy('ServerAlreadyLocked'));
    expect(await bench.call('Bench_Moves', {}, 1).end).toMatchObject({ value: 1 });
    expect(await bench.call('Bench_Heat', { Seconds: 0.1, Fail: false }, 1).end).toMatchObject({
      type: 'result',
    });
    await bench.release(1);
    expect(await other.isLocked()).toBe(false);
  });

  it('is held for the call of a person only', async () => {
    const { bench, other } = await setUp();
    expect(await bench.call('Bench_Move', move).end).toMatchObject(moved);
    expect(await bench.call('Bench_Moves').end).toMatchObject({ value: 1 });
    expect(await other.isLocked()).toBe(false);
  });

  it('is waited for while another client has it', async () => {
    const { bench, other } = await setUp();
    await other.lock('other', 30);
    const moving = bench.call('Bench_Move', move, 1);
    await new Promise((resolve) => setTimeout(resolve, 400));
    await other.unlock('other');
    expect(await moving.end).toMatchObject(moved);
  });

  it('is waited for as long as the task says, and then the error tells what is known', async () => {
    const { peer, bench, other } = await setUp();
    await other.lock('other', 30);
    const terms = { lock_timeout: 5, lock_retry_delay: 0.2, lock_max_retries: 3 };
    const { error } = (await bench.call('lock', terms, 1).end) as unknown as { error: { message: string } };
    expect(error.message).toMatch(
      new RegExp(
        `^SiLA server Bench at 127.0.0.1:${peer.port} \\(UUID ${peer.uuid}\\) is locked by another client, at least since ` +
          String.raw`.*: tried 4 times in [\d.]+ s`,
      ),
    );
    expect(await other.isLocked()).toBe(true);
    await other.unlock('other');
    expect(await bench.call('lock', terms, 1).end).toMatchObject({ value: { locked: true } });
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
  });

  it('outlasts its time, also in the middle of a command', async () => {
    const { bench, other } = await setUp({ lock_timeout: 2 });
    const heating = bench.call('Bench_Heat', { Seconds: 6, Fail: false }, 1);
    await expect.poll(() => other.isLocked(), { interval: 50 }).toBe(true);
    let free = 0;
    for (let looked = 0; looked < 50; looked += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      free += (await other.isLocked()) ? 0 : 1;
    }
    expect(await heating.end).toMatchObject({ value: { Reached: 37.5 } });
    // A server that ignores use gets its lock freed and taken again, and is seen free for a moment.
    expect(free).toBeLessThanOrEqual(library === 'sila2' ? 8 : 0);
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
  });

  it('is waited for again when it expired in the middle of a command, and another client got it', async () => {
    const { bench, other } = await setUp({ lock_timeout: 1, lock_max_retries: 2 });
    const heating = bench.call('Bench_Heat', { Seconds: 2, Fail: false }, 1);
    await expect
      .poll(() => bench.call('Bench_Moves', {}, 1).end, { timeout: 10_000 })
      .toMatchObject({ value: 1 });
    // A device that cannot renew its lock, because its computer sleeps.
    bench.freeze(true);
    await expect.poll(() => other.isLocked(), { interval: 20 }).toBe(false);
    await other.lock('other', 30);
    bench.freeze(false);
    expect(await heating.end).toMatchObject({ value: { Reached: 37.5 } });
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject({
      type: 'failure',
      error: { message: expect.stringContaining('is locked by another client') as string },
    });
    await other.unlock('other');
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    // The lock of the other client has told nothing about how this server renews locks.
    const again = bench.call('Bench_Heat', { Seconds: 2.2, Fail: false }, 1);
    let free = 0;
    for (let looked = 0; looked < 20; looked += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      free += (await other.isLocked()) ? 0 : 1;
    }
    expect(free).toBeLessThanOrEqual(library === 'sila2' ? 8 : 1);
    expect(await again.end).toMatchObject({ value: { Reached: 37.5 } });
    expect(await bench.call('Bench_Moves', {}, 1).end).toMatchObject({ value: 3 });
  });

  it('is not taken from a client who got it after it was lost', async () => {
    const { peer, bench } = await setUp();
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    const next = await peer.restart({ lock: true });
    open.push(() => next.kill());
    const other = await stranger(next);
    await other.lock('other', 30);
    const { error } = (await bench.call('Bench_Move', move, 1).end) as unknown as {
      error: { message: string };
    };
    expect(error.message).toMatch(/is locked by another client|InvalidLockIdentifier/);
    await other.unlock('other');
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    // The effect that met the lock of the other was not carried out.
    expect(await bench.call('Bench_Moves', {}, 1).end).toMatchObject({ value: 1 });
  });

  it('is taken again after the server was restarted', async () => {
    const { peer, bench } = await setUp();
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    const next = await peer.restart({ lock: true });
    open.push(() => next.kill());
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    expect(await (await stranger(next)).isLocked()).toBe(true);
  });

  it('lets in the next process of the device after a crash, and nobody else', async () => {
    const { bench, other } = await setUp();
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    await bench.kill();
    expect(await other.isLocked()).toBe(true);
    await expect(other.lock('other', 5)).rejects.toEqual(refusedBy('ServerAlreadyLocked'));
    await expect(other.unlock('svc sila_lab.bench fence 1')).rejects.toEqual(
      refusedBy('InvalidLockIdentifier'),
    );
    await bench.start();
    expect(await bench.call('Bench_Move', move, 2).end).toMatchObject(moved);
    expect(await other.isLocked()).toBe(true);
    await bench.release(2);
    expect(await other.isLocked()).toBe(false);
  });

  it('expires when the device does not come back', async () => {
    const { bench, other } = await setUp({ lock_timeout: 1 });
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    await bench.kill();
    await expect.poll(() => other.isLocked(), { interval: 100 }).toBe(false);
  });

  it('is freed when the agent is gone, unless an effect is under way', async () => {
    const { bench, other } = await setUp();
    expect(await bench.call('Bench_Move', move, 1).end).toMatchObject(moved);
    await bench.orphan();
    expect(await other.isLocked()).toBe(false);
    await bench.start();
    bench.call('Bench_Heat', { Seconds: 30, Fail: false }, 2);
    await expect.poll(() => other.isLocked()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await bench.orphan();
    expect(await other.isLocked()).toBe(true);
  });

  it('is left alone when the lab, or the task, does not want it', async () => {
    const { bench, other } = await setUp();
    expect(
      await bench.call('lock', { lock_timeout: 0, lock_retry_delay: 0.1, lock_max_retries: 0 }, 1).end,
    ).toMatchObject({ value: { locked: false } });
    await bench.call('Bench_Move', move, 1).end;
    expect(await other.isLocked()).toBe(false);
  });
});
