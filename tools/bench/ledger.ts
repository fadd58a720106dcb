// Measures appends to the ledger of an agent, durable one by one and 64 at once, beside bare overwrites with fdatasync on
// the same disk.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskLedger, defaultLedgerMemory } from '@lab/actors';
import { FolderLedgerDisk } from '@lab/agent/parts';
import { createLog, systemTimers } from '@lab/runtime';
import { load, percentile, printMachine, printResult, rounded } from '../shared/measure.js';

const rounds = 5;
const sequential = 400;
const parallel = 6_400;
const segmentBytes = 16 * 1024 * 1024;

const parent = process.env['SVC_DATA_DIR'] ?? '.svc';
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, 'bench-ledger-'));
const log = createLog({ service: 'agent', level: 'warn' });
const ledger = new DiskLedger(new FolderLedgerDisk(folder), { log, timers: systemTimers }, { segmentBytes });

let calls = 0;
/** Writes the records of an effect. Only the first one must be durable before the effect begins. */
async function recordEffect(): Promise<void> {
  calls += 1;
  const call = {
    callId: `attempt/${calls}`,
    device: 'lab.arm',
    function: 'move',
    kind: 'effect' as const,
    fence: 7,
  };
  await ledger.append({ type: 'call_begin', call });
  ledger.note({ type: 'call_end', callId: call.callId, ending: { kind: 'returned', value: { at: calls } } });
}

const bare = await open(join(folder, 'bare'), 'wx');
const record = Buffer.alloc(512, 1);
/** The least that makes anything durable: it writes the same place of a file again. */
async function overwrite(): Promise<void> {
  await bare.write(record, 0, record.length, 0);
  await bare.datasync();
}

printMachine();
try {
  await bare.write(record, 0, record.length, 0);
  await bare.sync();
  const opening = performance.now();
  await ledger.open(defaultLedgerMemory);
  const openMs = performance.now() - opening;
  await load(sequential, 1, recordEffect);
  const measured = () => ({ durations: [] as number[], rates: [] as number[] });
  const [floor, one, many] = [measured(), measured(), measured()];
  for (let round = 0; round < rounds; round += 1)
    for (const [into, count, inFlight, work] of [
      [floor, sequential, 1, overwrite],
      [one, sequential, 1, recordEffect],
      [many, parallel, 64, recordEffect],
    ] as const) {
      const { durations, perSecond } = await load(count, inFlight, work);
      into.durations.push(...durations);
      into.rates.push(perSecond);
    }
  const ms = (durations: number[], p: number): number => rounded(percentile(durations, p), 3);
  const perSecond = (rates: number[]): number => Math.round(percentile(rates, 0.5));
  printResult({
    p50_ms: ms(one.durations, 0.5),
    p99_ms: ms(one.durations, 0.99),
    appends_per_s_1: perSecond(one.rates),
    appends_per_s_64: perSecond(many.rates),
    p50_64_ms: ms(many.durations, 0.5),
    p99_64_ms: ms(many.durations, 0.99),
    floor_p50_ms: ms(floor.durations, 0.5),
    floor_p99_ms: ms(floor.durations, 0.99),
    floor_per_s: perSecond(floor.rates),
    ratio_p50: rounded(percentile(one.durations, 0.5) / percentile(floor.durations, 0.5)),
    open_ms: Math.round(openMs),
  });
} finally {
  await ledger.close();
  await bare.close();
  rmSync(folder, { recursive: true, force: true });
}
