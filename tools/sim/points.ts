// Loses a process at every point of the protocol: killed, stopped, or cut off, before and after each step.
import { parseArgs } from 'node:util';
import { exempt, plan, play, simulate, scheduleOfTrial } from '@lab/testkit/faults';
import { serve, spread, whole } from './pool.ts';

/** Trials that a worker plays before it takes the next ones. */
const batch = 20;
const actions = ['kill', 'stop', 'disconnect'];

if (!serve(playTrials)) await main();

async function playTrials(trials) {
  const results = [];
  for (const trial of trials) results.push({ trial, violations: await play(trial) });
  return results;
}

async function main() {
  const { values: flags } = parseArgs({
    options: {
      /** Occurrences of a point that are tried, over all scenarios. */
      depth: { type: 'string', default: '4' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const began = performance.now();
  const { points, uncovered, unlisted, trials } = await plan(whole('--depth', flags.depth));
  const table = new Map(
    [...points.keys()].map((point) => [point, Object.fromEntries(actions.map((each) => [each, 0]))]),
  );
  const broken = [];
  const batches = Array.from({ length: Math.ceil(trials.length / batch) }, (_, n) =>
    trials.slice(n * batch, (n + 1) * batch),
  );
  await spread(new URL(import.meta.url), batches, (results) => {
    for (const { trial, violations } of results) {
      table.get(`${trial.side} ${trial.point}`)[trial.action] += 1;
      if (violations.length > 0) broken.push({ trial, violations });
    }
  });
  console.log(`${'point'.padEnd(46)}${actions.map((each) => each.padStart(11)).join('')}`);
  for (const [point, runs] of [...table].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${point.padEnd(46)}${actions.map((each) => String(runs[each]).padStart(11)).join('')}`);
  for (const [point, reason] of Object.entries(exempt)) console.log(`exempt: ${point}: ${reason}`);
  for (const point of uncovered) console.log(`NOT COVERED: ${point}: no scenario reaches it`);
  for (const point of unlisted) console.log(`NOT LISTED: ${point}: it is reached and stands in no list`);
  for (const { trial, violations } of broken) {
    console.log(`\nBROKEN: ${JSON.stringify(trial)}`);
    for (const { invariant, what } of violations) console.log(`  ${invariant}: ${what}`);
    if (flags.verbose) console.log((await simulate(scheduleOfTrial(trial))).lines.join('\n'));
  }
  const covered = points.size - uncovered.length;
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  console.log(
    JSON.stringify({ points: points.size, covered, runs: trials.length, violations: broken.length, seconds }),
  );
  process.exitCode = broken.length + uncovered.length + unlisted.length > 0 ? 1 : 0;
}
