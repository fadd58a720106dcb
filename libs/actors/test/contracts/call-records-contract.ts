import { describe, expect, it } from 'vitest';
import type { CallRecords, RecordedCall } from '../../src/ledger/index.js';

/** The guarantees of call records to the actor of a device. */
export function callRecordsContract(
  name: string,
  make: () => Promise<{ records: CallRecords; breakWith(error: Error | undefined): void }>,
): void {
  const call = (callId: string, more: Partial<RecordedCall> = {}): RecordedCall => ({
    callId,
    device: 'lab.arm',
    function: 'move',
    kind: 'effect',
    ...more,
  });
  const ids = (calls: RecordedCall[]): string[] => calls.map(({ callId }) => callId);

  describe(`call records (${name})`, () => {
    it('contain the effects of a device that began and have no end, oldest first', async () => {
      const { records } = await make();
      await records.begin(call('1'));
      await records.begin(call('2'));
      await records.begin(call('3', { kind: 'idempotent' }));
      await records.begin(call('4', { device: 'lab.leg' }));
      expect(ids(records.inDoubt('lab.arm'))).toEqual(['1', '2']);
      records.end('1', { kind: 'returned', value: 4 });
      expect(ids(records.inDoubt('lab.arm'))).toEqual(['2']);
      records.end('2', { kind: 'failed', code: 'device_error', message: 'jammed', effect: 'maybe' });
      expect(records.inDoubt('lab.arm')).toEqual([]);
      expect(ids(records.inDoubt('lab.leg'))).toEqual(['4']);
    });

    it('keep the details of each call', async () => {
      const { records } = await make();
      await records.begin(call('a/1', { attemptId: 'a', fence: 3 }));
      expect(records.inDoubt('lab.arm')).toEqual([call('a/1', { attemptId: 'a', fence: 3 })]);
    });

    it('contain the last call that ended', async () => {
      const { records } = await make();
      expect(records.lastConfirmed('lab.arm')).toBeUndefined();
      await records.begin(call('1'));
      records.end('1', { kind: 'returned' });
      await records.begin(call('2'));
      expect(records.lastConfirmed('lab.arm')?.callId).toBe('1');
    });

    it('drop the doubts of a settled device and of no other', async () => {
      const { records } = await make();
      await records.begin(call('1'));
      await records.begin(call('2', { device: 'lab.leg' }));
      await records.settled('lab.arm', 'ann');
      expect(records.inDoubt('lab.arm')).toEqual([]);
      expect(ids(records.inDoubt('lab.leg'))).toEqual(['2']);
    });

    it('refuse what they cannot store and do not remember it', async () => {
      const { records, breakWith } = await make();
      await records.begin(call('1'));
      breakWith(new Error('no space left'));
      await expect(records.begin(call('2'))).rejects.toThrow('no space left');
      await expect(records.settled('lab.arm', 'ann')).rejects.toThrow('no space left');
      expect(ids(records.inDoubt('lab.arm'))).toEqual(['1']);
      breakWith(undefined);
      await records.begin(call('3'));
      expect(ids(records.inDoubt('lab.arm'))).toEqual(['1', '3']);
    });
  });
}
