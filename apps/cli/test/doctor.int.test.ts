import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLedgerMemory, DiskLedger, segmentNames, type LedgerRecord } from '@lab/actors';
import { MemoryLedgerDisk, MemoryLog, VirtualTime } from '@lab/actors/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerReport } from '../src/doctor/ledger-report.js';
import { svcHere, type Ran } from './in-process.js';

/** `svc doctor ledger` as an operator types it. */

let dataDir: string;
let folder: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  folder = join(dataDir, 'agents', 'bench_a');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const doctor = (...args: string[]): Promise<Ran> =>
  svcHere(['doctor', 'ledger', '--data-dir', dataDir, '--computer', 'bench_a', ...args]);

/** The ledger of an agent that was killed in the middle of a call. */
async function left(...more: LedgerRecord[]): Promise<LedgerRecord[]> {
  const disk = new MemoryLedgerDisk();
  const ledger = new DiskLedger(
    disk,
    { log: new MemoryLog(), timers: new VirtualTime() },
    { segmentBytes: 8_192 },
  );
  await ledger.open(defaultLedgerMemory);
  const call = {
    callId: 'a1/1',
    device: 'lab.arm',
    function: 'move',
    kind: 'effect',
    attemptId: 'a1',
  } as const;
  const records: LedgerRecord[] = [
    { type: 'accept', attemptId: 'a1', label: 'run/mix', fences: { 'lab.arm': 4 } },
    { type: 'begin', attemptId: 'a1' },
    { type: 'call_begin', call },
    { type: 'tombstone', attemptId: 'a0' },
    ...more,
  ];
  for (const record of records) await ledger.append(record);
  mkdirSync(folder, { recursive: true });
  for (const name of segmentNames) {
    writeFileSync(join(folder, name), (await disk.read(name)) ?? new Uint8Array(0));
  }
  return records;
}

const contents = (): Buffer[] => segmentNames.map((name) => readFileSync(join(folder, name)));

describe('svc doctor ledger', () => {
  it('shows open and doubtful entries, exits with 0 and changes nothing', async () => {
    await left();
    const before = contents();
    const { code, out, err } = await doctor();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('run/mix (a1): running, 1 effects');
    expect(out).toContain('move of lab.arm (a1/1, effect) by attempt a1');
    expect(out).toMatch(/fdatasync: p50 [\d.]+ ms, p99 [\d.]+ ms over 200 writes/);
    expect(out).toMatch(/\n {2}sound\n$/);
    expect(contents()).toEqual(before);
    expect(readdirSync(folder).sort()).toEqual([...segmentNames]);
  });

  it('prints an object with --json, and every record with --records', async () => {
    const records = await left();
    const report = JSON.parse((await doctor('--json')).out) as LedgerReport;
    expect(report).toMatchObject({
      computer: 'bench_a',
      state: 'sound',
      damage: null,
      records: { accept: 1, begin: 1, call_begin: 1, tombstone: 1 },
      open_attempts: [{ attempt_id: 'a1', label: 'run/mix', phase: 'running', effects: 1 }],
      open_calls: [
        { device: 'lab.arm', function: 'move', call_id: 'a1/1', kind: 'effect', attempt_id: 'a1' },
      ],
      fences: { 'lab.arm': 4 },
      fdatasync: { writes: 200 },
    });
    const lines = (await doctor('--records')).out.split('\n').slice(0, records.length);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(records);
  });

  it('tells how far each open attempt came, the stops in force, and what a person calls', async () => {
    const halt = { id: 's1', scope: 'device:lab.arm', by: 'ada', reason: 'spill', engaged_at: 'X' } as const;
    const stuck = Array.from({ length: 21 }, (_, n) => ({
      ...{ type: 'accept' as const, attemptId: `b${n}`, label: `run/wait_${n}`, fences: {} },
    }));
    const call = { callId: 'p/1', device: 'lab.arm', function: 'park', kind: 'effect' } as const;
    await left(...stuck, { type: 'call_begin', call }, { type: 'halt', halt });
    const { out } = await doctor();
    expect(out).toContain('    run/wait_0 (b0): accepted, 0 effects\n');
    expect(out).toContain('    and 2 more (--json has them all)\n');
    expect(out).toContain('    park of lab.arm (p/1, effect) by a person\n');
    expect(out).toContain('  stops in force:\n    device:lab.arm by ada: spill\n');
  });

  it('exits with 1 when the ledger is damaged', async () => {
    await left();
    const current = join(folder, segmentNames[0]);
    const bytes = readFileSync(current);
    bytes[bytes.indexOf('call_begin')] = 0;
    writeFileSync(current, bytes);
    const { code, out } = await doctor();
    expect(code).toBe(1);
    expect(out).toContain('DAMAGED: what followed byte');
    expect((JSON.parse((await doctor('--json')).out) as LedgerReport).state).toBe('damaged');
  });

  it('exits with 1 and one sentence when there is no ledger', async () => {
    expect(await doctor()).toEqual(
      expect.objectContaining({
        code: 1,
        out: '',
        err: `there is no ledger of bench_a in ${folder}\n`,
      }),
    );
  });
});
