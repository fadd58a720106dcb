// Ends a process at every point of the protocol: killed, stopped or disconnected, before and after each step.
import {
  exempt,
  plan,
  play,
  scheduleOfTrial,
  simulate,
  type Trial,
  type Violation,
} from '@lab/testkit/faults';
import { readFlags, toggle, whole } from '../shared/flags.js';
import { printResult, rounded } from '../shared/measure.js';
import { inBatches, serve, spread } from '../shared/pool.js';

interface TrialResult {
  trial: Trial;
  violations: Violation[];
}

/** Trials that a worker plays before it takes the next ones. */
const batch = 20;
const actions = ['kill', 'stop', 'disconnect'] as const;

if (!serve(playTrials)) await main();

async function playTrials(trials: Trial[]): Promise<TrialResult[]> {
  const results: TrialResult[] = [];
  for (const trial of trials) results.push({ trial, violations: await play(trial) });
  return results;
}

async function main(): Promise<void> {
  // `depth`: how many occurrences of a point are tried, over all scenarios.
  const flags = readFlags({ depth: whole(4), verbose: toggle });
  const began = performance.now();
  const { points, uncovered, unlisted, trials } = await plan(flags.depth);
  const table = new Map([...points.keys()].map((point) => [point, { kill: 0, stop: 0, disconnect: 0 }]));
  const broken: TrialResult[] = [];
  await spread(import.meta.url, inBatches(trials, batch), (results: TrialResult[]) => {
    for (const { trial, violations } of results) {
      const row = table.get(`${trial.side} ${trial.point}`);
      if (row !== undefined) row[trial.action] += 1;
      if (violations.length > 0) broken.push({ trial, violations });
    }
  });
  console.log(`${'point'.padEnd(46)}${actions.map((each) => each.padStart(11)).join('')}`);
  for (const [point, runs] of [...table].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${point.padEnd(46)}${actions.map((each) => String(runs[each]).padStart(11)).join('')}`);
  for (const [point, reason] of Object.entries(exempt)) console.log(`exempt: ${point}: ${reason}`);
  for (const point of uncovered) console.log(`NOT COVERED: ${point}: no scenario reaches it`);
  for (const point of unlisted)
    console.log(`NOT LISTED: ${point}: a scenario reaches it, and no list names it`);
  for (const { trial, violations } of broken) {
    console.log(`\nBROKEN: ${JSON.stringify(trial)}`);
    for (const { invariant, what } of violations) console.log(`  ${invariant}: ${what}`);
    if (flags.verbose) console.log((await simulate(scheduleOfTrial(trial))).lines.join('\n'));
  }
  printResult({
    points: points.size,
    covered: points.size - uncovered.length,
    runs: trials.length,
    violations: broken.length,
    seconds: rounded((performance.now() - began) / 1_000, 1),
  });
  process.exitCode = broken.length + uncovered.length + unlisted.length > 0 ? 1 : 0;
}
