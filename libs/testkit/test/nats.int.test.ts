import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startNats, type NatsFixture } from '../src/servers/index.js';

describe('the NATS fixture', () => {
  const started: NatsFixture[] = [];
  const start = async (): Promise<NatsFixture> => {
    const nats = await startNats();
    started.push(nats);
    return nats;
  };
  afterEach(async () => {
    await Promise.all(started.splice(0).map((nats) => nats.stop()));
  });

  const portOf = (nats: NatsFixture): number => Number(new URL(nats.url).port);
  /** The first line that a NATS server says. */
  const greeting = async (nats: NatsFixture): Promise<string> => {
    const socket = connect(portOf(nats), '127.0.0.1');
    try {
      const [data] = (await once(socket, 'data')) as [Buffer];
      return data.toString();
    } finally {
      socket.destroy();
    }
  };
  const isRunning = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
  };

  it('serves when it was started', async () => {
    expect(await greeting(await start())).toMatch(/^INFO \{/);
  });

  it('starts several servers, each on its own port', async () => {
    const all = await Promise.all([start(), start(), start()]);
    expect(new Set(all.map(portOf)).size).toBe(3);
  });

  it('leaves no process after a stop, also from a pause', async () => {
    for (const prepare of [() => Promise.resolve(), (nats: NatsFixture) => nats.pause()]) {
      const nats = await start();
      const { pid } = nats;
      expect(isRunning(pid)).toBe(true);
      await prepare(nats);
      await nats.stop();
      expect(isRunning(pid)).toBe(false);
      expect(nats.pid).toBe(0);
      await nats.stop();
    }
  });

  it('restarts on the same port as another process', async () => {
    const nats = await start();
    const { url, pid } = nats;
    await nats.restart();
    expect(nats.url).toBe(url);
    expect(nats.pid).not.toBe(pid);
    expect(isRunning(pid)).toBe(false);
    expect(await greeting(nats)).toMatch(/^INFO \{/);
  });

  it('reports the message of a server that does not start', async () => {
    await expect(startNats({ args: ['--no-such-option'] })).rejects.toThrow(
      /before it was ready[^]*no-such-option/,
    );
  });
});
