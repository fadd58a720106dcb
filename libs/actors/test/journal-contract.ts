import { describe, expect, it } from 'vitest';
import type { Journal, JournalRecord } from '../src/index.js';

/** A journal and what the next agent process would find after the machine died at this moment. */
export interface JournalUnderTest {
  journal: Journal;
  afterCrash(): Promise<JournalUnderTest>;
  dispose(): Promise<void>;
}

const all = (records: JournalRecord[]): JournalRecord[] => records;
const accept = (n: number): JournalRecord => ({ type: 'accept', attemptId: `a${n}`, label: `läbel ${n}\n` });

/** What every journal promises. */
export function journalContract(name: string, make: () => Promise<JournalUnderTest>): void {
  describe(`a journal (${name})`, () => {
    it('is empty at first', async () => {
      const { journal, dispose } = await make();
      expect(await journal.open(all)).toEqual([]);
      await journal.close();
      await dispose();
    });

    it('has after a crash every record whose append was resolved, in order', async () => {
      const { journal, afterCrash, dispose } = await make();
      await journal.open(all);
      const records: JournalRecord[] = [
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
      for (const record of records) await journal.append(record);
      const next = await afterCrash();
      expect(await next.journal.open(all)).toEqual(records);
      await next.journal.close();
      await next.dispose();
      await dispose();
    });

    it('keeps the order of appends that were made together', async () => {
      const { journal, afterCrash, dispose } = await make();
      await journal.open(all);
      const records = Array.from({ length: 300 }, (_, n) => accept(n));
      await Promise.all(records.map((record) => journal.append(record)));
      const next = await afterCrash();
      expect(await next.journal.open(all)).toEqual(records);
      await next.journal.close();
      await next.dispose();
      await dispose();
    });

    it('keeps only what compaction leaves, for good', async () => {
      const { journal, afterCrash, dispose } = await make();
      await journal.open(all);
      await Promise.all([1, 2, 3].map((n) => journal.append(accept(n))));
      const second = await afterCrash();
      expect(await second.journal.open((records) => records.slice(1))).toEqual([accept(2), accept(3)]);
      await second.journal.append(accept(4));
      const third = await second.afterCrash();
      expect(await third.journal.open(all)).toEqual([accept(2), accept(3), accept(4)]);
      await third.journal.close();
      await third.dispose();
      await second.dispose();
      await dispose();
    });
  });
}
