import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerRecordTypes, LedgerState, type LedgerRecord } from '../../src/index.js';
import type { RecordedCall } from '../../src/ledger/index.js';

const memory = { attempts: 4, calls: 3 };

const call = (callId: string, more: Partial<RecordedCall> = {}): RecordedCall => ({
  callId,
  device: 'lab.arm',
  function: 'move',
  kind: 'effect',
  ...more,
});
const begin = (callId: string, more: Partial<RecordedCall> = {}): LedgerRecord => ({
  type: 'call_begin',
  call: call(callId, more),
});
const end = (callId: string, value = 'done'): LedgerRecord => ({
  type: 'call_end',
  callId,
  ending: { kind: 'returned', value },
});
const refused = (callId: string): LedgerRecord => ({
  type: 'call_end',
  callId,
  ending: { kind: 'failed', code: 'aborted', message: 'withdrawn', effect: 'none' },
});
const accept = (attemptId: string): LedgerRecord => ({ type: 'accept', attemptId, label: attemptId });

function stateOf(...records: LedgerRecord[]): LedgerState {
  return new LedgerState(memory, records);
}

describe('the calls of an attempt', () => {
  it('contain the number of effects that began, the last one that ended and the one in progress', () => {
    const state = stateOf(
      accept('a'),
      begin('a/1', { attemptId: 'a' }),
      end('a/1'),
      begin('a/2', { attemptId: 'a', kind: 'idempotent', function: 'home' }),
      end('a/2'),
      begin('a/3', { attemptId: 'a' }),
      refused('a/3'),
      begin('a/4', { attemptId: 'a', function: 'grip' }),
    );
    expect(state.callsOf('a')).toEqual({
      effects: 2,
      last_confirmed: { device: 'lab.arm', function: 'home', call_id: 'a/2' },
      in_doubt: { device: 'lab.arm', function: 'grip', call_id: 'a/4' },
    });
  });

  it('on other computers count as well and put no device of this computer in doubt', () => {
    const state = stateOf(accept('a'), begin('a/1', { attemptId: 'a', computer: 'there' }));
    expect(state.callsOf('a')).toMatchObject({ effects: 1, in_doubt: { call_id: 'a/1' } });
    expect(state.inDoubt('lab.arm')).toEqual([]);
    expect(state.fences.size).toBe(0);
    state.apply(end('a/1'));
    expect(state.callsOf('a')).toMatchObject({
      effects: 1,
      in_doubt: null,
      last_confirmed: { call_id: 'a/1' },
    });
    expect(state.lastConfirmed('lab.arm')).toBeUndefined();
  });

  it('stay in doubt for the attempt after somebody has reported the device idle', () => {
    const state = stateOf(accept('a'), begin('a/1', { attemptId: 'a' }), {
      type: 'settled',
      device: 'lab.arm',
      by: 'driver',
    });
    expect(state.inDoubt('lab.arm')).toEqual([]);
    expect(state.callsOf('a')).toMatchObject({ effects: 1, in_doubt: { call_id: 'a/1' } });
  });

  it('keep their device in doubt after the attempt is acknowledged', () => {
    const state = stateOf(accept('a'), begin('a/1', { attemptId: 'a' }), { type: 'acked', attemptId: 'a' });
    expect(state.inDoubt('lab.arm').map(({ callId }) => callId)).toEqual(['a/1']);
    expect(state.attempts.size).toBe(0);
  });
});

describe('the record of a device', () => {
  it('contains its doubts, oldest first, without repeatable calls', () => {
    const state = stateOf(
      begin('1'),
      begin('2', { kind: 'idempotent' }),
      begin('3'),
      begin('4', { device: 'lab.leg' }),
    );
    expect(state.inDoubt('lab.arm').map(({ callId }) => callId)).toEqual(['1', '3']);
    expect(state.openCalls().map(({ callId }) => callId)).toEqual(['1', '2', '3', '4']);
  });

  it('contains the highest fence of any owner', () => {
    const state = stateOf(
      { type: 'accept', attemptId: 'a', label: 'a', fences: { 'lab.arm': 5, 'lab.leg': 2 } },
      begin('b/1', { attemptId: 'b', fence: 7 }),
      begin('a/1', { attemptId: 'a', fence: 6 }),
    );
    expect([...state.fences]).toEqual([
      ['lab.arm', 7],
      ['lab.leg', 2],
    ]);
  });
});

describe('ended records', () => {
  it('are kept up to their limits, separately for people and for tasks of other computers', () => {
    const numbers = [1, 2, 3, 4, 5];
    const state = stateOf(
      ...numbers.flatMap((n) => [begin(`p${n}`), end(`p${n}`)]),
      ...numbers.flatMap((n) => [begin(`t${n}`, { attemptId: 'elsewhere' }), end(`t${n}`)]),
      ...numbers.map((n): LedgerRecord => ({ type: 'tombstone', attemptId: `x${n}` })),
    );
    const known = (prefix: string): number[] =>
      numbers.filter((n) => state.call(`${prefix}${n}`)?.ending !== undefined);
    expect([known('p'), known('t')]).toEqual([
      [3, 4, 5],
      [3, 4, 5],
    ]);
    expect([...state.tombstones]).toEqual(['x2', 'x3', 'x4', 'x5']);
  });
});

