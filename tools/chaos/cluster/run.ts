import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '@lab/api-client';
import { printMachine, until } from '../../shared/measure.js';
import { inTools } from '../../shared/paths.js';
import { collect, report, settle } from '../ending.js';
import { benchesOf, computers, devicesOf, writeLaboratory } from '../laboratory.js';
import { Operator } from '../operator.js';
import { outcomeOf } from '../requests.js';
import { Work } from '../work.js';
import { Cluster, demandNamespaces } from './cluster.js';
import {
  clusterFaults,
  clusterFaultNames,
  marks,
  rounds,
  type ClusterFaultName,
  type Mark,
  type Part,
} from './faults.js';
import { Probes, type Seen } from './probes.js';

interface Options {
  seconds: number;
  seed: number;
  keep: boolean;
  /** Names of faults. Those that a cluster does not have are left out. */
  only: readonly string[];
}

/** Three computers with four instruments each. */
const some = computers.slice(0, 3);
/** Submissions of scientists in progress, beside the probes. */
const inHand = 3;
/** How long the cluster may take until it would survive the next fault, in milliseconds. */
const wholeMs = 90_000;
/** Milliseconds of undisturbed work after each fault, so that its end is measured. */
const calmMs = 2_000;

interface Outage extends Seen {
  fault: ClusterFaultName;
  target: string;
}

