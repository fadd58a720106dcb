import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Chance } from './chance.mjs';
import { check, invariants } from './check.mjs';
import { draw, faults } from './faults.mjs';
import { Plant } from './plant.mjs';
import { Work } from './work.mjs';

/**
 * The real processes under fire: two orchestrators, a gateway, six agents with 24 simulated instruments, a real broker
 * and a real database. Prints what it does, and last one line of JSON.
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
  console.log(usage);
  process.exit(0);
}

const seconds = Number(flags.seconds);
const chance = new Chance(Number(flags.seed));
const computers = ['svc_computer', 'bench_1', 'bench_2', 'bench_3', 'bench_4', 'bench_5'];
const perComputer = 4;
/** How long everything may take to end once the faults have stopped, in milliseconds. */
const quietMs = 60_000;
const settleMs = 240_000;

const root = fileURLToPath(new URL('../..', import.meta.url));
const svc = join(root, 'apps', 'cli', 'bin', 'svc.mjs');
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const instruments = join(folder, 'instruments');
const devices = computers.flatMap((_, index) =>
  Array.from({ length: perComputer }, (__, place) => `instrument_${index * perComputer + place + 1}`),
);
console.log(`chaos: seed ${flags.seed}, ${seconds} s of faults, in ${folder}`);

await mkdir(instruments, { recursive: true });
await mkdir(join(folder, 'nothing'));
await writePackage();

const plant = new Plant(folder, chance);
const smallDisks = computers.slice(1, 3).filter((computer) => plant.giveSmallDisk(computer, 160));
const possible = Object.keys(faults).filter(
  (name) =>
    (flags.only === undefined || flags.only.split(',').includes(name)) &&
    (faults[name].needs !== 'small disk' || smallDisks.length > 0),
);
const impossible = Object.keys(faults).filter((name) => flags.only === undefined && !possible.includes(name));
if (impossible.length > 0) console.log(`not possible on this machine: ${impossible.join(', ')}`);

