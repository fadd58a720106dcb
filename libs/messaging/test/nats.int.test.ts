import { Socket } from 'node:net';
import {
  agentRequests,
  orchestratorEvents,
  orchestratorRequests,
  serviceEvents,
  type ProcessRole,
} from '@lab/contracts';
import { startNats, startSecuredNats, type SecuredNats } from '@lab/testkit';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectBus, demandClosedBroker, type Bus } from '../src/index.js';
import { busContract } from './bus-contract.js';

busContract('NATS', async () => {
  const nats = await startNats();
  const outsider = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  return {
    connect: (identity) => connectBus({ ...identity, url: nats.url }),
    ask: async (subject, data) => (await outsider.request(subject, data, { timeout: 5_000 })).data,
    tell: async (subject, data) => {
      outsider.publish(subject, data);
      await outsider.flush();
    },
    stop: () => nats.stop(),
    start: () => nats.restart(),
    dispose: async () => {
      await outsider.close();
      await nats.stop();
    },
  };
});

describe('connecting to NATS', () => {
  let nats: Awaited<ReturnType<typeof startNats>>;
  beforeAll(async () => {
    nats = await startNats({ args: ['--user', 'lab', '--pass', 'p@ss word'] });
  });
  afterAll(() => nats.stop());

  it('uses the credentials in the address', async () => {
    const url = nats.url.replace('nats://', 'nats://lab:p%40ss%20word@');
    const bus = await connectBus({ url, role: 'tester', name: 'a' });
    expect(bus.connected).toBe(true);
    await bus.close();
  });

  it('fails at once with refused credentials and does not show them', async () => {
    const url = nats.url.replace('nats://', 'nats://lab:wrong-secret@');
    const refused = connectBus({ url, role: 'tester', name: 'a', connectTimeoutMs: 60_000 });
    await expect(refused).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.not.stringContaining('secret') as string,
    });
  });

  it('fails when no broker answers within the time allowed', async () => {
    const gone = await startNats();
    await gone.stop();
    const refused = connectBus({ url: gone.url, role: 'tester', name: 'a', connectTimeoutMs: 250 });
    await expect(refused).rejects.toMatchObject({ code: 'service_unavailable', effect: 'none' });
  });

  it('waits for a broker that is still starting', async () => {
    const late = await startNats();
    await late.stop();
    const connecting = connectBus({ url: late.url, role: 'tester', name: 'a' });
    await late.restart();
    const bus = await connecting;
    expect(bus.connected).toBe(true);
    await bus.close();
    await late.stop();
  });

  it('refuses an invalid address', async () => {
    for (const url of ['', 'localhost:4222', 'http://localhost:4222']) {
      await expect(connectBus({ url, role: 'tester', name: 'a' })).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
  });
});

describe('a broker that stopped answering', () => {
  it('is detected without a closed socket, and pending requests fail', async () => {
    const nats = await startNats();
    const bus = await connectBus({ url: nats.url, role: 'tester', name: 'a', drainMs: 100 });
    const lost = new Promise<void>((resolve) => {
      bus.onStatus((status) => {
        if (status === 'disconnected') resolve();
      });
    });
    await bus.serve(agentRequests.taskStatus, {}, () => new Promise(() => undefined));
    await nats.pause();
    try {
      const waits = bus.request(
        agentRequests.taskStatus,
        { computer: 'c', inc: '1' },
        { attempt_id: 'a' },
        { timeoutMs: 60_000 },
      );
      await expect(waits).rejects.toMatchObject({ code: 'disconnected', effect: 'maybe' });
      await lost;
    } finally {
      await bus.close();
      await nats.stop();
    }
  });
});