describe('a checkpoint', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const device = fc.constantFrom('lab.arm', 'lab.leg');
  const someCall = fc.record(
    {
      callId: fc.constantFrom('a/1', 'a/2', 'b/1', 'c/1', 'p1', 'p2', 'p3', 'p4', 'p5'),
      device,
      function: fc.constantFrom('move', 'grip'),
      kind: fc.constantFrom('effect' as const, 'idempotent' as const),
      attemptId: id,
      fence: fc.nat({ max: 9 }),
      computer: fc.constant('there'),
    },
    { requiredKeys: ['callId', 'device', 'function', 'kind'] },
  );
  const halt = fc.record({
    id,
    scope: fc.constant('all'),
    by: fc.constant('ada'),
    reason: fc.constant('smoke'),
  });
  const record: fc.Arbitrary<LedgerRecord> = fc.oneof(
    fc.record({ type: fc.constant('accept' as const), attemptId: id, label: fc.string() }),
    fc.record({
      type: fc.constantFrom('begin' as const, 'tombstone' as const, 'acked' as const),
      attemptId: id,
    }),
    fc.record({
      type: fc.constant('result' as const),
      attemptId: id,
      outcome: fc.constant({ kind: 'cancelled' as const }),
    }),
    fc.record({
      type: fc.constant('end' as const),
      attemptId: id,
      outcome: fc.constant({ kind: 'cancelled' as const }),
      files: fc.constant<Extract<LedgerRecord, { type: 'end' }>['files']>([]),
    }),
    { weight: 4, arbitrary: someCall.map((each) => ({ type: 'call_begin' as const, call: each })) },
    { weight: 3, arbitrary: someCall.map(({ callId }) => end(callId)) },
    someCall.map(({ callId }) => refused(callId)),
    device.map((each) => ({ type: 'settled' as const, device: each, by: 'driver' })),
    fc.nat({ max: 9 }).map((inc) => ({ type: 'incarnation' as const, inc })),
    id.map((session) => ({ type: 'session' as const, session })),
    halt.map((each) => ({ type: 'halt' as const, halt: each })),
    id.map((each) => ({ type: 'released' as const, ids: [each] })),
  );

  it('contains everything that the records contained', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 60, size: 'max' }), (records) => {
        const first = new LedgerState(memory);
        const ids = new Set<string>();
        for (const each of records) {
          // An attempt is accepted once, a call begins once, and a call of an own attempt begins while the attempt is
          // open.
          const used =
            each.type === 'call_begin' ? each.call.callId : 'attemptId' in each ? each.attemptId : '';
          if ((each.type === 'call_begin' || each.type === 'accept') && ids.has(used)) continue;
          ids.add(used);
          const isForeign = each.type === 'call_begin' && !first.attempts.has(each.call.attemptId ?? '');
          const { attemptId } = each.type === 'call_begin' ? each.call : { attemptId: undefined };
          if (isForeign && attemptId !== undefined) {
            first.apply({ ...each, call: { ...each.call, attemptId: 'elsewhere' } });
          } else first.apply(each);
        }
        const second = new LedgerState(memory, first.records());
        const told = (state: LedgerState): unknown => ({
          attempts: [...state.attempts.values()],
          calls: [...state.attempts.keys()].map((attemptId) => state.callsOf(attemptId)),
          closed: [[...state.acknowledged], [...state.tombstones]],
          known: [...ids].map((callId) => state.call(callId)),
          open: state.openCalls(),
          devices: ['lab.arm', 'lab.leg'].map((each) => [state.fences.get(each), state.lastConfirmed(each)]),
          halts: state.emergencyStops,
          incarnations: [...state.incarnations],
          sessions: state.sessions,
        });
        expect(told(second)).toEqual(told(first));
        const texts = (state: LedgerState): string[] => state.records().map((each) => JSON.stringify(each));
        expect(texts(second).toSorted()).toEqual(texts(first).toSorted());
      }),
      { numRuns: 1_000 },
    );
  });

  it('uses only listed types of records', () => {
    const all: Record<LedgerRecord['type'], true> = {
      accept: true,
      begin: true,
      end: true,
      result: true,
      tombstone: true,
      acked: true,
      call_begin: true,
      call_end: true,
      settled: true,
      incarnation: true,
      session: true,
      halt: true,
      released: true,
      calls_stored: true,
      call_unstored: true,
      tally: true,
      call_over: true,
      device: true,
    };
    expect(Object.keys(all)).toEqual([...ledgerRecordTypes]);
  });
});
