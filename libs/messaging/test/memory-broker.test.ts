import { agentEvents, agentRequests, ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import type { BusTimers } from '../src/index.js';
import { MemoryBroker, type CarriedMessage } from '../src/testing/index.js';

const call = agentRequests.taskStatus;
const tokens = { computer: 'c', inc: '1' };
const body = { attempt_id: 'a' };
const running = { status: 'running' } as const;

/** A clock that the test advances. */
function virtualTimers(): BusTimers & { pass(ms: number): void } {
  let now = 0;
  const waiting = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    after(ms, callback) {
      const entry = { at: now + ms, callback };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    pass(ms) {
      now += ms;
      for (const entry of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(entry);
        entry.callback();
      }
    },
  };
}

describe('a broker in memory', () => {
  it('measures deadlines with the given clock', async () => {
    const timers = virtualTimers();
    const bus = new MemoryBroker({ timers }).connect({ role: 'a', name: '1' });
    await bus.serve(call, {}, () => new Promise(() => undefined));
    let ended: unknown;
    const waiting = bus.request(call, tokens, body, { timeoutMs: 3_600_000 }).catch((error: unknown) => {
      ended = error;
    });
    timers.pass(3_599_999);
    await bus.flush();
    expect(ended).toBeUndefined();
    timers.pass(1);
    await waiting;
    expect(ended).toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
  });

  it('passes the id of an HTTP request to the servers, which log it', async () => {
    const broker = new MemoryBroker();
    const lines: [string, Record<string, unknown> | undefined][] = [];
    const write = (message: string, fields?: Record<string, unknown>): void =>
      void lines.push([message, fields]);
    const log = { debug: write, info: write, warn: write, error: write };
    const answered: { request?: string } = {};
    const gateway = broker.connect({ role: 'gateway', name: '1', requestId: () => answered.request });
    const agent = broker.connect({ role: 'agent', name: '1', log });
    const seen: unknown[] = [];
    await agent.serve(call, {}, ({ attempt_id: id }, { envelope }) => {
      seen.push(envelope.request);
      if (id === 'refused') throw new ServiceError('not_found', 'none');
      if (id === 'broken') throw new TypeError('a defect');
      return running;
    });
    await gateway.request(call, tokens, body);
    expect([seen, lines]).toEqual([[undefined], []]);
    answered.request = 'request-1';
    await gateway.request(call, tokens, body);
    await gateway.request(call, tokens, { attempt_id: 'refused' }, { request: 'request-2' }).catch(() => 0);
    await gateway.request(call, tokens, { attempt_id: 'broken' }).catch(() => 0);
    expect(seen).toEqual([undefined, 'request-1', 'request-2', 'request-1']);
    const about = (request_id: string) => expect.objectContaining({ kind: call.name, request_id }) as object;
    const handled = (request_id: string, outcome: string) => ({
      request_id,
      outcome,
      computer: 'c',
      inc: '1',
    });
    expect(lines).toMatchObject([
      ['request handled', handled('request-1', 'done')],
      ['request handled', handled('request-2', 'not_found')],
      ['request handled', handled('request-1', 'internal')],
      ['handler failed', about('request-1')],
    ]);
  });

  it('loses, duplicates and delays messages on request', async () => {
    const held: (() => void)[] = [];
    let fate: 'pass' | 'lose' | 'double' | 'hold' = 'pass';
    const carry = (message: CarriedMessage, deliver: () => void): void => {
      if (message.subject.startsWith('_INBOX') || fate === 'pass') deliver();
      else if (fate === 'hold') held.push(deliver);
      else if (fate === 'double') [deliver, deliver].forEach((each) => each());
    };
    const timers = virtualTimers();
    const bus = new MemoryBroker({ timers, carry }).connect({ role: 'a', name: '1' });
    let calls = 0;
    await bus.serve(call, {}, () => {
      calls += 1;
      return running;
    });

    fate = 'lose';
    const lost = bus.request(call, tokens, body, { timeoutMs: 10 });
    timers.pass(10);
    await expect(lost).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(calls).toBe(0);

    fate = 'double';
    expect(await bus.request(call, tokens, body)).toEqual(running);
    await bus.flush();
    expect(calls).toBe(2);

    fate = 'hold';
    const late = bus.request(call, tokens, body, { timeoutMs: 10 });
    timers.pass(10);
    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded', effect: 'maybe' });
    for (const deliver of held) deliver();
    await bus.flush();
    expect(calls).toBe(3);
  });

  it('disconnects one bus and leaves the others connected', async () => {
    const broker = new MemoryBroker();
    const [one, two] = ['1', '2'].map((name) => broker.connect({ role: 'a', name }));
    if (one === undefined || two === undefined) throw new Error('no bus');
    await one.serve(call, {}, () => running);
    broker.cut(one);
    expect([one.connected, two.connected]).toEqual([false, true]);
    await expect(two.request(call, tokens, body)).rejects.toMatchObject({
      code: 'service_unavailable',
      effect: 'none',
    });
    broker.restore(one);
    expect(await two.request(call, tokens, body)).toEqual(running);
    await one.close();
    expect(() => broker.cut(one)).toThrow('not connected through this broker');
  });

  it('delivers copies, so that a receiver can change them without effect on the sender', async () => {
    const bus = new MemoryBroker().connect({ role: 'a', name: '1' });
    const leaving = { inc: 1, session: 's' };
    const heard: { inc: number }[] = [];
    for (let listener = 0; listener < 2; listener++) {
      await bus.subscribe(agentEvents.leaving, {}, (event) => {
        heard.push({ ...event });
        event.inc += 1;
      });
    }
    bus.publish(agentEvents.leaving, { computer: 'c' }, leaving);
    await bus.flush();
    await bus.flush();
    expect(heard.map(({ inc }) => inc)).toEqual([1, 1]);
    expect(leaving.inc).toBe(1);
  });
});
