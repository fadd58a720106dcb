// The same runs of the color lab under both scheduling policies: how long until all are complete.
//
//   npm run bench:policies -- [--runs 20] [--alike] [--seed 1] [--jitter 0] [--real]
//
// The first half of the runs are of color_mixing, the others of lightfastness; with --alike all are of color_mixing.
// Simulated on a virtual clock by `svc sim`; with --real also with all processes and the simulated instruments.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { finish, printMachine, rounded } from './harness.mjs';
import { runColorLab } from './policies/real-lab.ts';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    alike: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    jitter: { type: 'string', default: '0' },
    real: { type: 'boolean', default: false },
  },
});
const [runs, seed, jitter] = [Number(flags.runs), Number(flags.seed), Number(flags.jitter)];
const wrong = [
  [!Number.isInteger(runs) || runs < 1 || runs > 200, '--runs is a whole number from 1 to 200'],
  [!Number.isInteger(seed) || seed < 0, '--seed is a whole number'],
  [!(jitter >= 0 && jitter < 1), '--jitter is a number from 0, below 1'],
].find(([is]) => is);
if (wrong !== undefined) {
  console.error(wrong[1]);
  process.exit(2);
}

const [mixing, fading] = flags.alike ? [runs, 0] : [Math.ceil(runs / 2), Math.floor(runs / 2)];
/** Protocols and how many runs of each, in the order in which they are submitted. */
const load = Object.entries({ color_mixing: mixing, lightfastness: fading }).filter(([, count]) => count > 0);
const policies = ['greedy', 'cpsat'];
/** Tasks of the color lab take fractions of a second: so do ticks, and the time within which starts stay as they are. */
const settings = { seed, resolution: 0.01, frozen_window: 0.5 };
const svc = fileURLToPath(new URL('../../apps/cli/bin/svc.mjs', import.meta.url));
const packages = fileURLToPath(new URL('../../lab-packages', import.meta.url));

async function simulated(folder, policy) {
  const file = join(folder, `${policy}.yml`);
  const scenario = {
    labs: ['color_lab'],
    protocols: load.map(([type, iterations]) => ({ type, iterations })),
    scheduler: { type: policy, ...(policy === 'greedy' ? {} : settings) },
    jitter,
    seed,
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(scenario));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [svc, 'sim', file, '--user-dir', packages, '--json'],
    { cwd: folder, maxBuffer: 64 * 1_048_576 },
  );
  const { makespan, protocol_runs: records, tasks } = JSON.parse(stdout);
  return {
    makespan,
    meanCompletion: records.reduce((sum, run) => sum + run.end, 0) / records.length,
    unfinished: tasks.filter((task) => task.state !== 'completed').length,
  };
}

/** Measures both policies, prints a line for each, and gives what the last line says of them. */
async function compare(title, measure) {
  const found = {};
  for (const policy of policies) {
    const { makespan, meanCompletion, unfinished } = await measure(policy);
    console.log(
      `${title}, ${policy}: ${runs} runs in ${makespan.toFixed(2)} s, each complete after ${meanCompletion.toFixed(2)} s on average`,
    );
    if (unfinished > 0) console.log(`  ${unfinished} tasks did not complete`);
    found[policy] = { makespan_s: rounded(makespan), mean_completion_s: rounded(meanCompletion), unfinished };
  }
  return { ...found, ratio: rounded(found.cpsat.makespan_s / found.greedy.makespan_s, 3) };
}

printMachine();
const folder = await mkdtemp(join(tmpdir(), 'svc-policies-'));
try {
  finish({
    runs: Object.fromEntries(load),
    seed,
    jitter,
    simulated: await compare('simulated', (policy) => simulated(folder, policy)),
    ...(flags.real
      ? { real: await compare('real', (policy) => runColorLab(policy, load, { ...settings, time_limit: 2 })) }
      : {}),
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
