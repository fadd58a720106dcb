// Puts the optimizers of others beside ours on the same campaigns. tools/bench/peers/README.md says what is compared.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { fraction, readFlags, refuse, someOf, text, toggle, whole } from '../../../shared/flags.js';
import { machine, printMachine, printResult, rounded } from '../../../shared/measure.js';
import { inTools, root } from '../../../shared/paths.js';
import { spread } from '../../../shared/pool.js';
import { installOptimizers } from '../../peers/install.js';
import { pageFile, pageOf } from '../../page/page.js';
import { machineName, readResults, resultsFile, resultsText } from '../../page/results.js';
import { peerNames } from '../../peers/optimizers/process.js';
import { comparedProblem, comparedProblems, digestOf } from './all.js';
import { Kept } from './kept.js';
import type { Piece, Result } from './player.js';
import { endsPlot, tracesPlot, traced } from './plots.js';
import { besideOf, cpuMsOf, enteredLine, linesOf, qualitiesOf, totalsOf, type Played } from './report.js';
import { isShare } from './problem.js';
import { quantile } from './statistics.js';
import { Store, type Entry, type Key } from './store.js';
import { versionOf } from './version.js';

const {
  peers: asked,
  problems: names,
  seeds,
  'budget-scale': scale,
  'ours-only': isAlone,
  'kept-only': playsNoPeer,
  keep: isKeeping,
  enter: isEntering,
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
  'kept-only': toggle,
  keep: toggle,
  enter: toggle,
  workers: whole(2, { least: 1, most: 8 }),
  label: text,
  python: text,
  plots: text,
  store: text,
});

const peers = isAlone ? [] : asked;
// Ours and points at random are not kept.
const methods = isKeeping ? peers.filter((peer) => peer !== 'random') : ['ours', ...peers];
const problems = names.map((name) => comparedProblem(name, scale));

const cached = <T>(make: (name: string) => T): ((name: string) => T) => {
  const known = new Map<string, T>();
  return (name) => {
    const found = known.get(name) ?? make(name);
    known.set(name, found);
    return found;
  };
};
const versionOfMethod = cached((method) => versionOf(method, label));
const digestAt = (factor: number) => cached((name) => digestOf(comparedProblem(name, factor)));
const usualBudgetOf = digestAt(1);
const budgetOf = scale === 1 ? usualBudgetOf : digestAt(scale);
const store = new Store(path);
const kept = new Kept(inTools('bench/optimizer/comparison/kept.ndjson'), {
  budgetOf: (name) => (comparedProblems.some((each) => each.name === name) ? usualBudgetOf(name) : undefined),
  versionOf: (name) => (peerNames.some((each) => each === name) ? versionOfMethod(name) : undefined),
});
for (const { method, campaigns, why } of kept.stale)
  console.error(`${campaigns} kept campaigns of ${method} are ${why}, so they are not used`);
const keep = (): void => kept.write(store.all(), (name) => traced.includes(name));
if (isKeeping) keep();

const keyOf = (problem: string, method: string, seed: number): Key => ({
  ...{ problem, method, seed },
  ...{ budget: budgetOf(problem), version: versionOfMethod(method) },
});
const find = (key: Key): Entry | undefined =>
  (key.method === 'ours' ? undefined : kept.find(key)) ?? store.find(key);

// All problems with the first seed come first, so that a comparison that is stopped early has some of everything.
const missing = Array.from({ length: seeds }, (_, seed) =>
  names.flatMap((problem) => methods.map((method) => keyOf(problem, method, seed))),
)
  .flat()
  .filter((key) => find(key) === undefined)
  .filter(({ method }) => !playsNoPeer || method === 'ours');
const isProgram = ({ method }: Key): boolean => method !== 'ours' && method !== 'random';
const installed = missing.some(isProgram)
  ? await installOptimizers({ python }).catch((error: Error) => refuse(error.message))
  : '';
const pieces = missing.map((key): Piece => ({ key, scale, installed }));

const failures: string[] = [];
let done = 0;
printMachine();
console.error(`${pieces.length} campaigns are to be played`);
await spread(
  import.meta.resolve('./player.js'),
  pieces,
  (result: Result) => {
    done += 1;
    const { problem, method, seed } = result.key;
    if ('entry' in result) {
      store.add(result.entry);
      if (isKeeping) keep();
    } else failures.push(`${problem}, ${method}, seed ${seed}: ${result.error}`);
    if ('error' in result || done % 20 === 0) {
      console.error(`${done} of ${pieces.length}${'error' in result ? `; ${failures.at(-1)}` : ''}`);
    }
  },
  workers,
);

for (const failure of failures) console.log(`failed: ${failure}`);
if (isKeeping) printResult({ kept: kept.summary(), failed: failures.length });
else await printTable();
process.exitCode = failures.length === 0 ? 0 : 1;

async function printTable(): Promise<void> {
  const all = problems.map((compared): Played => {
    const of = (method: string) =>
      Array.from({ length: seeds }, (_, seed) => find(keyOf(compared.name, method, seed)) ?? []).flat();
    return { compared, entries: new Map(methods.map((method) => [method, of(method)])) };
  });
  for (const played of all) for (const line of linesOf(played, methods)) console.log(line);

  const totals = totalsOf(all, peers);
  for (const [peer, { win, tie, loss, cannot, open, win_or_tie }] of Object.entries(totals)) {
    console.log(
      `ours beside ${peer}: ${win} wins, ${tie} ties, ${loss} losses; ${cannot} that it cannot play, ${open} open; wins or ties: ${win_or_tie}`,
    );
  }
  if (isEntering) {
    const results = readResults();
    const other = rounded(loadavg()[0] ?? 0, 0);
    results.comparison = {
      date: new Date().toISOString().slice(0, 10),
      machine: machineName(results, machine()),
      load: `load ${other}`,
      totals,
      lines: all.map((played) => enteredLine(played, peers)),
    };
    writeFileSync(resultsFile, resultsText(results));
    writeFileSync(pageFile, await pageOf(results));
  }
  const [first] = peers;
  if (plots !== undefined && first !== undefined) {
    writeFileSync(join(plots, 'optimizer-ends.svg'), endsPlot(all, first));
    const shown = all.filter(({ compared }) => !isShare(compared) && traced.includes(compared.name));
    writeFileSync(join(plots, 'optimizer-traces.svg'), tracesPlot(shown, first));
  }
  printResult({
    ...{
      seeds,
      budget_scale: scale,
      versions: Object.fromEntries(methods.map((method) => [method, versionOfMethod(method)])),
      totals,
      failed: failures.length,
    },
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
}
