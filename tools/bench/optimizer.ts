// How near the optimizer comes to published optima, and how long a proposal takes.
//
//   npm run bench:optimizer -- [--problem NAME,...|all] [--seeds 20] [--workers 2] [--csv FOLDER]
//
// A JSON line per problem, a summary last; ends with 1 when a median misses its target. With --csv the initial points of
// every campaign and seed, so that others can begin with the same.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile, rounded } from './harness.mjs';
import { campaigns, feasibility, latencies } from './optimizer/campaigns.ts';
import { playAll } from './optimizer/players.ts';

const { values: flags } = parseArgs({
  options: {
    problem: { type: 'string', default: 'all' },
    seeds: { type: 'string', default: '20' },
    workers: { type: 'string', default: '2' },
    csv: { type: 'string' },
  },
});
const problems = [...campaigns, feasibility, ...latencies];
const names = problems.map(({ name }) => name);
const asked = flags.problem === 'all' ? names : flags.problem.split(',');
const [seeds, workers] = [Number(flags.seeds), Number(flags.workers)];
const within = (value, most) => Number.isInteger(value) && value >= 1 && value <= most;
const wrong = [
  [asked.some((name) => !names.includes(name)), `--problem is all or some of ${names.join(',')}`],
  [!within(seeds, 200), '--seeds is a whole number from 1 to 200'],
  [!within(workers, 8), '--workers is a whole number from 1 to 8'],
].find(([is]) => is);
if (wrong !== undefined) {
  console.error(wrong[1]);
  process.exit(2);
}

/** The problems that were asked for, and those that they are compared with. */
const chosen = problems.filter(({ name }) => asked.includes(name));
const played = problems.filter(
  ({ name }) => asked.includes(name) || chosen.some(({ compare }) => compare?.with === name),
);

const significant = (value) => (Number.isFinite(value) ? Number(value.toPrecision(4)) : String(value));
const meets = (value, { at_most = Infinity, at_least = -Infinity } = {}) =>
  value <= at_most && value >= at_least;

/** By linear interpolation between ranks. */
function quantile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = p * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === high ? low : low + (at - Math.floor(at)) * (high - low);
}
const quartiles = (values) => ({
  median: significant(quantile(values, 0.5)),
  q1: significant(quantile(values, 0.25)),
  q3: significant(quantile(values, 0.75)),
});

/** Of a campaign or of random domains. */
function lineOf({ name, evals, domains, published = null, target, share, compare }, results) {
  const values = results.map(({ value }) => value);
  const median = quantile(values, 0.5);
  const shared = share && values.filter(share.of).length / seeds;
  const others = compare && found.get(compare.with).map(({ value }) => value);
  const times = compare && median / quantile(others, 0.5);
  const met =
    meets(median, target) &&
    (share === undefined || shared >= share.at_least) &&
    (compare === undefined || times <= compare.at_most) &&
    (domains === undefined || values.every((value) => value === 0));
  return {
    problem: name,
    evals: evals ?? domains * seeds,
    seeds,
    ...quartiles(values),
    published,
    cpu_ms_per_proposal: rounded(
      quantile(
        results.map(({ cpuMs }) => cpuMs),
        0.5,
      ),
      1,
    ),
    ...(target && { target }),
    ...(share && { [share.name]: rounded(shared) }),
    ...(compare && { [`ratio_to_${compare.with}`]: significant(times) }),
    met,
  };
}

/** Seconds of the processor, which other work on the machine does not lengthen. */
function lineOfLatency({ name, runs, seconds }, results) {
  const cpu = results.map((each) => each.cpu);
  const p95 = percentile(cpu, 0.95);
  return {
    problem: name,
    evals: runs,
    seeds,
    ...quartiles(cpu),
    published: null,
    cpu_ms_per_proposal: rounded(1000 * quantile(cpu, 0.5), 1),
    p95: significant(p95),
    p95_wall: significant(
      percentile(
        results.map((each) => each.wall),
        0.95,
      ),
    ),
    target: { at_most: seconds },
    met: p95 <= seconds,
  };
}

async function writeStarts(name, seed, rows) {
  const keys = Object.keys(rows[0]);
  const lines = [keys.join(','), ...rows.map((row) => keys.map((key) => row[key]).join(','))];
  await mkdir(flags.csv, { recursive: true });
  await writeFile(join(flags.csv, `${name}-${seed}.csv`), `${lines.join('\n')}\n`);
}

const found = new Map(played.map(({ name }) => [name, []]));
const printed = new Map();
const isComplete = (name) => found.get(name).filter(Boolean).length === seeds;

await playAll(
  played.flatMap(({ name }) => Array.from({ length: seeds }, (_, seed) => ({ name, seed }))),
  workers,
  async ({ name, seed, result }) => {
    found.get(name)[seed] = result;
    if (flags.csv !== undefined && result.spread !== undefined) await writeStarts(name, seed, result.spread);
    for (const problem of chosen) {
      const needed = [problem.name, ...(problem.compare ? [problem.compare.with] : [])];
      if (printed.has(problem.name) || !needed.every(isComplete)) continue;
      const results = found.get(problem.name);
      const line = latencies.includes(problem) ? lineOfLatency(problem, results) : lineOf(problem, results);
      printed.set(problem.name, line.met);
      console.log(JSON.stringify(line));
    }
  },
);

const missed = [...printed].flatMap(([name, met]) => (met ? [] : [name]));
console.log(JSON.stringify({ summary: true, problems: printed.size, seeds, missed }));
process.exitCode = missed.length === 0 ? 0 : 1;
