import type { Agent } from '@lab/actors';
import { agentRequests, orchestratorEvents, peerRequests, type DeviceGrant } from '@lab/contracts';
import type { Bus } from '@lab/messaging';
import { MemoryBroker } from '@lab/messaging/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AgentService, type ServiceParts } from '../src/agent-service.js';

const silent = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const never = { after: () => () => undefined };
const clock = { now: () => 0 };
const granted: DeviceGrant = { lab: 'l', device: 'd', fence: 7, attempt_id: 'x', caller: 'b' };

let broker: MemoryBroker;
let peer: Bus;
let calls: unknown[];
/** What the authority has signed, by its text. */
const signed = new Map<string, unknown>([['good', granted]]);
const check = { read: (text: string) => signed.get(text), believes: (key: string) => key === 'known' };

beforeEach(() => {
  broker = new MemoryBroker();
  peer = broker.connect({ role: 'agent', name: 'b' });
  calls = [];
});
afterEach(() => peer.close());

/** Only the methods of an agent that these calls reach. */
const agent = {
  readClock: () => 1,
  callDevice: (device: object, call: object, marks: object) => {
    calls.push({ ...device, ...call, ...marks });
    return Promise.resolve('done');
  },
  hearLeader: () => undefined,
  barCalls: (attemptId: string, caller: string) => attemptId === 'x' && caller === 'b',
  devices: () => [],
  attempts: () => [],
  emergencyStops: () => [],
  nextHeartbeat: () => 1,
  session: 's',
} as unknown as Agent;

async function serving(authority: ServiceParts['authority']): Promise<AgentService> {
  const bus = broker.connect({ role: 'agent', name: 'a' });
  const parts = {
    bus,
    log: silent,
    computer: 'a',
    version: '1',
    clock,
    wall: clock,
    timers: never,
    authority,
  };
  const service = new AgentService({ ...parts, orchestrator: { hearLeader: () => undefined } });
  await service.start(agent);
  await service.incarnated(3);
  return service;
}

const tokens = { computer: 'a', inc: '3', caller: 'b', lab: 'l', device: 'd' };
const body = { call_id: 'x/1', function: 'move', arguments: {}, attempt_id: 'x', as_of_ms: 1 };
const call = (more: { grant?: string; attempt_id?: string } = {}, fence = 7, to = tokens): Promise<unknown> =>
  peer.request(peerRequests.callDevice, to, { ...body, ...more }, { epoch: 99, fence: { 'l.d': fence } });

it('an agent executes a call of another agent with the grant of the attempt, and ignores its epoch', async () => {
  await serving({ check });
  await expect(call({ grant: 'good' })).resolves.toEqual({ result: 'done', now_ms: 1 });
  expect(calls).toEqual([expect.objectContaining({ attemptId: 'x', epoch: undefined })]);
});

it.each([
  ['without a grant', () => call()],
  ['with a grant that nobody signed', () => call({ grant: 'forged' })],
  ['with a grant of another attempt', () => call({ grant: 'good', attempt_id: 'y' })],
  ['with a higher fence than that of the grant', () => call({ grant: 'good' }, 8)],
  ['with a grant of another computer', () => call({ grant: 'good' }, 7, { ...tokens, caller: 'c' })],
  ['with a grant of another device', () => call({ grant: 'good' }, 7, { ...tokens, device: 'e' })],
])('an agent refuses a call %s, and the device does nothing', async (_, attempt) => {
  await serving({ check });
  await expect(attempt()).rejects.toMatchObject({ code: 'forbidden', effect: 'none' });
  expect(calls).toEqual([]);
});

it('an agent asks for the key of the service before it refuses a grant that it cannot read, and once only', async () => {
  let doubts = 0;
  const learned = new Map<string, unknown>();
  const doubt = async (): Promise<void> => {
    doubts += 1;
    learned.set('of the new key', signed.get('good'));
  };
  await serving({ check: { ...check, read: (text) => learned.get(text) }, doubt });
  await expect(call()).rejects.toMatchObject({ code: 'forbidden' });
  expect(doubts).toBe(0);
  await expect(call({ grant: 'of the new key' })).resolves.toEqual({ result: 'done', now_ms: 1 });
  await expect(call({ grant: 'of the new key', attempt_id: 'y' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect(doubts).toBe(1);
  await expect(call({ grant: 'forged' })).rejects.toMatchObject({ code: 'forbidden', effect: 'none' });
  expect([doubts, calls.length]).toEqual([2, 1]);
});

it('an agent asks for the key of the service when a leader says that it signs with another one', async () => {
  let doubts = 0;
  await serving({ check, doubt: async () => void (doubts += 1) });
  const leader = broker.connect({ role: 'orchestrator', name: 'o' });
  const announce = async (more: { service_key?: string }): Promise<void> => {
    leader.publish(orchestratorEvents.leading, {}, { epoch: 1, instance: 'o', ...more });
    await leader.flush();
    await peer.flush();
  };
  await announce({});
  await announce({ service_key: 'known' });
  expect(doubts).toBe(0);
  await announce({ service_key: 'unknown' });
  await expect.poll(() => doubts).toBe(1);
  await leader.close();
});

it('an agent that asks to stop calls reaches those of its own attempts', async () => {
  await serving({ check });
  const asked = { attempt_id: 'x', reason: 'over' };
  await expect(peer.request(peerRequests.stopCalls, tokens, asked)).resolves.toEqual({ moving: true });
  await expect(peer.request(peerRequests.stopCalls, { ...tokens, caller: 'c' }, asked)).resolves.toEqual({
    moving: false,
  });
});

it('an agent that knows no authority leaves the decision to the broker and the fence', async () => {
  await serving(undefined);
  await expect(call()).resolves.toEqual({ result: 'done', now_ms: 1 });
});

it('an agent ignores the epoch in a call of a person, which does not come from an orchestrator', async () => {
  await serving(undefined);
  const { caller: _, ...to } = tokens;
  const { attempt_id: __, ...asked } = body;
  await peer.request(agentRequests.callDevice, to, asked, { epoch: 99 });
  expect(calls).toEqual([expect.objectContaining({ attemptId: undefined, epoch: undefined })]);
});
