// Compares both scheduling policies by the time that the same runs of the color lab take.
//
//   npm run bench:policies -- [--runs 20] [--alike] [--seed 1] [--jitter 0] [--real]
//
// The first half of the runs are of color_mixing, the others of lightfastness; with --alike all are of color_mixing.
// `svc sim` simulates them on a virtual clock; --real runs them also with all processes and simulated instruments.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fraction, readFlags, toggle, whole } from '../shared/flags.js';
import { inFolder } from '../shared/folder.js';
import { printMachine, printResult, rounded } from '../shared/measure.js';
import { labPackages, svc } from '../shared/paths.js';
import { runColorLab, type Completion, type RunCounts } from './policies/real-lab.js';

const { runs, seed, jitter, alike, real } = readFlags({
  runs: whole(20, { least: 1, most: 200 }),
  alike: toggle,
  seed: whole(1),
  jitter: fraction(0, { most: 0.999 }),
  real: toggle,
});
const [mixing, fading] = alike ? [runs, 0] : [Math.ceil(runs / 2), Math.floor(runs / 2)];
const all: RunCounts = [
  ['color_mixing', mixing],
  ['lightfastness', fading],
];
const counts = all.filter(([, count]) => count > 0);
/** Tasks of the color lab take fractions of a second. Ticks and the frozen window are as short. */
const settings = { seed, resolution: 0.01, frozen_window: 0.5 };

async function simulated(folder: string, policy: string): Promise<Completion> {
  const file = join(folder, `${policy}.yml`);
  const scenario = {
    labs: ['color_lab'],
    protocols: counts.map(([type, iterations]) => ({ type, iterations })),
    scheduler: { type: policy, ...(policy === 'greedy' ? {} : settings) },
    jitter,
    seed,
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(scenario));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [svc, 'sim', file, '--user-dir', labPackages, '--json'],
    { cwd: folder, maxBuffer: 64 * 1_048_576 },
  );
  const { makespan, protocol_runs, tasks } = JSON.parse(stdout) as {
    makespan: number;
    protocol_runs: { end: number }[];
    tasks: { state: string }[];
  };
  return {
    makespan,
    meanCompletion: protocol_runs.reduce((sum, run) => sum + run.end, 0) / protocol_runs.length,
    unfinished: tasks.filter((task) => task.state !== 'completed').length,
  };
}

/** Measures both policies and prints a line for each. @returns their figures */
async function compare(title: string, measure: (policy: string) => Promise<Completion>) {
  const measured = async (policy: string) => {
    const { makespan, meanCompletion, unfinished } = await measure(policy);
    console.log(
      `${title}, ${policy}: ${runs} runs in ${makespan.toFixed(2)} s, each complete after ${meanCompletion.toFixed(2)} s on average`,
    );
    if (unfinished > 0) console.log(`  ${unfinished} tasks did not complete`);
    return { makespan_s: rounded(makespan), mean_completion_s: rounded(meanCompletion), unfinished };
  };
  const greedy = await measured('greedy');
  const cpsat = await measured('cpsat');
  return { greedy, cpsat, ratio: rounded(cpsat.makespan_s / greedy.makespan_s, 3) };
}

printMachine();
await inFolder('policies', async (folder) =>
  printResult({
    runs: Object.fromEntries(counts) as object,
    seed,
    jitter,
    simulated: await compare('simulated', (policy) => simulated(folder, policy)),
    ...(real
      ? {
          real: await compare('real', (policy) =>
            runColorLab(policy, counts, { ...settings, time_limit: 2 }),
          ),
        }
      : {}),
  }),
);
