import { describe, expect, it } from 'vitest';
import { defaultLedgerMemory, type Ledger, type LedgerRecord } from '../../src/index.js';

/** A ledger, and the content that the next agent process would find after a crash of the machine now. */
export interface LedgerUnderTest {
  ledger: Ledger;
  afterCrash(): Promise<LedgerUnderTest>;
  dispose(): Promise<void>;
}

const accept = (n: number): LedgerRecord => ({ type: 'accept', attemptId: `a${n}`, label: `läbel ${n}\n` });
const call = {
  callId: 'a1/1',
  device: 'lab.arm',
  function: 'move',
  kind: 'effect',
  attemptId: 'a1',
} as const;

/** The guarantees of every ledger. */
export function ledgerContract(name: string, make: () => Promise<LedgerUnderTest>): void {
  describe(`a ledger (${name})`, () => {
    async function opened(under: LedgerUnderTest): Promise<LedgerUnderTest> {
      await under.ledger.open(defaultLedgerMemory);
      return under;
    }

    async function end(...used: LedgerUnderTest[]): Promise<void> {
      for (const { ledger, dispose } of used.toReversed()) {
        await ledger.close();
        await dispose();
      }
    }

    it('is empty at first', async () => {
      const first = await opened(await make());
      expect(first.ledger.state.records()).toEqual([]);
      expect(first.ledger.trouble).toBeUndefined();
      await end(first);
    });

    it('contains a fact that was noted before it opened, as soon as it is open', async () => {
      const first = await make();
      first.ledger.note({ type: 'session', session: 's1' });
      await opened(first);
      expect(first.ledger.state.sessions).toEqual(['s1']);
      const second = await opened(await first.afterCrash());
      expect(second.ledger.state.sessions).toEqual(['s1']);
      await end(first, second);
    });

    it('contains the content of every resolved append after a crash', async () => {
      const first = await opened(await make());
      const result = { outcome: { kind: 'cancelled' }, endedMs: 5 } as const;
      const elsewhere = [{ computer: 'there', inc: 4, restMs: 132_000 }];
      const records: LedgerRecord[] = [
        { type: 'accept', attemptId: 'a1', label: 'one', fences: { 'lab.arm': 7 }, elsewhere },
        { type: 'begin', attemptId: 'a1' },
        { type: 'call_begin', call: { ...call, fence: 8 } },
        accept(2),
        { type: 'result', attemptId: 'a2', ...result },
        accept(3),
        { type: 'acked', attemptId: 'a3' },
        { type: 'tombstone', attemptId: 'a4' },
        { type: 'halt', halt: { id: 'h1', scope: 'all', by: 'ada', reason: 'smoke' } },
        { type: 'halt', halt: { id: 'h2', scope: 'all', by: 'ada', reason: 'smoke' } },
        { type: 'released', ids: ['h1'] },
      ];
      for (const record of records) await first.ledger.append(record);
      const second = await opened(await first.afterCrash());
      const { state } = second.ledger;
      expect([...state.attempts.values()]).toEqual([
        { attemptId: 'a1', label: 'one', elsewhere, begun: true, end: undefined, result: undefined },
        {
          attemptId: 'a2',
          label: 'läbel 2\n',
          elsewhere: [],
          begun: false,
          end: undefined,
          result,
        },
      ]);
      expect([...state.acknowledged]).toEqual(['a3']);
      expect([...state.tombstones]).toEqual(['a4']);
      expect(state.inDoubt('lab.arm')).toEqual([{ ...call, fence: 8 }]);
      expect(state.callsOf('a1')).toEqual({
        effects: 1,
        last_confirmed: null,
        in_doubt: { device: 'lab.arm', function: 'move', call_id: 'a1/1' },
      });
      expect(state.fences.get('lab.arm')).toBe(8);
      expect(state.emergencyStops.map(({ id }) => id)).toEqual(['h2']);
      await end(first, second);
    });

    it('keeps the order of simultaneous appends over many crashes', async () => {
      const used = [await opened(await make())];
      for (let life = 0; life < 4; life += 1) {
        const { ledger, afterCrash } = used.at(-1) as LedgerUnderTest;
        await Promise.all(Array.from({ length: 100 }, (_, n) => ledger.append(accept(100 * life + n))));
        used.push(await opened(await afterCrash()));
      }
      const kept = [...(used.at(-1) as LedgerUnderTest).ledger.state.attempts.keys()];
      expect(kept).toEqual(Array.from({ length: 400 }, (_, n) => `a${n}`));
      await end(...used);
    });

    it('shows a noted fact at once, and keeps it permanently after a later append', async () => {
      const first = await opened(await make());
      await first.ledger.append(accept(1));
      await first.ledger.append({ type: 'call_begin', call });
      first.ledger.note({ type: 'call_end', callId: call.callId, ending: { kind: 'returned' } });
      expect(first.ledger.state.inDoubt('lab.arm')).toEqual([]);
      await first.ledger.append(accept(2));
      const second = await opened(await first.afterCrash());
      expect(second.ledger.state.inDoubt('lab.arm')).toEqual([]);
      expect(second.ledger.state.lastConfirmed('lab.arm')).toEqual(call);
      expect(second.ledger.state.callsOf('a1')).toMatchObject({ effects: 1, in_doubt: null });
      await end(first, second);
    });
  });
}
