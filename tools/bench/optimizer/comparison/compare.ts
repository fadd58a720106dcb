// Puts the optimizers of others beside ours on the same campaigns. tools/bench/peers/README.md says what is compared.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fraction, readFlags, refuse, someOf, text, toggle, whole } from '../../../shared/flags.js';
import { printMachine, printResult } from '../../../shared/measure.js';
import { root } from '../../../shared/paths.js';
import { spread } from '../../../shared/pool.js';
import { installOptimizers } from '../../peers/install.js';
import { peerNames } from '../../peers/optimizers/process.js';
import { comparedProblem, comparedProblems, digestOf } from './all.js';
import type { Piece, Result } from './player.js';
import { endsPlot, tracesPlot } from './plots.js';
import { besideOf, cpuMsOf, linesOf, qualitiesOf, totalsOf, type Played } from './report.js';
import { isShare } from './problem.js';
import { quantile } from './statistics.js';
import { Store, type Key } from './store.js';
import { versionOf } from './version.js';

const {
  peers: asked,
  problems: names,
  seeds,
  'budget-scale': scale,
  'ours-only': isAlone,
  workers,
  label,
  python,
  plots,
  store: path = join(root, '.cache', 'optimizer', 'campaigns.ndjson'),
} = readFlags({
  peers: someOf(['random', ...peerNames]),
  problems: someOf(comparedProblems.map(({ name }) => name)),
  seeds: whole(5, { least: 2, most: 100 }),
  'budget-scale': fraction(1, { least: 0.05, most: 10 }),
  'ours-only': toggle,
  workers: whole(2, { least: 1, most: 8 }),
  label: text,
  python: text,
  plots: text,
  store: text,
});

const peers = isAlone ? [] : asked;
const methods = ['ours', ...peers];
const programs = peers.filter((peer) => peer !== 'random');
const installed =
  programs.length === 0
    ? ''
    : await installOptimizers({ python }).catch((error: Error) => refuse(error.message));

const versions = new Map(methods.map((method) => [method, versionOf(method, label)]));
const problems = names.map((name) => comparedProblem(name, scale));
const store = new Store(path);
const keyOf = (problem: (typeof problems)[number], method: string, seed: number): Key => ({
  ...{ problem: problem.name, method, seed },
  ...{ budget: digestOf(problem), version: versions.get(method) ?? '' },
});

// All problems with the first seed come first, so that a comparison that is stopped early has some of everything.
const pieces = Array.from({ length: seeds }, (_, seed) =>
  problems.flatMap((problem) => methods.map((method) => keyOf(problem, method, seed))),
)
  .flat()
  .filter((key) => store.find(key) === undefined)
  .map((key): Piece => ({ key, scale, installed }));

/** One problem of each kind, for the plot of traces. */
const plotted = [
  'hartmann6',
  'rosenbrock4',
  'hartmann6_noise2',
  'branin_outliers',
  'hartmann6_batch4',
  'direct_arylation',
];

const failures: string[] = [];
let done = 0;
printMachine();
console.error(`${pieces.length} campaigns are to be played; ${path} has the others`);
await spread(
  import.meta.resolve('./player.js'),
  pieces,
  (result: Result) => {
    done += 1;
    const { problem, method, seed } = result.key;
    if ('entry' in result) store.add(result.entry);
    else failures.push(`${problem}, ${method}, seed ${seed}: ${result.error}`);
    if ('error' in result || done % 20 === 0) {
      console.error(`${done} of ${pieces.length}${'error' in result ? `; ${failures.at(-1)}` : ''}`);
    }
  },
  workers,
);

const all = problems.map((compared): Played => {
  const of = (method: string) =>
    Array.from({ length: seeds }, (_, seed) => store.find(keyOf(compared, method, seed)) ?? []).flat();
  return { compared, entries: new Map(methods.map((method) => [method, of(method)])) };
});
for (const played of all) for (const line of linesOf(played, methods)) console.log(line);

const totals = totalsOf(all, peers);
for (const [peer, { win, tie, loss, cannot, open, win_or_tie }] of Object.entries(totals)) {
  console.log(
    `ours beside ${peer}: ${win} wins, ${tie} ties, ${loss} losses; ${cannot} that it cannot play, ${open} open; wins or ties: ${win_or_tie}`,
  );
}
const [first] = peers;
if (plots !== undefined && first !== undefined) {
  writeFileSync(join(plots, 'optimizer-ends.svg'), endsPlot(all, first));
  const shown = all.filter(({ compared }) => !isShare(compared) && plotted.includes(compared.name));
  writeFileSync(join(plots, 'optimizer-traces.svg'), tracesPlot(shown, first));
}
for (const failure of failures) console.log(`failed: ${failure}`);
printResult({
  ...{ seeds, budget_scale: scale, versions: Object.fromEntries(versions), totals, failed: failures.length },
  problems: all.map((played) => ({
    ...{ problem: played.compared.name, group: played.compared.group },
    medians: Object.fromEntries(
      methods.map((method) => {
        const entries = played.entries.get(method) ?? [];
        const median = quantile(qualitiesOf(entries), 0.5);
        return [
          method,
          { median: Number.isFinite(median) ? median : null, ms: Math.round(cpuMsOf(entries)) },
        ];
      }),
    ),
    beside: Object.fromEntries(besideOf(played, peers).map(({ peer, outcome }) => [peer, outcome])),
  })),
});
process.exitCode = failures.length === 0 ? 0 : 1;