/** Runs a cluster under faults, one at a time, each measured. Every accepted task must complete exactly once. @returns whether it did */
export async function runCluster({ seconds, seed, keep, only }: Options): Promise<boolean> {
  for (const tool of ['cluster.mjs', 's3-server.mjs', 'iproute.mjs'])
    execFileSync(process.execPath, [inTools(tool)], { stdio: 'inherit' });
  await demandNamespaces();
  printMachine();
  // Each computer ends with this process, and so does each of its relays.
  process.setMaxListeners(100);
  const folder = await mkdtemp(join(tmpdir(), 'svc-cluster-'));
  const logs = join(folder, 'instruments');
  console.log(`chaos of a cluster: seed ${seed}, ${seconds} s of faults, in ${folder}`);
  await writeLaboratory(join(folder, 'packages'), logs, some);
  const cluster = new Cluster(folder, some);
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void cluster.dispose().finally(() => process.exit(130)));
  let passed = false;
  try {
    await cluster.start();
    await ready(cluster);
    console.log(`ready after ${Math.round(performance.now() / 1_000)} s`);
    const names = clusterFaultNames.filter((name) => only.includes(name));
    passed = await disturb(cluster, logs, { seconds, seed, names });
  } finally {
    await cluster.dispose();
    if (keep || !passed) console.log(`kept: ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
  return passed;
}

async function ready(cluster: Cluster): Promise<void> {
  const api = new ApiClient(cluster.url, { retries: 0 });
  const idle = async (): Promise<number> => {
    const devices = await outcomeOf(api.get('/api/devices', { query: { limit: 500 } }));
    return devices.ok ? devices.value.items.filter(({ state }) => state === 'idle').length : 0;
  };
  await until(idle, (count) => count === devicesOf(some).length, 120_000, 250);
  await until(
    () => cluster.lack,
    (lack) => lack === undefined,
    wholeMs,
    250,
  );
}

async function disturb(
  cluster: Cluster,
  logs: string,
  { seconds, seed, names }: { seconds: number; seed: number; names: readonly ClusterFaultName[] },
): Promise<boolean> {
  const devices = devicesOf(some);
  // A client repeats what it got no answer to, under the same idempotency key, for about 25 s.
  const api = new ApiClient(cluster.url, { retries: 7 });
  const work = new Work(api, seed, benchesOf(some));
  const operator = new Operator(api, seed, logs, devices);
  const probes = new Probes(cluster.url, work, devices);
  const probing = probes.runUntilStopped();
  const going = [work.submitUntilStopped(inHand), work.watchUntilStopped(), operator.settleUntilStopped()];
  const outages: Outage[] = [];
  let slow = 0;
  const startedAt = performance.now();
  await delay(calmMs);
  for (const { name, chance } of rounds(seed, names)) {
    if ((performance.now() - startedAt) / 1_000 > seconds) break;
    await untilWhole(cluster);
    const [target, act] = clusterFaults[name].aim(cluster, chance) ?? [];
    const at = ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (target === undefined || act === undefined) {
      console.log(`${at} s ${name} hits nothing`);
      await delay(500);
      continue;
    }
    const since = performance.now();
    await act();
    const repairedAt = performance.now();
    // The restart of what was killed takes a moment to be seen.
    await delay(calmMs);
    const lack = await untilWhole(cluster);
    await delay(calmMs);
    const seen = probes.seen(since);
    if (lack !== undefined) slow += 1;
    const wholeS = ((performance.now() - repairedAt - calmMs) / 1_000).toFixed(1);
    console.log(
      `${at} s ${name} ${target}: outage ${seen.outageS} s, reads ${seen.readsS} s, refused ${JSON.stringify(seen.refused)}, ` +
        `in doubt ${seen.inDoubt}, whole ${lack === undefined ? `after ${wholeS} s` : `not in time: ${lack}`}`,
    );
    outages.push({ fault: name, target, ...seen });
  }
  console.log('the faults are over');
  const site = cluster.site(logs);
  probes.stop();
  await probing;
  const settled = settle(site, work, operator);
  work.stop();
  operator.stop();
  await Promise.all(going);
  const settledS = await settled;
  const evidence = await collect(site, work);
  const kept = printOutages(outages);
  const counts: Record<string, number> = {};
  for (const { fault } of outages) counts[fault] = (counts[fault] ?? 0) + 1;
  const complete = report(evidence, counts, 100, {
    by_fault: counts,
    ...kept,
    ...{ not_whole_in_time: slow, settled_s: settledS, seed, seconds },
  });
  return complete && slow === 0;
}

/** Waits until the cluster would survive the next fault. @returns why it would not, after the limit */
async function untilWhole(cluster: Cluster): Promise<string | undefined> {
  const limit = performance.now() + wholeMs;
  while (cluster.lack !== undefined && performance.now() < limit) await delay(100);
  return cluster.lack;
}

const total = (refused: Seen['refused']): number => Object.values(refused).reduce((a, b) => a + b, 0);

/** Prints the outages by fault beside their marks. @returns the worst of each part, as fields of figures */
function printOutages(outages: readonly Outage[]): Record<string, number> {
  for (const name of clusterFaultNames) {
    const own = outages.filter(({ fault }) => fault === name);
    if (own.length === 0) continue;
    const mark: Mark | undefined = marks[clusterFaults[name].part];
    const list = (value: (outage: Outage) => number): string => own.map(value).join(', ');
    const worst =
      mark?.of === 'refused' ? Math.max(...own.map((each) => total(each.refused))) : worstOutage(own);
    const verdict =
      mark === undefined
        ? 'no mark'
        : `mark ${mark.most}${mark.of === 'refused' ? ' refused' : ' s'}: ${worst <= mark.most ? 'met' : 'MISSED'}`;
    console.log(
      `${name}: outage ${list(lengthOf)} s; refused ${list(({ refused }) => total(refused))}; ${verdict}`,
    );
  }
  const parts = Object.keys(marks) as Part[];
  return Object.fromEntries(
    parts.flatMap((part): [string, number][] => {
      const own = outages.filter(({ fault }) => clusterFaults[fault].part === part);
      if (own.length === 0) return [];
      return [
        [`${part}_outage_s`, worstOutage(own)],
        [`${part}_refused`, own.reduce((sum, { refused }) => sum + total(refused), 0)],
      ];
    }),
  );
}

/** The longest time without reads or without submissions. A submission from before the fault may be answered in its middle. */
const lengthOf = ({ outageS, readsS }: Seen): number => Math.max(outageS, readsS);
const worstOutage = (own: readonly Outage[]): number => Math.max(...own.map(lengthOf));
