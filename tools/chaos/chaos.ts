// Runs the real processes under faults: two orchestrators, a gateway, an optimizer worker, six agents with 24 simulated
// instruments, a broker and a database. Prints each fault, and last one line of JSON.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Chance } from '@lab/testkit/faults';
import { ownVersion } from '../package/contents.js';
import { fraction, readFlags, someOf, toggle, whole } from '../shared/flags.js';
import { until } from '../shared/measure.js';
import { clusterFaultNames } from './cluster/faults.js';
import { runCluster } from './cluster/run.js';
import { collect, report, settle } from './ending.js';
import { faultNames, faults, schedule } from './faults.js';
import { benchesOf, computers, deviceNames, writeLaboratory } from './laboratory.js';
import { Operator } from './operator.js';
import { Plant } from './plant.js';
import { ledByRelease, previousRelease, type Led } from './releases.js';
import { chaosClient, outcomeOf } from './requests.js';
import { Work } from './work.js';

const flags = readFlags({
  seconds: fraction(120),
  seed: whole(1),
  only: someOf([...faultNames, ...clusterFaultNames]),
  cluster: toggle,
  'in-hand': whole(30),
  previous: whole(0),
  python: toggle,
  keep: toggle,
  help: toggle,
});
if (flags.help) {
  console.log(
    'npm run chaos -- [--cluster] [--seconds 120] [--seed 1] [--only fault,fault] [--in-hand 30] [--previous 0] [--python] [--keep]',
  );
  console.log(`faults: ${faultNames.join(', ')}`);
  console.log(`faults of a cluster: ${clusterFaultNames.join(', ')}`);
  process.exit(0);
}
const { seconds, seed } = flags;
if (flags.python && (flags.cluster || flags.previous > 0))
  throw new Error(
    '--python goes with neither --cluster, which is about the servers, nor --previous: release 0.2.0 runs no Python',
  );
if (flags.cluster) process.exit((await runCluster(flags)) ? 0 : 1);
const orchestrators = 2;
/** Faults at the same time. */
const atOnce = 3;
/** Milliseconds between two changes of the leader, when the orchestrators are of two releases. */
const termMs = 25_000;
/** Share of the submissions that must complete, of those that nobody cancelled, in percent. */
const leastCompletedPct = 95;

const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const logs = join(folder, 'instruments');
console.log(`chaos: seed ${seed}, ${seconds} s of faults, in ${folder}`);
await writeLaboratory(join(folder, 'packages'), logs, computers, flags.python);
const present = ownVersion;
const previous = {
  ...previousRelease(join(folder, 'previous')),
  computers: computers.slice(1, 1 + flags.previous),
  orchestrators: flags.previous === 0 ? 0 : 1,
};

const plant = new Plant(folder, new Chance(seed, 'restarts'));
for (const computer of computers.slice(1, 3)) plant.giveSmallDisk(computer, 160);
if (plant.smallDisks.length === 0) console.log('this machine allows no small disks: no disk will be full');

for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void plant.dispose().finally(() => process.exit(130)));

