import { describe, expect, it } from 'vitest';
import type { Ledger, LedgerRecord } from '../src/index.js';

/** A ledger and what the next agent process would find after the machine died at this moment. */
export interface LedgerUnderTest {
  ledger: Ledger;
  afterCrash(): Promise<LedgerUnderTest>;
  dispose(): Promise<void>;
}

const all = (records: LedgerRecord[]): LedgerRecord[] => records;
const accept = (n: number): LedgerRecord => ({ type: 'accept', attemptId: `a${n}`, label: `läbel ${n}\n` });

/** What every ledger promises. */
export function ledgerContract(name: string, make: () => Promise<LedgerUnderTest>): void {
  describe(`a ledger (${name})`, () => {
    it('is empty at first', async () => {
      const { ledger, dispose } = await make();
      expect(await ledger.open(all)).toEqual([]);
      await ledger.close();
      await dispose();
    });

    it('has after a crash every record whose append was resolved, in order', async () => {
      const { ledger, afterCrash, dispose } = await make();
      await ledger.open(all);
      const records: LedgerRecord[] = [
        accept(1),
        { type: 'begin', attemptId: 'a1' },
        {
          type: 'end',
          attemptId: 'a1',
          outcome: { kind: 'completed', output_parameters: { n: 1 }, output_resources: {}, files: [] },
          files: [{ name: 'f', size: 1, sha256: 'x', path: 'p' }],
        },
        { type: 'result', attemptId: 'a1', outcome: { kind: 'cancelled' } },
        { type: 'acked', attemptId: 'a1' },
        { type: 'tombstone', attemptId: 'a2' },
      ];
      for (const record of records) await ledger.append(record);
      const next = await afterCrash();
      expect(await next.ledger.open(all)).toEqual(records);
      await next.ledger.close();
      await next.dispose();
      await dispose();
    });

    it('keeps the order of appends that were made together', async () => {
      const { ledger, afterCrash, dispose } = await make();
      await ledger.open(all);
      const records = Array.from({ length: 300 }, (_, n) => accept(n));
      await Promise.all(records.map((record) => ledger.append(record)));
      const next = await afterCrash();
      expect(await next.ledger.open(all)).toEqual(records);
      await next.ledger.close();
      await next.dispose();
      await dispose();
    });

    it('keeps only what compaction leaves, for good', async () => {
      const { ledger, afterCrash, dispose } = await make();
      await ledger.open(all);
      await Promise.all([1, 2, 3].map((n) => ledger.append(accept(n))));
      const second = await afterCrash();
      expect(await second.ledger.open((records) => records.slice(1))).toEqual([accept(2), accept(3)]);
      await second.ledger.append(accept(4));
      const third = await second.afterCrash();
      expect(await third.ledger.open(all)).toEqual([accept(2), accept(3), accept(4)]);
      await third.ledger.close();
      await third.dispose();
      await second.dispose();
      await dispose();
    });
  });
}
