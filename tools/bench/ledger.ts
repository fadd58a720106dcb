// Appends to the agent's ledger, durable one by one and 64 at once, beside bare overwrites with fdatasync on the same disk.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultLedgerMemory, DiskLedger } from '@lab/actors';
import { FolderLedgerDisk } from '../../apps/agent/dist/ledger-disk.js';
import { finish, load, percentile, printMachine, rounded } from './harness.mjs';

const rounds = 5;
const sequential = 400;
const parallel = 6_400;
const segmentBytes = 16 * 1024 * 1024;

const parent = process.env.SVC_DATA_DIR ?? '.svc';
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, 'bench-ledger-'));
const log = { debug() {}, info() {}, warn: console.warn, error: console.error, child: () => log };
const timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
const ledger = new DiskLedger(new FolderLedgerDisk(folder), { log, timers }, { segmentBytes });

let calls = 0;
/** What is written before an effect begins. */
async function begin() {
  calls += 1;
  const call = { callId: `attempt/${calls}`, device: 'lab.arm', function: 'move', kind: 'effect', fence: 7 };
  await ledger.append({ type: 'call_begin', call });
  ledger.note({ type: 'call_end', callId: call.callId, ending: { kind: 'returned', value: { at: calls } } });
}

const bare = await open(join(folder, 'bare'), 'wx');
const record = Buffer.alloc(512, 1);
/** The least that makes anything durable: the same place of a file, written before. */
async function overwrite() {
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
  await load(sequential, 1, begin);
  const figures = { bare: { one: [], rate: [] }, ledger: { one: [], rate: [], many: [], manyRate: [] } };
  for (let round = 0; round < rounds; round++) {
    const floor = await load(sequential, 1, overwrite);
    figures.bare.one.push(...floor.durations);
    figures.bare.rate.push(floor.perSecond);
    const one = await load(sequential, 1, begin);
    figures.ledger.one.push(...one.durations);
    figures.ledger.rate.push(one.perSecond);
    const many = await load(parallel, 64, begin);
    figures.ledger.many.push(...many.durations);
    figures.ledger.manyRate.push(many.perSecond);
  }
  const ms = (durations, p) => rounded(percentile(durations, p), 3);
  const perSecond = (rates) => Math.round(percentile(rates, 0.5));
  const { bare: floor, ledger: ours } = figures;
  console.log(
    `bare   1 in flight:  p50 ${ms(floor.one, 0.5)} ms, p99 ${ms(floor.one, 0.99)} ms, ${perSecond(floor.rate)}/s`,
  );
  console.log(
    `ledger 1 in flight:  p50 ${ms(ours.one, 0.5)} ms, p99 ${ms(ours.one, 0.99)} ms, ${perSecond(ours.rate)}/s`,
  );
  console.log(
    `ledger 64 in flight: p50 ${ms(ours.many, 0.5)} ms, p99 ${ms(ours.many, 0.99)} ms, ${perSecond(ours.manyRate)}/s (medians of ${rounds} rounds)`,
  );
  console.log(`a ledger of two segments of 16 MiB was made in ${Math.round(openMs)} ms`);
  finish({
    p50_ms: ms(ours.one, 0.5),
    p99_ms: ms(ours.one, 0.99),
    appends_per_s_1: perSecond(ours.rate),
    appends_per_s_64: perSecond(ours.manyRate),
    p50_64_ms: ms(ours.many, 0.5),
    p99_64_ms: ms(ours.many, 0.99),
    floor_p50_ms: ms(floor.one, 0.5),
    floor_p99_ms: ms(floor.one, 0.99),
    floor_per_s: perSecond(floor.rate),
    ratio_p50: rounded(percentile(ours.one, 0.5) / percentile(floor.one, 0.5)),
    open_ms: Math.round(openMs),
  });
} finally {
  await ledger.close();
  await bare.close();
  rmSync(folder, { recursive: true, force: true });
}