let failed = true;
try {
  await plant.start({ computers, orchestrators: 2 });
  await ready();
  console.log(`ready after ${Math.round(performance.now() / 1000)} s`);
  failed = !(await run());
} finally {
  await plant.dispose();
  if (flags.keep || failed) console.log(`kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

async function run() {
  const work = new Work(plant.url, chance, devices, instruments);
  const going = [
    work.submitUntilStopped(Number(flags['in-hand'])),
    work.operateUntilStopped(),
    work.watchUntilStopped(),
  ];
  const counts = await disturb();
  work.stop();
  await Promise.all(going);

  console.log('the faults are over');
  const quietAt = performance.now() + quietMs;
  const settledAt = performance.now() + settleMs;
  let open = await work.look();
  while (open.length > 0 && performance.now() < settledAt) {
    await work.settleAll();
    await delay(500);
    open = await work.look();
    if (performance.now() > quietAt && open.length > 0) {
      const stuck = open.filter(
        (each) => !['queued', 'running', 'needs_attention'].includes(each.record?.state),
      );
      if (stuck.length > 0) break;
    }
  }
  const quietS = Math.round((performance.now() - (quietAt - quietMs)) / 100) / 10;
  await work.settleAll();
  await delay(3_000);
  const { violations, counted } = await judge(work);
  return report(work, counts, violations, { ...counted, settled_s: quietS });
}

/** One fault after the other, sometimes two at once, until the time is up and the last is healed. */
async function disturb() {
  const counts = {};
  const end = performance.now() + seconds * 1000;
  const acting = new Set();
  while (performance.now() < end) {
    await delay(chance.between(300, 2_500));
    if (acting.size >= 3) continue;
    const name = draw(chance, possible);
    counts[name] = (counts[name] ?? 0) + 1;
    console.log(`${((performance.now() - end) / 1000 + seconds).toFixed(1)} s ${name}`);
    const act = faults[name]
      .act(plant, chance, { smallDisks })
      .catch((error) => console.log(`fault ${name} could not be made: ${error.message}`))
      .finally(() => acting.delete(act));
    acting.add(act);
  }
  await Promise.all(acting);
  return counts;
}

async function judge(work) {
  // The files are downloaded while the gateway still runs; what is left is looked for when everything was told to end.
  const databaseUrl = plant.databaseUrl;
  const before = await check({
    databaseUrl,
    work,
    devices,
    folder: instruments,
    url: plant.url,
    leftovers: [],
    ledgers: await Promise.all(computers.map(ledgerOf)),
  });
  const late = await plant.stop();
  for (const name of late) before.violations.I10.push(`${name} did not end when told to`);
  await delay(1_000);
  for (const { pid, command } of plant.leftovers())
    if (command.includes('svc.mjs') || command.includes('-host'))
      before.violations.I10.push(`process ${pid} is left: ${command.slice(0, 120)}`);
  return before;
}

async function ledgerOf(computer) {
  const args = [
    svc,
    'doctor',
    'ledger',
    '--data-dir',
    join(folder, computer),
    '--computer',
    computer,
    '--json',
  ];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
    return summaryOf(computer, stdout);
  } catch (error) {
    if (typeof error.stdout === 'string' && error.stdout.startsWith('{'))
      return summaryOf(computer, error.stdout);
    throw error;
  }
}

function summaryOf(computer, text) {
  const { open_attempts: open, damaged } = JSON.parse(text);
  return { computer, open: open.length, damaged };
}

function report(work, counts, violations, counted) {
  for (const name of invariants)
    for (const text of violations[name].slice(0, 20)) console.log(`${name} violated: ${text}`);
  const accepted = [...work.submitted.values()].filter((each) => each.accepted);
  const completed = accepted.filter((each) => each.record?.state === 'completed');
  const perInvariant = Object.fromEntries(invariants.map((name) => [name, violations[name].length]));
  const sum = Object.values(perInvariant).reduce((a, b) => a + b, 0);
  const share = accepted.length === 0 ? 0 : (100 * completed.length) / accepted.length;
  console.log(
    JSON.stringify({
      faults: Object.values(counts).reduce((a, b) => a + b, 0),
      tasks: accepted.length,
      violations: sum,
      ...perInvariant,
      completed_pct: Number(share.toFixed(2)),
      refused: work.submitted.size - accepted.length,
      decided: work.decisions.length,
      ...counted,
      by_fault: counts,
      seed: Number(flags.seed),
      seconds,
    }),
  );
  return sum === 0 && share >= 95;
}

async function ready() {
  const end = performance.now() + 120_000;
  for (;;) {
    const idle = await fetch(`${plant.url}/api/devices`)
      .then((answer) => (answer.ok ? answer.json() : []))
      .then((list) => list.filter((device) => device.state === 'idle').length)
      .catch(() => 0);
    if (idle === devices.length) return;
    if (performance.now() > end)
      throw new Error(`only ${idle} of ${devices.length} instruments became ready`);
    await delay(250);
  }
}

/** The laboratory with as many instruments as there are, some of which cannot be read after a crash. */
async function writePackage() {
  const target = join(folder, 'packages', 'chaos_lab');
  await cp(fileURLToPath(new URL('packages/chaos_lab', import.meta.url)), target, { recursive: true });
  const lab = {
    name: 'chaos_lab',
    desc: 'Instruments on six computers, all simulated',
    computers: Object.fromEntries(
      computers.slice(1).map((name, index) => [name, { desc: 'A bench', ip: `10.0.0.${index + 2}` }]),
    ),
    devices: Object.fromEntries(
      devices.map((name, index) => [
        name,
        {
          desc: 'Moves when told to',
          type: 'instrument',
          computer: computers[Math.floor(index / perComputer)],
          init_parameters: { folder: instruments, blind: index % perComputer === perComputer - 1 },
        },
      ]),
    ),
  };
  await mkdir(join(target, 'laboratories', 'chaos_lab'), { recursive: true });
  // JSON is YAML.
  await writeFile(join(target, 'laboratories', 'chaos_lab', 'lab.yml'), JSON.stringify(lab, null, 2));
}
