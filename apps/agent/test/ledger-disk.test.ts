import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { defaultLedgerMemory, DiskLedger, type LedgerRecord } from '@lab/actors';
import { MemoryLog } from '@lab/actors/testing';
import { ledgerContract, type LedgerUnderTest } from '@lab/actors/testing/contracts';
import { systemTimers } from '@lab/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { FolderLedgerDisk } from '../src/ledger-disk.js';
import { OldJournal } from '../src/old-journal.js';

const segmentBytes = 64 * 1024;
const folders: string[] = [];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'lab-ledger-'));
  folders.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(folders.splice(0).map((each) => rm(each, { recursive: true, force: true })));
});

function ledgerIn(path: string, inherited: LedgerRecord[] = []): DiskLedger {
  return new DiskLedger(
    new FolderLedgerDisk(path),
    { log: new MemoryLog(), timers: systemTimers },
    { segmentBytes, inherited },
  );
}

/** The process goes on after what stands for a crash, so the next ledger opens files that the first still has open. */
function underTest(path: string): LedgerUnderTest {
  return {
    ledger: ledgerIn(path),
    afterCrash: async () => underTest(path),
    dispose: async () => undefined,
  };
}

ledgerContract('files', async () => underTest(await folder()));

describe('the files of a ledger', () => {
  it('have their whole size from the start, and keep it', async () => {
    const path = join(await folder(), 'agents', 'bench');
    const ledger = ledgerIn(path);
    await ledger.open(defaultLedgerMemory);
    const sizes = async (): Promise<number[]> =>
      Promise.all((await readdir(path)).map(async (name) => (await stat(join(path, name))).size));
    expect(await sizes()).toEqual([segmentBytes, segmentBytes]);
    for (let n = 0; n < 2_000; n += 200) {
      const ids = Array.from({ length: 200 }, (_, i) => `t${n + i}`);
      await Promise.all(
        ids.flatMap((attemptId) => [
          ledger.append({ type: 'accept', attemptId, label: 'x'.repeat(200) }),
          ledger.append({ type: 'acked', attemptId }),
        ]),
      );
    }
    expect((await readdir(path)).sort()).toEqual(['ledger-a.seg', 'ledger-b.seg']);
    await ledger.close();
  });
});

describe('a journal of an earlier version', () => {
  const line = (record: object): string => {
    const json = JSON.stringify(record);
    return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
  };

  it('is carried over once', async () => {
    const path = await folder();
    const records = [
      { type: 'accept', attemptId: 'a1', label: 'one' },
      { type: 'begin', attemptId: 'a1' },
      { type: 'tombstone', attemptId: 'a2' },
    ];
    const torn = line({ type: 'acked', attemptId: 'a1' }).slice(0, 20);
    await writeFile(join(path, 'journal.jsonl'), `${records.map(line).join('')}${torn}`);
    const journal = new OldJournal(path);
    const ledger = ledgerIn(path, await journal.read());
    await ledger.open(defaultLedgerMemory);
    await journal.setAside();
    await ledger.append({ type: 'acked', attemptId: 'a1' });
    await ledger.close();
    expect(await journal.read()).toEqual([]);
    expect(await readFile(join(path, 'journal.jsonl.carried-over'), 'utf8')).toContain('"a2"');

    const next = ledgerIn(path);
    await next.open(defaultLedgerMemory);
    expect([...next.state.acknowledged]).toEqual(['a1']);
    expect([...next.state.tombstones]).toEqual(['a2']);
    await next.close();
  });

  it('that is not there is not missed', async () => {
    const journal = new OldJournal(await folder());
    expect(await journal.read()).toEqual([]);
    await journal.setAside();
  });
});
