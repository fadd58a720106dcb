// Measures what the searches reach in a given time on published and generated scheduling instances.
//
//   npm run bench:scheduling -- --set jsp|fjsp|lab [--seconds S] [--seed N] [--dir FOLDER] [--only NAME,...]
//                               [--engine search|full]
//
// `search` is the search alone, in one thread. `full` has CP-SAT in a warm process beside it, which may end both with a
// proof. Prints one line of JSON for each instance, and last a summary. `ratio_to_greedy` and `ratio_to_reference` are
// geometric means of our objective relative to `greedy` and `lns` in the folder's reference.json (the latter from 100 tasks
// on). An instance without an entry there is compared with the best of our own list heuristics, with which searches begin.
//
//   npm run bench:scheduling -- --replan N [--seed N] [--dir FOLDER]
//
// Measures instead what planning the generated laboratory of N tasks (lab_N_sSEED) costs the orchestrator: the first plan,
// and one plan after each of a hundred events, beside searches and proofs.
import { checkSchedule, construct, isShop, lowerBound, shopLowerBound, type Problem } from '@lab/scheduling';
import { fraction, oneOf, optionalWhole, readFlags, refuse, text, whole } from '../shared/flags.js';
import { printMachine, printResult, rounded } from '../shared/measure.js';
import { inTools } from '../shared/paths.js';
import { fullEngine, searchEngine, type Engine } from './scheduling/engines.js';
import { readInstances, sets, type Instance } from './scheduling/instances.js';
import { measureReplanning } from './scheduling/replan.js';

const flags = readFlags({
  set: oneOf('lab', sets),
  seconds: fraction(5, { least: 0.001 }),
  seed: whole(1),
  dir: text,
  only: text,
  engine: oneOf('search', ['search', 'full'] as const),
  replan: optionalWhole,
});
const { seconds, seed, replan, dir = inTools('bench/instances') } = flags;
const set = replan === undefined ? flags.set : 'lab';

const wanted = replan === undefined ? flags.only?.split(',') : [`lab_${replan}_s${seed}`];
const instances = readInstances(dir, set).filter(({ name }) => wanted?.includes(name) ?? true);
const [first] = instances;
if (first === undefined)
  refuse(`there is no instance ${wanted?.join(', ') ?? `of the set ${set}`} in ${dir}`);
if (replan !== undefined) {
  printMachine();
  printResult(await measureReplanning(first.problem));
  process.exit();
}
const engine: Engine = flags.engine === 'full' ? await fullEngine() : searchEngine;
try {
  const found: Measured[] = [];
  for (const instance of instances) {
    const measured = await measure(instance);
    console.log(JSON.stringify(measured.line));
    found.push(measured);
  }
  printResult(summary(found));
  if (found.some(({ line }) => !line.checked)) process.exitCode = 1;
} finally {
  await engine.stop();
}

interface Measured {
  line: { objective: number; gap_pct: number | null; checked: boolean };
  tasks: number;
  greedy: number;
  lns: number | null;
}

async function measure({ name, problem, bestKnown, reference }: Instance): Promise<Measured> {
  const begin = performance.now();
  const { schedule, lowerBound: proven } = await engine.solve(problem, seed, seconds * 1000);
  const ms = performance.now() - begin;
  const { objective } = schedule;
  return {
    line: {
      ...{ instance: name },
      objective,
      ...{ best_known: bestKnown },
      gap_pct: bestKnown === null ? null : rounded((100 * (objective - bestKnown)) / bestKnown, 3),
      ...{ lower_bound: Math.max(proven, cheapBound(problem)), ms: Math.round(ms) },
      checked: checkSchedule(problem, schedule).length === 0,
    },
    tasks: problem.activities.length,
    greedy: reference?.greedy ?? construct(problem).objective,
    lns: reference?.lns ?? null,
  };
}

/** A lower bound of the objective without any search. */
function cheapBound(problem: Problem): number {
  const bound = lowerBound(problem);
  return isShop(problem) ? Math.max(bound, problem.makespanWeight * shopLowerBound(problem)) : bound;
}

function summary(found: Measured[]): object {
  const gaps = found.flatMap(({ line }) => (line.gap_pct === null ? [] : [line.gap_pct]));
  const figures: Record<string, unknown> = {
    summary: true,
    set,
    seconds,
    seed,
    mean_gap_pct:
      gaps.length === 0 ? null : rounded(gaps.reduce((sum, each) => sum + each, 0) / gaps.length, 3),
  };
  if (set !== 'lab') return figures;
  const ratios = (of: 'greedy' | 'lns', among = found): number[] =>
    among.flatMap((each) => {
      const other = each[of];
      return other === null ? [] : [each.line.objective / other];
    });
  figures['ratio_to_greedy'] = geometricMean(ratios('greedy'));
  figures['worst_ratio_to_greedy'] = found.length === 0 ? null : rounded(Math.max(...ratios('greedy')), 4);
  if (ratios('lns').length === 0) return figures;
  const large = found.filter(({ tasks }) => tasks >= 100);
  figures['ratio_to_reference'] = geometricMean(ratios('lns', large));
  const sizes = [...new Set(found.map(({ tasks }) => tasks))].sort((a, b) => a - b);
  figures['ratio_to_reference_by_tasks'] = Object.fromEntries(
    sizes.map((size) => {
      const alike = found.filter(({ tasks }) => tasks === size);
      return [size, geometricMean(ratios('lns', alike))];
    }),
  );
  return figures;
}

function geometricMean(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null;
  return rounded(Math.exp(numbers.reduce((sum, each) => sum + Math.log(each), 0) / numbers.length), 4);
}
