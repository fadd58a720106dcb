import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Chance } from './chance.ts';
import { check } from './check.ts';
import { download, filesLeft, readHistory, readLaboratory, readLedgerOf } from './evidence.ts';
import { faults, schedule } from './faults.ts';
import { ask } from './http.mjs';
import { computers, instruments, writePackage } from './laboratory.ts';
import { Operator } from './operator.ts';
import { Plant } from './plant.ts';
import { Work } from './work.ts';

/**
 * The real processes under fire: two orchestrators, a gateway, an optimizer worker, six agents with 24 simulated
 * instruments, a real broker and a real database. Prints what it does, and last one line of JSON.
 */

const usage = 'npm run chaos -- [--seconds 120] [--seed 1] [--only fault,fault] [--in-hand 30] [--keep]';
const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'in-hand': { type: 'string', default: '30' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (flags.help) {
  console.log(`${usage}\nfaults: ${Object.keys(faults).join(', ')}`);
  process.exit(0);
}
const only = flags.only?.split(',') ?? Object.keys(faults);
const unknown = only.filter((name) => !Object.hasOwn(faults, name));
if (unknown.length > 0) {
  console.error(`there is no fault ${unknown.join(', ')}; there are ${Object.keys(faults).join(', ')}`);
  process.exit(2);
}

const seconds = Number(flags.seconds);
const seed = Number(flags.seed);
/** How long everything may take to end once the faults are over and every process serves again, in milliseconds. */
const quietMs = 60_000;
/** How long a process may take to serve again, in milliseconds. */
const wholeMs = 60_000;
/** Faults at the same time. */
const atOnce = 3;
/** Share of the tasks that nobody cancelled which must be completed, in percent. */
const enough = 95;

const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const logs = join(folder, 'instruments');
const devices = instruments.map(({ name }) => name);
console.log(`chaos: seed ${seed}, ${seconds} s of faults, in ${folder}`);
await writePackage(join(folder, 'packages'), logs);

const plant = new Plant(folder, new Chance(seed, 'restarts'));
for (const computer of computers.slice(1, 3)) plant.giveSmallDisk(computer, 160);
if (plant.smallDisks.length === 0) console.log('this machine allows no small disks: none will be full');

for (const name of ['SIGINT', 'SIGTERM'])
  process.once(name, () => void plant.dispose().finally(() => process.exit(130)));

let passed = false;
try {
  await plant.start({ computers, orchestrators: 2 });
  await ready();
  console.log(`ready after ${Math.round(performance.now() / 1000)} s`);
  passed = await run();
} finally {
  await plant.dispose();
  if (flags.keep || !passed) console.log(`kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
process.exit(passed ? 0 : 1);

async function run() {
  const work = new Work(plant.url, seed, devices);
  const operator = new Operator(plant.url, seed, logs, devices);
  const going = [
    work.submitUntilStopped(Number(flags['in-hand'])),
    work.watchUntilStopped(),
    operator.settleUntilStopped(),
    operator.interfereUntilStopped(),
  ];
  const counts = await disturb();
  console.log('the faults are over');
  const settled = settle(work, operator);
  work.stop();
  operator.stop();
  await Promise.all(going);
  const settledS = await settled;
  return judge(work, operator, counts, settledS);
}

/** One fault after the other, sometimes several at once, until the time is up and the last is healed. */
async function disturb() {
  const counts = {};
  const startedAt = performance.now();
  const acting = new Set();
  for (const { pauseMs, name, chance } of schedule(seed)) {
    if (!only.includes(name)) continue;
    await delay(pauseMs);
    while (acting.size >= atOnce) await Promise.race(acting);
    const afterS = (performance.now() - startedAt) / 1000;
    if (afterS > seconds) break;
    const [target, act] = faults[name].aim(plant, chance) ?? [];
    console.log(`${afterS.toFixed(1)} s ${name} ${target ?? 'hits nothing'}`);
    if (act === undefined) continue;
    counts[name] = (counts[name] ?? 0) + 1;
    const deed = act()
      .catch((error) => console.log(`${name} could not be made: ${error.message}`))
      .finally(() => acting.delete(deed));
    acting.add(deed);
  }
  await Promise.all(acting);
  return counts;
}

/**
 * Waits until everything has ended, with the operator at hand.
 *
 * @returns seconds since the faults were over, of which those before every process served again do not count for the limit
 */
async function settle(work, operator) {
  const overAt = performance.now();
  const wholeAt = async () => {
    while (plant.wholeSince === undefined && performance.now() < overAt + wholeMs) await delay(100);
    return Math.max(overAt, plant.wholeSince ?? overAt + wholeMs);
  };
  const limit = (await wholeAt()) + quietMs;
  for (;;) {
    const released = await operator.release();
    const questions = await operator.settleAll();
    await work.look();
    const queue = await ask(plant.url, 'GET', '/api/queue');
    const quiet =
      queue.status === 200 && queue.body.queued === 0 && queue.body.running === 0 && questions === 0;
    const settledS = Math.round((performance.now() - overAt) / 100) / 10;
    if ((released && quiet && work.open.length === 0) || performance.now() > limit) return settledS;
    await delay(250);
  }
}

async function judge(work, operator, counts, settledS) {
  const submitted = [...work.submitted].map(([name, { accepted, over, cancelled, record }]) => ({
    name,
    accepted,
    over,
    cancelled,
    state: record?.state,
    reason: record?.reason ?? null,
  }));
  // The gateway gives the files; everything else is looked at when every process was told to end.
  const downloads = await download(await readHistory(plant.databaseUrl), plant.url);
  const late = await plant.stop();
  const evidence = {
    submitted,
    ...(await readHistory(plant.databaseUrl)),
    ...readLaboratory(logs, devices),
    downloads,
    starts: plant.starts,
    ledgers: await Promise.all(computers.map((computer) => readLedgerOf(computer, join(folder, computer)))),
    left: [
      ...late.map((name) => `${name} did not end when told to`),
      ...(await plant.leftovers()).map(({ pid, command }) => `process ${pid} is left: ${command}`),
      ...filesLeft(folder, computers).map((name) => `the file ${name} is left`),
    ],
  };
  await writeFile(
    join(folder, 'evidence.json'),
    JSON.stringify(evidence, (_, value) => (value instanceof Map ? [...value] : value)),
  );
  return report(evidence, {
    by_fault: counts,
    stops: operator.stops,
    decided: operator.decisions.length,
    settled_s: settledS,
  });
}

function report(evidence, counted) {
  const { submitted, attempts, attention, motions, tasks, downloads } = evidence;
  const violations = check(evidence);
  for (const [name, texts] of Object.entries(violations))
    for (const text of texts.slice(0, 20)) console.log(`${name} violated: ${text}`);
  // What somebody cancelled may end as it likes.
  const wanted = submitted.filter(({ accepted, cancelled }) => accepted && !cancelled);
  const incomplete = wanted.filter(({ state }) => state !== 'completed');
  for (const { name, state, reason } of incomplete)
    console.log(`not completed: ${name} is ${state}: ${reason?.code} ${reason?.message}`);
  const share = wanted.length === 0 ? 0 : (100 * (wanted.length - incomplete.length)) / wanted.length;
  const perInvariant = Object.fromEntries(
    Object.entries(violations).map(([name, texts]) => [name, texts.length]),
  );
  const sum = Object.values(perInvariant).reduce((a, b) => a + b, 0);
  console.log(
    JSON.stringify({
      faults: Object.values(counted.by_fault).reduce((a, b) => a + b, 0),
      tasks: submitted.filter(({ accepted }) => accepted).length,
      violations: sum,
      ...perInvariant,
      completed_pct: Number(share.toFixed(2)),
      unanswered: submitted.filter(({ accepted }) => !accepted).length,
      cancelled: submitted.filter(({ accepted, cancelled }) => accepted && cancelled).length,
      task_runs: tasks.length,
      attempts: attempts.length,
      motions: motions.length,
      files: downloads.size,
      questions: attention.length,
      ...counted,
      seed,
      seconds,
    }),
  );
  return sum === 0 && share >= enough;
}

async function ready() {
  const end = performance.now() + 120_000;
  for (;;) {
    const { body } = await ask(plant.url, 'GET', '/api/devices');
    const idle = body?.items?.filter(({ state }) => state === 'idle').length ?? 0;
    if (idle === devices.length) return;
    if (performance.now() > end)
      throw new Error(`only ${idle} of ${devices.length} instruments became ready`);
    await delay(250);
  }
}
