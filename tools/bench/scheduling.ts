// Published and generated scheduling instances: what is reached in a given time, beside what is known to be possible.
//
//   npm run bench:scheduling -- --set jsp|fjsp|lab [--seconds S] [--seed N] [--dir FOLDER] [--only NAME,...]
//                               [--engine search|full]
//
// `search` is the search alone, in one thread; `full` has CP-SAT in a process beside it, warm, which may end both with a
// proof. Prints one line of JSON for each instance and last a summary. `ratio_to_greedy` and `ratio_to_reference` are
// geometric means of ours to `greedy` and `lns` of the folder's reference.json (the latter from 100 tasks on); an instance
// that has no entry there is compared with the best of our own list heuristics, the schedule that searches begin with.
//
//   npm run bench:scheduling -- --replan N [--seed N] [--dir FOLDER]
//
// What planning the generated laboratory of N tasks (lab_N_sSEED) costs the orchestrator, in place of the above: for the
// first plan and for one after each of a hundred events, with searches and proofs going on beside it.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkSchedule, construct, isShop, lowerBound, shopLowerBound } from '@lab/scheduling';
import { finish, printMachine, rounded } from './harness.mjs';
import { fullEngine, searchEngine } from './scheduling/engines.ts';
import { readInstances, sets } from './scheduling/instances.ts';
import { measureReplanning } from './scheduling/replan.ts';

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    dir: { type: 'string', default: fileURLToPath(new URL('instances', import.meta.url)) },
    only: { type: 'string' },
    engine: { type: 'string', default: 'search' },
    replan: { type: 'string' },
  },
});
const set = values.replan === undefined ? values.set : 'lab';
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const wrong = [
  [!sets.includes(set), `--set is one of ${sets.join(', ')}`],
  [!(seconds > 0), '--seconds is a number above 0'],
  [!Number.isInteger(seed), '--seed is a whole number'],
  [!['search', 'full'].includes(values.engine), '--engine is search or full'],
].find(([is]) => is);
if (wrong !== undefined) {
  console.error(wrong[1]);
  process.exit(2);
}

const wanted = values.replan === undefined ? values.only?.split(',') : [`lab_${values.replan}_s${seed}`];
const instances = readInstances(values.dir, set).filter(({ name }) => wanted?.includes(name) ?? true);
if (instances.length === 0) {
  console.error(`there is no instance ${wanted?.join(', ') ?? `of the set ${set}`} in ${values.dir}`);
  process.exit(2);
}
if (values.replan !== undefined) {
  printMachine();
  finish(await measureReplanning(instances[0].problem));
  process.exit();
}
const engine = values.engine === 'full' ? await fullEngine() : searchEngine;
try {
  const found = [];
  for (const instance of instances) {
    const { line, ...more } = await measure(instance);
    console.log(JSON.stringify(line));
    found.push({ ...line, ...more });
  }
  console.log(JSON.stringify(summary(found)));
  if (found.some(({ checked }) => !checked)) process.exitCode = 1;
} finally {
  await engine.stop();
}

async function measure({ name, problem, bestKnown, reference }) {
  const begin = performance.now();
  const { schedule, lowerBound: proven } = await engine.solve(problem, seed, seconds * 1000);
  const ms = performance.now() - begin;
  const { objective } = schedule;
  return {
    line: {
      instance: name,
      objective,
      best_known: bestKnown,
      gap_pct: bestKnown === null ? null : rounded((100 * (objective - bestKnown)) / bestKnown, 3),
      lower_bound: Math.max(proven, cheapBound(problem)),
      ms: Math.round(ms),
      checked: checkSchedule(problem, schedule).length === 0,
    },
    tasks: problem.activities.length,
    greedy: reference?.greedy ?? construct(problem).objective,
    lns: reference?.lns ?? null,
  };
}

/** Of the objective, without any search. */
function cheapBound(problem) {
  const bound = lowerBound(problem);
  return isShop(problem) ? Math.max(bound, problem.makespanWeight * shopLowerBound(problem)) : bound;
}

function summary(found) {
  const gaps = found.flatMap(({ gap_pct }) => (gap_pct === null ? [] : [gap_pct]));
  const figures = {
    summary: true,
    set,
    seconds,
    seed,
    mean_gap_pct:
      gaps.length === 0 ? null : rounded(gaps.reduce((sum, each) => sum + each, 0) / gaps.length, 3),
  };
  if (set !== 'lab') return figures;
  const ratios = (of, among = found) =>
    among.flatMap((each) => (each[of] === null ? [] : [each.objective / each[of]]));
  figures.ratio_to_greedy = geometricMean(ratios('greedy'));
  figures.worst_ratio_to_greedy = found.length === 0 ? null : rounded(Math.max(...ratios('greedy')), 4);
  if (ratios('lns').length === 0) return figures;
  const large = found.filter(({ tasks }) => tasks >= 100);
  figures.ratio_to_reference = geometricMean(ratios('lns', large));
  const sizes = [...new Set(found.map(({ tasks }) => tasks))].sort((a, b) => a - b);
  figures.ratio_to_reference_by_tasks = Object.fromEntries(
    sizes.map((size) => {
      const alike = found.filter(({ tasks }) => tasks === size);
      return [size, geometricMean(ratios('lns', alike))];
    }),
  );
  return figures;
}

function geometricMean(numbers) {
  if (numbers.length === 0) return null;
  return rounded(Math.exp(numbers.reduce((sum, each) => sum + Math.log(each), 0) / numbers.length), 4);
}