describe('one of two brokers that stops answering', () => {
  it('is left for the other one while it still accepts connections', async () => {
    const [first, second] = await Promise.all([startNats(), startNats()]);
    const said: [message: string, broker: unknown][] = [];
    const note = (message: string, fields?: Record<string, unknown>): void =>
      void said.push([message, fields?.['broker']]);
    const log = { debug: note, info: note, warn: note, error: note };
    await second.stop();
    const bus = await connectBus({ url: `${first.url},${second.url}`, role: 'tester', name: 'a', log });
    try {
      await second.restart();
      await first.pause();
      await expect.poll(() => said.at(-1)?.[0], { timeout: 20_000 }).toBe('connected to the broker again');
      expect(said).toEqual([
        ['the broker does not answer', undefined],
        ['connection to the broker lost', new URL(first.url).host],
        ['connected to the broker again', new URL(second.url).host],
      ]);
      await expect.poll(() => bus.connected).toBe(true);
    } finally {
      await bus.close();
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});

describe('messages that are sent in one iteration of the event loop', () => {
  const beats = 500;
  let nats: Awaited<ReturnType<typeof startNats>>;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.stop());

  async function heard(send: (bus: Bus) => Promise<unknown>): Promise<string[]> {
    const listener = await connectBus({ url: nats.url, role: 'tester', name: 'listener' });
    const names: string[] = [];
    await listener.subscribe(orchestratorEvents.devicesTaken, {}, ({ devices }) => {
      names.push(...devices);
    });
    const sender = await connectBus({ url: nats.url, role: 'tester', name: 'sender' });
    await send(sender);
    await expect.poll(() => names.length).toBe(beats);
    await Promise.all([sender.close(), listener.close()]);
    return names;
  }

  const inOrder = Array.from({ length: beats }, (_, index) => `lab.device_${index}`);
  const publishAll = (bus: Bus): void =>
    inOrder.forEach((name) => bus.publish(orchestratorEvents.devicesTaken, {}, { devices: [name] }));

  it('arrive in order without a flush', async () => {
    expect(
      await heard((bus) => {
        publishAll(bus);
        return Promise.resolve();
      }),
    ).toEqual(inOrder);
  });

  it('have left when a flush resolves or the bus is closed', async () => {
    const flushed = (bus: Bus): Promise<void> => {
      publishAll(bus);
      return bus.flush();
    };
    const closed = (bus: Bus): Promise<void> => {
      publishAll(bus);
      return bus.close();
    };
    expect(await heard(flushed)).toEqual(inOrder);
    expect(await heard(closed)).toEqual(inOrder);
  });

  it('leave in few writes', async () => {
    const bus = await connectBus({ url: nats.url, role: 'tester', name: 'sender' });
    const written = vi.spyOn(Socket.prototype, 'write');
    try {
      // The client itself gathers only what is sent before its next microtask, and at most 32 KiB.
      for (const name of inOrder) {
        bus.publish(orchestratorEvents.devicesTaken, {}, { devices: [name] });
        await Promise.resolve();
        await Promise.resolve();
      }
      await bus.flush();
      const writes = written.mock.calls.filter(([data]) => Buffer.from(data).includes('devices_taken'));
      expect(writes.length).toBeLessThan(10);
    } finally {
      written.mockRestore();
      await bus.close();
    }
  });
});

describe('a bus with credentials', () => {
  let nats: SecuredNats;
  const opened: Bus[] = [];
  const open = async (role: ProcessRole, name: string, of = name): Promise<Bus> => {
    const bus = await connectBus({
      url: nats.url,
      role,
      name,
      credentials: await nats.credentials(role, of),
    });
    opened.push(bus);
    return bus;
  };
  beforeAll(async () => {
    nats = await startSecuredNats();
  });
  afterAll(async () => {
    await Promise.all(opened.map((bus) => bus.close()));
    await nats.stop();
  });

  const address = { computer: 'bench b', inc: '1' };

  it('asks an agent, and the agent answers, also after it was connected anew', async () => {
    const [gateway, agent] = await Promise.all([open('gateway', 'g'), open('agent', 'bench b')]);
    await agent.serve(agentRequests.readClock, address, () => ({ now_ms: 7 }));
    expect(await gateway.request(agentRequests.readClock, address, {})).toEqual({ now_ms: 7 });
    await nats.restart();
    await expect.poll(() => [gateway.connected, agent.connected]).toEqual([true, true]);
    expect(await gateway.request(agentRequests.readClock, address, {})).toEqual({ now_ms: 7 });
  });

  it('fails at once, without effect and with a sentence, where its permissions end', async () => {
    const agent = await open('agent', 'bench c');
    const began = performance.now();
    const asked = agent.request(orchestratorRequests.releaseStop, {}, { id: null, by: 'root' });
    await expect(asked).rejects.toMatchObject({
      code: 'forbidden',
      effect: 'none',
      message: 'the broker refuses estop.release from this process on svc.v1.orchestrator.estop.release',
    });
    expect(performance.now() - began).toBeLessThan(orchestratorRequests.releaseStop.timeoutMs / 2);
    const served = agent.serve(agentRequests.readClock, address, () => ({ now_ms: 0 }));
    await expect(served).rejects.toMatchObject({ code: 'forbidden' });
    agent.publish(serviceEvents.measured, { service: 'gateway', name: 'g' }, { instance: 'x', families: [] });
    await expect.poll(() => agent.refusals).toBe(3);
  });

  it('does not start as another computer than that of its credentials', async () => {
    await expect(open('agent', 'bench b', 'bench c')).rejects.toMatchObject({
      code: 'bad_request',
      message: 'the credentials for the broker are those of bench c, not of bench b',
    });
  });

  it('is offered only by a broker that refuses everybody else', async () => {
    await demandClosedBroker({ url: nats.url });
    // A node that is down is not asked.
    await demandClosedBroker({ url: `nats://127.0.0.1:1,${nats.url}` });
    const open = await startNats();
    for (const url of [open.url, `${nats.url},${open.url}`])
      await expect(demandClosedBroker({ url })).rejects.toMatchObject({
        code: 'forbidden',
        message: `the broker at ${open.url} accepts everybody; give it the configuration that "svc broker config" prints`,
      });
    await open.stop();
  });

  it('does not start with damaged credentials, and does not show them', async () => {
    const damaged = connectBus({ url: nats.url, role: 'agent', name: 'a', credentials: 'SUSECRET' });
    await expect(damaged).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.not.stringContaining('SECRET') as string,
    });
  });
});
