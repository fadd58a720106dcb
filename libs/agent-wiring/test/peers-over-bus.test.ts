import { agentEvents, peerRequests, ServiceError } from '@lab/contracts';
import type { Bus, Subscription } from '@lab/messaging';
import { MemoryBroker, type CarriedMessage } from '@lab/messaging/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PeersOverBus } from '../src/peers-over-bus.js';

const to = { computer: 'b', inc: 2, lab: 'l', name: 'd' };
const call = { callId: 'x/1', function: 'move', arguments: {}, attemptId: 'x', fence: 7 };
const tokens = { computer: 'b', inc: '2', caller: 'a', lab: 'l', device: 'd' };
const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), child: () => log };
const clock = { now: () => Date.now() };
const timers = {
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The agent serves calls of the device and reports its clock, which differs from the clock of this side. */
async function serving(
  agent: Bus,
  answer: (body: { call_id: string; as_of_ms: number }) => { result: string } | Promise<never>,
): Promise<Subscription> {
  await agent.serve(peerRequests.readClock, tokens, () => ({ now_ms: agentClock() }));
  return agent.serve(peerRequests.callDevice, tokens, answer);
}
const agentClock = (): number => Date.now() % 1_000_000;

/** The fate of each message. Unlisted messages pass. */
let lose: (message: CarriedMessage) => boolean = () => false;
const broker = () =>
  new MemoryBroker({
    carry: (message, deliver) => {
      if (!lose(message)) deliver();
    },
  });

beforeEach(() => {
  vi.useFakeTimers();
  lose = () => false;
});
afterEach(() => void vi.useRealTimers());

it.each(['the call', 'the answer'])(
  'the agent sends a call again under its id when %s was lost',
  async (what) => {
    const network = broker();
    const served: string[] = [];
    await serving(network.connect({ role: 'agent', name: 'b' }), (body) => {
      served.push(body.call_id);
      return { result: 'moved' };
    });
    let lost = 0;
    let asked = false;
    lose = ({ subject }) => {
      asked ||= subject.endsWith('.call');
      const isLost = asked && lost === 0 && subject.startsWith('_INBOX') === (what === 'the answer');
      if (isLost) lost += 1;
      return isLost;
    };
    const end = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log).call(
      to,
      call,
      60_000,
    );
    await vi.advanceTimersByTimeAsync(3_100);
    await expect(end).resolves.toBe('moved');
    expect(lost).toBe(1);
    expect(served).toEqual(what === 'the call' ? ['x/1'] : ['x/1', 'x/1']);
  },
);

it('a call completes over a restart of the broker, and waits until the other agent is connected again', async () => {
  const network = broker();
  const other = network.connect({ role: 'agent', name: 'b' });
  let served = 0;
  const first = await serving(other, () => {
    served += 1;
    return new Promise(() => undefined);
  });
  const end = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log).call(
    to,
    call,
    60_000,
  );
  await vi.advanceTimersByTimeAsync(10);
  expect(served).toBe(1);
  network.stop();
  void first.unsubscribe();
  await vi.advanceTimersByTimeAsync(1_000);
  network.start();
  await vi.advanceTimersByTimeAsync(1_000);
  await other.serve(peerRequests.callDevice, tokens, () => ({ result: 'moved' }));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(end).resolves.toBe('moved');
});

it('the agent returns the answer of the other agent, and does not repeat a call that was refused or reached nobody', async () => {
  const network = broker();
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log);
  await expect(peers.call(to, call, 60_000)).rejects.toMatchObject({
    code: 'agent_unreachable',
    effect: 'none',
  });
  let served = 0;
  await serving(network.connect({ role: 'agent', name: 'b' }), () => {
    served += 1;
    throw new ServiceError('service_unavailable', 'the ledger of the agent cannot be written');
  });
  const refused = peers.call(to, call, 60_000);
  await expect(refused).rejects.toMatchObject({ code: 'service_unavailable', effect: 'none' });
  expect(served).toBe(1);
});

