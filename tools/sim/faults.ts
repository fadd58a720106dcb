// Plays seeded schedules of faults against the real engine and agents, in memory and on a virtual clock.
import { parseArgs } from 'node:util';
import { addTally, emptyTally, explain, invariants, playSeeds } from '@lab/testkit/faults';
import { serve, spread, whole } from './pool.ts';

/** Seeds that a worker plays before it takes the next ones. */
const batch = 25;
/** Failed seeds that are shrunk and told in full. */
const told = 3;

if (!serve(playSeeds)) await main();

async function main() {
  const { values: flags } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      first: { type: 'string', default: '1' },
      seed: { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const first = whole('--first', flags.first);
  const count = whole('--seeds', flags.seeds);
  const began = performance.now();
  const tally = emptyTally();
  if (flags.seed === undefined) {
    const batches = Array.from({ length: Math.ceil(count / batch) }, (_, n) =>
      Array.from({ length: Math.min(batch, count - n * batch) }, (_, m) => first + n * batch + m),
    );
    await spread(new URL(import.meta.url), batches, (part) => addTally(tally, part));
  } else {
    const seed = whole('--seed', flags.seed);
    addTally(tally, await playSeeds([seed]));
    if (tally.violations === 0 && flags.verbose) console.log((await explain(seed)).lines.join('\n'));
  }
  const failed = tally.failed.toSorted((a, b) => a - b);
  for (const seed of failed.slice(0, told)) tell(seed, await explain(seed), flags.verbose);
  if (failed.length > told) console.log(`\nalso failed: ${failed.slice(told).join(', ')}`);
  const { schedules, violations, per_invariant, events } = tally;
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  console.log(JSON.stringify({ schedules, violations, per_invariant, events, seconds }));
  process.exitCode = violations > 0 ? 1 : 0;
}

function tell(seed, { violations, shrunk, lines }, verbose) {
  console.log(`\nseed ${seed} broke:`);
  for (const { invariant, what } of violations)
    console.log(`  ${invariant} (${invariants[invariant]}): ${what}`);
  console.log(`replay: npm run sim:faults -- --seed ${seed}`);
  console.log('the least that goes wrong in the same way:');
  for (const fault of shrunk.faults) console.log(`  fault ${JSON.stringify(fault)}`);
  for (const act of shrunk.acts) console.log(`  act   ${JSON.stringify(act)}`);
  if (verbose)
    console.log(`  protocols ${JSON.stringify(shrunk.protocols)}\n  tasks ${JSON.stringify(shrunk.tasks)}`);
  console.log('and what happens then, in seconds:');
  for (const line of lines) console.log(`  ${line}`);
}
