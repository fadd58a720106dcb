import { agentEvents, agentRequests, ServiceError } from '@lab/contracts';
import { MemoryBroker, type CarriedMessage } from '@lab/messaging';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PeersOverBus } from './peers-over-bus.js';

const to = { computer: 'b', inc: 2, lab: 'l', name: 'd' };
const call = { callId: 'x/1', function: 'move', arguments: {}, attemptId: 'x', fence: 7 };
const tokens = { computer: 'b', inc: '2', lab: 'l', device: 'd' };
const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), child: () => log };
const timers = {
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** What each message shall be; what is not named here passes. */
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

it.each(['the call', 'the answer'])('is sent again under its id when %s was lost', async (what) => {
  const network = broker();
  const served: string[] = [];
  await network.connect({ role: 'agent', name: 'b' }).serve(agentRequests.callDevice, tokens, (body) => {
    served.push(body.call_id);
    return { result: 'moved' };
  });
  let lost = 0;
  lose = ({ subject }) => {
    const isLost = lost === 0 && subject.startsWith('_INBOX') === (what === 'the answer');
    if (isLost) lost += 1;
    return isLost;
  };
  const end = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), timers, log).call(
    to,
    call,
    60_000,
  );
  await vi.advanceTimersByTimeAsync(3_100);
  await expect(end).resolves.toBe('moved');
  expect(lost).toBe(1);
  expect(served).toEqual(what === 'the call' ? ['x/1'] : ['x/1', 'x/1']);
});

it('survives a restart of the broker, and waits for the other agent to be connected again', async () => {
  const network = broker();
  const other = network.connect({ role: 'agent', name: 'b' });
  let served = 0;
  const first = await other.serve(agentRequests.callDevice, tokens, () => {
    served += 1;
    return new Promise(() => undefined);
  });
  const end = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), timers, log).call(
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
  await other.serve(agentRequests.callDevice, tokens, () => ({ result: 'moved' }));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(end).resolves.toBe('moved');
});

it('takes what the agent answers, and does not repeat what was refused or reached nobody', async () => {
  const network = broker();
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), timers, log);
  await expect(peers.call(to, call, 60_000)).rejects.toMatchObject({
    code: 'agent_unreachable',
    effect: 'none',
  });
  let served = 0;
  await network.connect({ role: 'agent', name: 'b' }).serve(agentRequests.callDevice, tokens, () => {
    served += 1;
    throw new ServiceError('service_unavailable', 'the ledger of the agent cannot be written');
  });
  const refused = peers.call(to, call, 60_000);
  await expect(refused).rejects.toMatchObject({ code: 'service_unavailable', effect: 'none' });
  expect(served).toBe(1);
});

it('is over when its time is, or when the agent was started anew', async () => {
  const network = broker();
  const other = network.connect({ role: 'agent', name: 'b' });
  await other.serve(agentRequests.callDevice, tokens, () => new Promise(() => undefined));
  const peers = new PeersOverBus(network.connect({ role: 'agent', name: 'a' }), timers, log);
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
    { inc: 3, session: 's', seq: 1, attempts: [], devices: [], halts: [] },
  );
  await vi.advanceTimersByTimeAsync(10);
  await over;
});
