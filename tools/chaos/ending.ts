import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { printResult, rounded } from '../shared/measure.js';
import {
  downloadFiles,
  filesLeft,
  readHistory,
  readLaboratory,
  readLedgerOf,
  type Evidence,
} from './evidence.js';
import { observed, violationsOf } from './facts.js';
import type { Operator } from './operator.js';
import { chaosClient, outcomeOf } from './requests.js';
import type { Work } from './work.js';

/** The end of a run: all work ends, the evidence is collected, and the judge decides. */

/** How long all work may take to end once the faults are over and every process is ready, in milliseconds. */
const quietMs = 60_000;
/** How long a process may take to be ready again, in milliseconds. */
const wholeMs = 60_000;

/** What has run. */
export interface Site {
  readonly folder: string;
  readonly computers: readonly string[];
  /** Folder of the logs of the instruments. */
  readonly logs: string;
  readonly url: string;
  readonly databaseUrl: string;
  /** When the last started process was ready, by performance.now(); undefined: a process is not ready yet. */
  wholeSince(): number | undefined;
  readonly starts: Evidence['starts'];
  /** Ends all services, but not the database. @returns the names of those that had to be killed */
  stop(): Promise<string[]>;
  leftovers(): Promise<{ pid: number; command: string }[]>;
}

/**
 * Waits until all work has ended, with the help of the operator. The limit begins when every process is ready.
 *
 * @returns seconds since the last fault
 */
export async function settle(site: Site, work: Work, operator: Operator): Promise<number> {
  const api = chaosClient(site.url);
  const overAt = performance.now();
  while (site.wholeSince() === undefined && performance.now() < overAt + wholeMs) await delay(100);
  const limit = Math.max(overAt, site.wholeSince() ?? overAt + wholeMs) + quietMs;
  for (;;) {
    const released = await operator.release();
    const openItems = await operator.settleAll();
    const { handedIn } = work;
    await work.look();
    const queue = await outcomeOf(api.get('/api/queue'));
    const isQuiet = queue.ok && queue.value.queued === 0 && queue.value.running === 0 && openItems === 0;
    const settledS = rounded((performance.now() - overAt) / 1_000, 1);
    if ((released && isQuiet && handedIn && work.open.length === 0) || performance.now() > limit)
      return settledS;
    await delay(250);
  }
}

export async function collect(site: Site, work: Work): Promise<Evidence> {
  const { folder, computers, logs, databaseUrl } = site;
  // Downloads need the gateway. Everything else is read after all processes were told to end.
  const downloads = await downloadFiles(await readHistory(databaseUrl), site.url);
  const late = await site.stop();
  const evidence: Evidence = {
    submitted: [...work.submitted.values()],
    ...(await readHistory(databaseUrl)),
    ...readLaboratory(logs),
    downloads,
    starts: site.starts,
    ledgers: await Promise.all(computers.map((computer) => readLedgerOf(computer, join(folder, computer)))),
    left: [
      ...late.map((name) => `${name} had to be killed`),
      ...(await site.leftovers()).map(({ pid, command }) => `process ${pid} is left: ${command}`),
      ...filesLeft(folder, computers).map((name) => `the file ${name} is left`),
    ],
  };
  await writeFile(
    join(folder, 'evidence.json'),
    JSON.stringify(evidence, (_, value: unknown) => (value instanceof Map ? [...value] : value)),
  );
  return evidence;
}

/**
 * Prints the result.
 *
 * @param faults how often each fault was made
 * @param leastCompletedPct share of the submissions that must complete, of those that nobody cancelled, in percent
 * @returns whether the run passed
 */
export function report(
  evidence: Evidence,
  faults: Readonly<Record<string, number>>,
  leastCompletedPct: number,
  counted: object,
): boolean {
  const { submitted, attempts, attention, motions, tasks, downloads } = evidence;
  const found = violationsOf(evidence);
  const violations = observed.map(
    (name) => [name, found.filter(({ invariant }) => invariant === name).map(({ what }) => what)] as const,
  );
  for (const [name, texts] of violations)
    for (const text of texts.slice(0, 20)) console.log(`${name} violated: ${text}`);
  const accepted = submitted.filter((each) => each.accepted);
  // Cancelled work may end in any state.
  const wanted = accepted.filter(({ cancelled }) => !cancelled);
  const incomplete = wanted.filter(({ record }) => record?.state !== 'completed');
  for (const { name, record } of incomplete)
    console.log(
      `not completed: ${name} is ${record?.state}: ${record?.reason?.code} ${record?.reason?.message}`,
    );
  const completedPct = wanted.length === 0 ? 0 : (100 * (wanted.length - incomplete.length)) / wanted.length;
  printResult({
    faults: Object.values(faults).reduce((a, b) => a + b, 0),
    tasks: accepted.length,
    violations: found.length,
    ...Object.fromEntries(violations.map(([name, texts]) => [name, texts.length])),
    completed_pct: rounded(completedPct),
    unanswered: submitted.length - accepted.length,
    cancelled: accepted.length - wanted.length,
    task_runs: tasks.length,
    attempts: attempts.length,
    motions: motions.length,
    files: downloads.size,
    questions: attention.length,
    ...counted,
  });
  return found.length === 0 && completedPct >= leastCompletedPct;
}