let passed = false;
try {
  await plant.start({ computers, orchestrators, previous });
  await ready();
  console.log(`ready after ${Math.round(performance.now() / 1_000)} s`);
  passed = await run();
} finally {
  await plant.dispose();
  if (flags.keep || !passed) console.log(`kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
process.exit(passed ? 0 : 1);

async function ready(): Promise<void> {
  const api = chaosClient(plant.url);
  const idle = async (): Promise<number> => {
    const devices = await outcomeOf(api.get('/api/devices', { query: { limit: 500 } }));
    return devices.ok ? devices.value.items.filter(({ state }) => state === 'idle').length : 0;
  };
  await until(idle, (count) => count === deviceNames.length, 120_000, 250);
}

/** How many agents there are of each release. */
async function releases(api: ReturnType<typeof chaosClient>): Promise<Record<string, number>> {
  const agents = await until(
    () => outcomeOf(api.get('/api/agents')),
    ({ ok }) => ok,
    60_000,
  );
  const counts: Record<string, number> = {};
  for (const { version } of agents.ok ? agents.value.items : [])
    counts[version ?? 'unknown'] = (counts[version ?? 'unknown'] ?? 0) + 1;
  return counts;
}

async function run(): Promise<boolean> {
  const api = chaosClient(plant.url);
  const agents = await releases(api);
  if ((agents[previous.version] ?? 0) !== previous.computers.length)
    throw new Error(
      `release ${previous.version} must run on ${previous.computers.join(', ') || 'no computer'}`,
    );
  console.log(`agents: ${JSON.stringify(agents)}`);
  const work = new Work(api, seed, benchesOf(computers, flags.python));
  const operator = new Operator(api, seed, logs, deviceNames);
  const going = [
    work.submitUntilStopped(flags['in-hand']),
    work.watchUntilStopped(),
    operator.settleUntilStopped(),
    operator.interfereUntilStopped(),
  ];
  const changes = new AbortController();
  if (previous.orchestrators > 0) {
    await leadInTurn(work);
    going.push(changeLeaders(changes.signal));
  }
  const byFault = await disturb();
  console.log('the faults are over');
  changes.abort();
  const site = plant.site(computers, logs);
  const settled = settle(site, work, operator);
  work.stop();
  operator.stop();
  await Promise.all(going);
  const settledS = await settled;
  const evidence = await collect(site, work);
  const led = ledByRelease(
    Array.from({ length: orchestrators }, (_, index) => ({
      version: index < previous.orchestrators ? previous.version : present,
      text: plant.logOf(`orchestrator_${index + 1}`),
    })),
    evidence.attempts,
  );
  const sound = report(evidence, byFault, leastCompletedPct, {
    ...{ agents, led, by_fault: byFault },
    stops: operator.stops,
    decided: operator.decided,
    settled_s: settledS,
    ...{ seed, seconds },
  });
  return sound && allLed(led);
}

/** Every release must have been the leader, and have sent tasks to agents. */
function allLed(led: Readonly<Record<string, Led>>): boolean {
  const idle = Object.entries(led).filter(([, { attempts }]) => attempts === 0);
  for (const [version] of idle)
    console.error(`release ${version} sent no task as a leader: repeat it with more --seconds`);
  return idle.length === 0;
}

/** Lets each orchestrator lead until work that was submitted in its term has completed. @throws Error when none does */
async function leadInTurn(work: Work): Promise<void> {
  for (let turn = 1; turn <= orchestrators; turn += 1) {
    const { leader } = plant;
    const earlier = new Set(work.submitted.keys());
    const completed = (): boolean =>
      [...work.submitted.values()].some(
        ({ name, record }) => !earlier.has(name) && record?.state === 'completed',
      );
    await until(completed, Boolean, 90_000, 250);
    console.log(`work has completed while ${leader} led`);
    if (turn === orchestrators) return;
    plant.changeLeader();
    await until(() => plant.leader !== leader, Boolean, 90_000, 100);
  }
}

/** Lets the other orchestrator lead, again and again, as the update of a service does. */
async function changeLeaders(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(termMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) console.log(`the leader ends: ${plant.changeLeader() ?? 'it is away'}`);
  }
}

/** Makes one fault after the other, some at the same time, until the time is up and the last one is repaired. */
async function disturb(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const startedAt = performance.now();
  const acting = new Set<Promise<unknown>>();
  for (const { pauseMs, name, chance } of schedule(seed)) {
    if (!flags.only.includes(name)) continue;
    await delay(pauseMs);
    while (acting.size >= atOnce) await Promise.race(acting);
    const afterS = (performance.now() - startedAt) / 1_000;
    if (afterS > seconds) break;
    const [target, act] = faults[name].aim(plant, chance) ?? [];
    console.log(`${afterS.toFixed(1)} s ${name} ${target ?? 'hits nothing'}`);
    if (act === undefined) continue;
    counts[name] = (counts[name] ?? 0) + 1;
    const deed: Promise<unknown> = act()
      .catch((error: Error) => console.log(`${name} failed: ${error.message}`))
      .finally(() => acting.delete(deed));
    acting.add(deed);
  }
  await Promise.all(acting);
  return counts;
}
