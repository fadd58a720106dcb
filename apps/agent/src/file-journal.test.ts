import { appendFile, cp, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLog, type LedgerRecord } from '@lab/actors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ledgerContract, type LedgerUnderTest } from '../../../libs/actors/test/ledger-contract.js';
import { FileJournal } from './file-journal.js';

const all = (records: LedgerRecord[]): LedgerRecord[] => records;
const record = (n: number): LedgerRecord => ({ type: 'begin', attemptId: `a${n}` });

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'lab-ledger-'));
}

async function underTest(at?: string): Promise<LedgerUnderTest> {
  const path = at ?? (await folder());
  const ledger = new FileJournal(path, new MemoryLog());
  return {
    ledger,
    async afterCrash() {
      const copy = await folder();
      await cp(path, copy, { recursive: true });
      return underTest(copy);
    },
    async dispose() {
      await ledger.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

ledgerContract('file', () => underTest());

describe('the ledger file', () => {
  let path: string;
  let log: MemoryLog;
  beforeEach(async () => {
    path = await folder();
    log = new MemoryLog();
  });
  afterEach(() => rm(path, { recursive: true, force: true }));

  const file = (): string => join(path, 'journal.jsonl');

  async function write(count: number): Promise<void> {
    const ledger = new FileJournal(path, log);
    await ledger.open(all);
    for (let n = 0; n < count; n += 1) await ledger.append(record(n));
    await ledger.close();
  }

  async function read(): Promise<LedgerRecord[]> {
    const ledger = new FileJournal(path, log);
    const records = await ledger.open(all);
    await ledger.close();
    return records;
  }

  it('loses only the record that was torn, wherever it was torn', async () => {
    await write(3);
    const whole = await readFile(file());
    const second = whole.indexOf(10, whole.indexOf(10) + 1) + 1;
    for (let length = second; length < whole.length; length += 1) {
      await writeFile(file(), whole);
      await truncate(file(), length);
      expect(await read()).toEqual([record(0), record(1)]);
      expect(await read()).toEqual([record(0), record(1)]);
    }
  });

  it('takes appends after a torn tail was cut off', async () => {
    await write(2);
    await appendFile(file(), '1234abcd {"type":"beg');
    const ledger = new FileJournal(path, log);
    await ledger.open(all);
    await ledger.append(record(9));
    await ledger.close();
    expect(await read()).toEqual([record(0), record(1), record(9)]);
  });

  it('believes no record whose checksum is wrong, and keeps a copy of a damaged file', async () => {
    await write(3);
    const bytes = await readFile(file());
    const inSecond = bytes.indexOf(10) + 15;
    bytes.writeUInt8(bytes.readUInt8(inSecond) ^ 1, inSecond);
    await writeFile(file(), bytes);
    expect(await read()).toEqual([record(0)]);
    expect(log.lines.some((line) => line.level === 'error' && line.message.includes('damaged'))).toBe(true);
    expect(await readFile(`${file()}.damaged`)).toEqual(bytes);
  });

  it('is compacted as it grows, and loses nothing that is still needed', async () => {
    const ledger = new FileJournal(path, log, { compactBytes: 4_000 });
    const open = (records: LedgerRecord[]): LedgerRecord[] =>
      records.filter(({ attemptId }) => ['a0', 'a999'].includes(attemptId));
    await ledger.open(open);
    let largest = 0;
    for (let n = 0; n < 1_000; n += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => ledger.append(record(n + i))));
      largest = Math.max(largest, (await stat(file())).size);
    }
    // As much as it may grow, and the group of appends that it grows by.
    expect(largest).toBeLessThan(4_000 + 100 * 60);
    await ledger.close();
    const records = await read();
    expect(records[0]).toEqual(record(0));
    expect(records.at(-1)).toEqual(record(999));
    expect(records.length).toBeLessThan(200);
  });

  it('that was damaged while it was open is not compacted, and goes on', async () => {
    const ledger = new FileJournal(path, log, { compactBytes: 200 });
    await ledger.open(() => []);
    for (let n = 0; n < 3; n += 1) await ledger.append(record(n));
    const bytes = await readFile(file());
    bytes.writeUInt8(bytes.readUInt8(15) ^ 1, 15);
    await writeFile(file(), bytes);
    for (let n = 3; n < 9; n += 1) await ledger.append(record(n));
    await ledger.close();
    expect((await readFile(file(), 'utf8')).split('\n')).toHaveLength(10);
    expect(log.lines.some(({ message }) => message === 'the ledger could not be compacted')).toBe(true);
  });

  it('refuses appends before it is open and after it is closed', async () => {
    const ledger = new FileJournal(path, log);
    await expect(ledger.append(record(1))).rejects.toThrow('not open');
    await ledger.open(all);
    await ledger.close();
    await expect(ledger.append(record(1))).rejects.toThrow('not open');
  });
});
