import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLedgerMemory, DiskLedger } from '@lab/actors';
import { MemoryLog } from '@lab/actors/testing';
import { ledgerContract, type LedgerUnderTest } from '@lab/actors/testing/contracts';
import { systemTimers } from '@lab/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { FolderLedgerDisk } from '../src/ledger-disk.js';

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

function ledgerIn(path: string): DiskLedger {
  return new DiskLedger(
    new FolderLedgerDisk(path),
    { log: new MemoryLog(), timers: systemTimers },
    { segmentBytes },
  );
}

/**
 * The process continues after the simulated crash, so the next ledger opens files that the first one still has open.
 */
function underTest(path: string): LedgerUnderTest {
  return {
    ledger: ledgerIn(path),
    afterCrash: async () => underTest(path),
    dispose: async () => undefined,
  };
}

ledgerContract('files', async () => underTest(await folder()));

describe('the files of a ledger', () => {
  it('have their whole size from the start and keep it', async () => {
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

  it('are read whole, with the zeros between two blocks of records', async () => {
    const disk = new FolderLedgerDisk(await folder());
    expect(await disk.read('ledger-a.seg')).toBeUndefined();
    const size = 3 * 1024 * 1024 + 24;
    const written = [0, 1024 * 1024 - 1, 3 * 1024 * 1024 + 8];
    await disk.reserve('ledger-a.seg', size);
    for (const at of written) await disk.write('ledger-a.seg', at, new Uint8Array([7]));
    await disk.close();
    const expected = new Uint8Array(size);
    for (const at of written) expected[at] = 7;
    expect(Buffer.compare((await disk.read('ledger-a.seg')) ?? expected.subarray(1), expected)).toBe(0);
  });
});
