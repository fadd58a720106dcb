import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultLedgerMemory, DiskLedger, segmentNames, type LedgerRecord } from '@lab/actors';
import { MemoryLedgerDisk, MemoryLog, VirtualTime } from '@lab/actors/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerReport } from '../src/doctor/ledger-report.js';

/** `svc doctor ledger` as an operator types it. */

const cli = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));
let dataDir: string;
let folder: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  folder = join(dataDir, 'agents', 'bench_a');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function doctor(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(
    process.execPath,
    [cli, 'doctor', 'ledger', '--data-dir', dataDir, '--computer', 'bench_a', ...args],
    { encoding: 'utf8', timeout: 30_000 },
  );
}

/** The ledger of an agent that was killed in the middle of a call. */
async function left(): Promise<LedgerRecord[]> {
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
    const { status, stdout, stderr } = doctor();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('run/mix (a1): running, 1 effects');
    expect(stdout).toContain('move of lab.arm (a1/1, effect) by attempt a1');
    expect(stdout).toMatch(/fdatasync: p50 [\d.]+ ms, p99 [\d.]+ ms over 200 writes/);
    expect(stdout).toMatch(/\n {2}sound\n$/);
    expect(contents()).toEqual(before);
    expect(readdirSync(folder).sort()).toEqual([...segmentNames]);
  });

  it('prints an object with --json, and every record with --records', async () => {
    const records = await left();
    const report = JSON.parse(doctor('--json').stdout) as LedgerReport;
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
    const lines = doctor('--records').stdout.split('\n').slice(0, records.length);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(records);
  });

  it('exits with 1 when the ledger is damaged', async () => {
    await left();
    const current = join(folder, segmentNames[0]);
    const bytes = readFileSync(current);
    bytes[bytes.indexOf('call_begin')] = 0;
    writeFileSync(current, bytes);
    const { status, stdout } = doctor();
    expect(status).toBe(1);
    expect(stdout).toContain('DAMAGED: what followed byte');
    expect((JSON.parse(doctor('--json').stdout) as LedgerReport).state).toBe('damaged');
  });

  it('exits with 1 and one sentence when there is no ledger', () => {
    expect(doctor()).toEqual(
      expect.objectContaining({
        status: 1,
        stdout: '',
        stderr: `there is no ledger of bench_a in ${folder}\n`,
      }),
    );
  });
});
