// Plays seeded schedules of faults against the real engine and agents, in memory and on a virtual clock.
import {
  addTally,
  emptyTally,
  explain,
  invariants,
  playSeeds,
  type Report,
  type Tally,
} from '@lab/testkit/faults';
import { optionalWhole, readFlags, toggle, whole } from '../shared/flags.js';
import { printResult, rounded } from '../shared/measure.js';
import { inBatches, serve, spread } from '../shared/pool.js';

/** Seeds that a worker plays before it takes the next ones. */
const batch = 25;
/** Failed seeds that are shrunk and printed in full. */
const mostExplained = 3;

if (!serve(playSeeds)) await main();

async function main(): Promise<void> {
  const flags = readFlags({ seeds: whole(1_000), first: whole(1), seed: optionalWhole, verbose: toggle });
  const began = performance.now();
  const tally = emptyTally();
  if (flags.seed === undefined) {
    const seeds = Array.from({ length: flags.seeds }, (_, n) => flags.first + n);
    await spread(import.meta.url, inBatches(seeds, batch), (part: Tally) => addTally(tally, part));
  } else {
    addTally(tally, await playSeeds([flags.seed]));
    if (tally.violations === 0 && flags.verbose) console.log((await explain(flags.seed)).lines.join('\n'));
  }
  const failed = tally.failed.toSorted((a, b) => a - b);
  for (const seed of failed.slice(0, mostExplained)) print(seed, await explain(seed), flags.verbose);
  if (failed.length > mostExplained)
    console.log(`\nfurther failed seeds: ${failed.slice(mostExplained).join(', ')}`);
  const { schedules, violations, per_invariant, events } = tally;
  const seconds = rounded((performance.now() - began) / 1_000, 1);
  printResult({ schedules, violations, per_invariant, events, seconds });
  process.exitCode = violations > 0 ? 1 : 0;
}

function print(seed: number, { violations, shrunk, lines }: Report, verbose: boolean): void {
  console.log(`\nseed ${seed} violates:`);
  for (const { invariant, what } of violations)
    console.log(`  ${invariant} (${invariants[invariant]}): ${what}`);
  console.log(`replay: npm run sim:faults -- --seed ${seed}`);
  console.log('the smallest schedule that fails in the same way:');
  for (const fault of shrunk.faults) console.log(`  fault ${JSON.stringify(fault)}`);
  for (const act of shrunk.acts) console.log(`  act   ${JSON.stringify(act)}`);
  if (verbose)
    console.log(`  protocols ${JSON.stringify(shrunk.protocols)}\n  tasks ${JSON.stringify(shrunk.tasks)}`);
  console.log('its events, with times in seconds:');
  for (const line of lines) console.log(`  ${line}`);
}
