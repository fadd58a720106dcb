// Published and generated scheduling instances: what the searches reach in a given time, beside what is known to be possible.
//
//   npm run bench:scheduling -- --set jsp|fjsp|lab [--seconds S] [--seed N] [--dir FOLDER] [--only NAME,...]
//
// Prints one line of JSON for each instance and last a summary. `ratio_to_greedy` and `ratio_to_reference` are geometric
// means of ours to `greedy` and `lns` of the folder's reference.json; without one, ratio_to_greedy is to `construct`.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as scheduling from '@lab/scheduling';
import { rounded } from './harness.mjs';
import { readInstances, sets } from './scheduling/instances.mjs';

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    dir: { type: 'string', default: fileURLToPath(new URL('instances', import.meta.url)) },
    only: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const wrong = [
  [!sets.includes(values.set), `--set is one of ${sets.join(', ')}`],
  [!(seconds > 0), '--seconds is a number above 0'],
  [!Number.isInteger(seed), '--seed is a whole number'],
].find(([is]) => is);
if (wrong !== undefined) {
  console.error(wrong[1]);
  process.exit(2);
}

const wanted = values.only?.split(',');
const instances = readInstances(values.dir, values.set).filter(({ name }) => wanted?.includes(name) ?? true);
const found = instances.map((instance) => {
  const { line, ...more } = measure(instance);
  console.log(JSON.stringify(line));
  return { ...line, ...more };
});
console.log(JSON.stringify(summary(found)));
if (found.some(({ checked }) => !checked)) process.exitCode = 1;

function measure({ name, problem, bestKnown, reference }) {
  const begin = performance.now();
  const options = { seed, rounds: null, shouldStop: () => performance.now() - begin >= seconds * 1000 };
  const shop = scheduling.isShop(problem);
  const { schedule, optimal } = shop
    ? scheduling.improveShop(problem, options)
    : scheduling.improve(problem, options);
  const ms = performance.now() - begin;
  const { objective } = schedule;
  const bound = shop ? problem.makespanWeight * scheduling.shopLowerBound(problem) : null;
  return {
    line: {
      instance: name,
      objective,
      best_known: bestKnown,
      gap_pct: bestKnown === null ? null : rounded((100 * (objective - bestKnown)) / bestKnown, 3),
      lower_bound: optimal ? objective : bound,
      ms: Math.round(ms),
      checked: scheduling.checkSchedule(problem, schedule).length === 0,
    },
    tasks: problem.activities.length,
    greedy: reference?.greedy ?? (shop ? null : scheduling.construct(problem).objective),
    lns: reference?.lns ?? null,
  };
}

function summary(found) {
  const gaps = found.flatMap(({ gap_pct }) => (gap_pct === null ? [] : [gap_pct]));
  const figures = {
    summary: true,
    set: values.set,
    seconds,
    seed,
    mean_gap_pct:
      gaps.length === 0 ? null : rounded(gaps.reduce((sum, each) => sum + each, 0) / gaps.length, 3),
  };
  if (values.set !== 'lab') return figures;
  const ratios = (of, among = found) =>
    among.flatMap((each) => (each[of] === null ? [] : [each.objective / each[of]]));
  figures.ratio_to_greedy = geometricMean(ratios('greedy'));
  figures.worst_ratio_to_greedy = rounded(Math.max(...ratios('greedy')), 4);
  if (ratios('lns').length === 0) return figures;
  figures.ratio_to_reference = geometricMean(
    ratios(
      'lns',
      found.filter(({ tasks }) => tasks >= 100),
    ),
  );
  const sizes = [...new Set(found.map(({ tasks }) => tasks))].sort((a, b) => a - b);
  figures.ratio_to_reference_by_tasks = Object.fromEntries(
    sizes.map((size) => [
      size,
      geometricMean(
        ratios(
          'lns',
          found.filter(({ tasks }) => tasks === size),
        ),
      ),
    ]),
  );
  return figures;
}

function geometricMean(numbers) {
  if (numbers.length === 0) return null;
  return rounded(Math.exp(numbers.reduce((sum, each) => sum + Math.log(each), 0) / numbers.length), 4);
}