it('a call ends at its timeout, or when the other agent restarted', async () => {
  const network = broker();
  const other = network.connect({ role: 'agent', name: 'b' });
  await serving(other, () => new Promise(() => undefined));
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log);
  const late = expect(peers.call(to, call, 20_000)).rejects.toMatchObject({
    code: 'deadline_exceeded',
    over: false,
  });
  await vi.advanceTimersByTimeAsync(20_001);
  await late;
  const over = expect(peers.call(to, call, 60_000)).rejects.toMatchObject({
    code: 'agent_unreachable',
    effect: 'maybe',
    over: true,
  });
  await vi.advanceTimersByTimeAsync(2_500);
  other.publish(
    agentEvents.heartbeat,
    { computer: 'b' },
    { inc: 3, seq: 1, attempts: [], devices: [], halts: [] },
  );
  await vi.advanceTimersByTimeAsync(10);
  await over;
});

it('a call carries a recent reading of the other clock, which is requested at most twice a second', async () => {
  const network = broker();
  const readings: number[] = [];
  const asked: string[] = [];
  lose = ({ subject }) => {
    if (subject.endsWith('.clock')) asked.push(subject);
    return false;
  };
  await serving(network.connect({ role: 'agent', name: 'b' }), ({ as_of_ms: asOf }) => {
    readings.push(agentClock() - asOf);
    return { result: 'moved' };
  });
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log);
  for (let n = 0; n < 10; n += 1) {
    await peers.call(to, { ...call, callId: `x/${n}` }, 60_000);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(asked).toHaveLength(2);
  // The sixth call is sent beside the request for the next reading.
  expect(readings).toEqual([0, 100, 200, 300, 400, 500, 100, 200, 300, 400]);
});

it('a call that arrived too late is sent again with a new reading', async () => {
  const network = broker();
  const readings: number[] = [];
  await serving(network.connect({ role: 'agent', name: 'b' }), ({ as_of_ms: asOf }) => {
    readings.push(asOf);
    if (readings.length === 1) throw new ServiceError('late_message', 'too long on its way');
    return { result: 'moved' };
  });
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log);
  const end = peers.call(to, call, 60_000);
  await vi.advanceTimersByTimeAsync(600);
  await expect(end).resolves.toBe('moved');
  expect(readings).toHaveLength(2);
  expect(readings[1]).toBeGreaterThan(readings[0] ?? Infinity);
});

it('a call that never left this computer has no effect', async () => {
  const network = broker();
  await serving(network.connect({ role: 'agent', name: 'b' }), () => ({ result: 'moved' }));
  lose = ({ subject }) => subject.endsWith('.clock');
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log);
  const end = expect(peers.call(to, call, 10_000)).rejects.toMatchObject({
    code: 'agent_unreachable',
    effect: 'none',
  });
  await vi.advanceTimersByTimeAsync(10_001);
  await end;
});

it('the agent bars the calls of an attempt and learns when the other agent restarted', async () => {
  const network = broker();
  const other = network.connect({ role: 'agent', name: 'b' });
  const barred: string[] = [];
  await other.serve(peerRequests.stopCalls, tokens, ({ attempt_id: id }) => ({
    moving: barred.push(id) === 1,
  }));
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), 'a', clock, timers, log);
  expect(await peers.barCalls(to, 'x', 'over')).toBe(true);
  expect(await peers.barCalls(to, 'x', 'over')).toBe(false);
  let over = 0;
  const unwatch = peers.whenOver(to, () => (over += 1));
  const beat = async (inc: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(10);
    const heartbeat = { inc, session: 's', seq: 1, attempts: [], devices: [], halts: [] };
    other.publish(agentEvents.heartbeat, { computer: 'b' }, heartbeat);
    await vi.advanceTimersByTimeAsync(10);
  };
  await beat(2);
  expect(over).toBe(0);
  await beat(3);
  expect(over).toBe(1);
  unwatch();
  await beat(3);
  expect(over).toBe(1);
});
