import { agentRequests } from '@lab/contracts';
import { MemoryBroker } from '@lab/messaging/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentsOverBus } from '../src/agents-over-bus.js';
import { Lease } from '../src/lease.js';

const clock = { now: () => 0 };
const to = { computer: 'pc', inc: 3, epoch: 1 };
let broker: MemoryBroker;

beforeEach(() => (broker = new MemoryBroker()));
afterEach(() => broker.connect({ role: 'orchestrator', name: 'end' }).close());

const presence = () =>
  agentsOverBus(broker.connect({ role: 'orchestrator', name: 'o' }), new Lease(1, 0, clock)).presence(to);

it('the process of an incarnation answers, also with an error', async () => {
  const agent = broker.connect({ role: 'agent', name: 'pc' });
  const tokens = { computer: 'pc', inc: '3' };
  const served = await agent.serve(agentRequests.confirmPresence, tokens, () => ({}));
  expect(await presence()).toBe('answers');
  await served.unsubscribe();
  await agent.serve(agentRequests.confirmPresence, tokens, () => {
    throw new Error('a defect');
  });
  expect(await presence()).toBe('answers');
});

it('the process of an incarnation is gone when the broker knows nobody who listens', async () => {
  const later = broker.connect({ role: 'agent', name: 'pc' });
  await later.serve(agentRequests.confirmPresence, { computer: 'pc', inc: '4' }, () => ({}));
  expect(await presence()).toBe('gone');
});

it('nobody knows whether a process lives that listens and does not answer', async () => {
  const agent = broker.connect({ role: 'agent', name: 'pc' });
  const never = new Promise<never>(() => undefined);
  await agent.serve(agentRequests.confirmPresence, { computer: 'pc', inc: '3' }, () => never);
  expect(await presence()).toBe('silent');
});
