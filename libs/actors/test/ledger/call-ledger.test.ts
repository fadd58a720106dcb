import { ServiceError, type JsonValue } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { deferred } from '../world.js';
import { defaultLedgerMemory } from '../../src/index.js';
import { MemoryLedger } from '../../src/testing/index.js';
import { CallLedger, type RecordedCall } from '../../src/ledger/index.js';

const call: RecordedCall = { callId: 'c1', device: 'lab.arm', function: 'move', kind: 'effect' };

interface Rig {
  ledger: MemoryLedger;
  calls: CallLedger;
  /** Calls that really ran. */
  ran: string[];
  /** The actor's execution of a call. */
  run(id: string, value?: JsonValue | Promise<JsonValue>): () => Promise<JsonValue | undefined>;
}

async function rig(ledger = new MemoryLedger()): Promise<Rig> {
  await ledger.open(defaultLedgerMemory);
  const calls = new CallLedger(ledger, { now: () => 5 });
  const ran: string[] = [];
  const run: Rig['run'] = (callId, value) => async () => {
    await calls.begin({ ...call, callId });
    ran.push(callId);
    const returned = await value;
    calls.end(callId, { kind: 'returned', ...(returned === undefined ? {} : { value: returned }) });
    await Promise.resolve();
    return returned;
  };
  return { ledger, calls, ran, run };
}

describe('a repeated call', () => {
  it('joins the first one while that is in progress', async () => {
    const { calls, ran, run } = await rig();
    const moving = deferred<string>();
    const answers = [calls.once('c1', run('c1', moving.promise)), calls.once('c1', run('c1'))];
    moving.resolve('there');
    expect(await Promise.all(answers)).toEqual(['there', 'there']);
    expect(ran).toEqual(['c1']);
  });

  it('gets the same answer, also after a restart', async () => {
    const first = await rig();
    await first.calls.once('c1', first.run('c1', { at: [1, 2] }));
    expect(await first.calls.once('c1', first.run('c1'))).toEqual({ at: [1, 2] });
    await first.calls.once('c2', first.run('c2'));
    const second = await rig(first.ledger.crash());
    expect(await second.calls.once('c1', second.run('c1'))).toEqual({ at: [1, 2] });
    expect(second.ran).toEqual([]);
  });

  it('fails with the same error', async () => {
    const { calls, ran } = await rig();
    const fail = async (): Promise<never> => {
      await calls.begin(call);
      ran.push('c1');
      calls.end('c1', { kind: 'failed', code: 'device_error', message: 'jammed', effect: 'maybe' });
      throw new ServiceError('device_error', 'jammed', { effect: 'maybe' });
    };
    for (let n = 0; n < 2; n += 1) {
      await expect(calls.once('c1', fail)).rejects.toMatchObject({ message: 'jammed', effect: 'maybe' });
    }
    expect(ran).toEqual(['c1']);
  });

  it('is refused like the first one, so that a duplicated message does not run after its refusal', async () => {
    const { calls, ran, run } = await rig();
    const busy = (): Promise<never> => Promise.reject(new ServiceError('device_unavailable', 'is busy'));
    await expect(calls.once('c1', busy)).rejects.toThrow('is busy');
    await expect(calls.once('c1', run('c1'))).rejects.toThrow('is busy');
    expect(ran).toEqual([]);
  });

  it('reports success without the value when the value was too large to keep', async () => {
    const first = await rig();
    expect(await first.calls.once('c1', first.run('c1', 'x'.repeat(20_000)))).toHaveLength(20_000);
    await expect(first.calls.once('c1', first.run('c1'))).rejects.toMatchObject({
      code: 'wrong_state',
      effect: 'done',
    });
    expect(first.ran).toEqual(['c1']);
  });

  it('is in doubt when the agent died during the first one', async () => {
    const first = await rig();
    void first.calls.once('c1', first.run('c1', new Promise<never>(() => undefined)));
    await first.ledger.append({ type: 'tombstone', attemptId: 'x' });
    const second = await rig(first.ledger.crash());
    const inDoubt = { code: 'device_error', effect: 'maybe' };
    await expect(second.calls.once('c1', second.run('c1'))).rejects.toMatchObject(inDoubt);
    await expect(second.calls.begin(call)).rejects.toMatchObject(inDoubt);
    expect(second.calls.inDoubt('lab.arm')).toEqual([call]);
    await second.calls.settled('lab.arm', 'driver');
    expect(second.calls.inDoubt('lab.arm')).toEqual([]);
    await expect(second.calls.once('c1', second.run('c1'))).rejects.toMatchObject(inDoubt);
    expect(second.ran).toEqual([]);
  });
});

describe('a call that cannot be recorded', () => {
  it('is refused without effect, like the settlement of a doubt', async () => {
    const { ledger, calls, ran, run } = await rig();
    ledger.breakWith(new Error('no space left on device'));
    const refusal = { code: 'service_unavailable', effect: 'none', retryable: true };
    await expect(calls.once('c1', run('c1'))).rejects.toMatchObject(refusal);
    await expect(calls.settled('lab.arm', 'ada')).rejects.toMatchObject(refusal);
    ledger.breakWith(undefined);
    await calls.once('c2', run('c2'));
    expect(ran).toEqual(['c2']);
  });
});

describe('the calls of a task of this computer', () => {
  it('are kept without their values, which are only shown to people', async () => {
    const { ledger, calls } = await rig();
    await ledger.append({ type: 'accept', attemptId: 'a', label: 'a' });
    await calls.begin({ ...call, attemptId: 'a' });
    calls.end('c1', { kind: 'returned', value: 'large' });
    await ledger.append({ type: 'begin', attemptId: 'a' });
    expect(ledger.durable).toContainEqual({
      ...{ type: 'call_end', callId: 'c1', atMs: 5 },
      ...{ ending: { kind: 'returned' }, shown: 'large' },
    });
    expect(calls.ofAttempt('a')).toMatchObject({ effects: 1, last_confirmed: { call_id: 'c1' } });
  });
});
