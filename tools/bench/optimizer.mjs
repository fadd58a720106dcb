// How near the optimizer comes to published optima, and how long a proposal takes.
//
//   npm run bench:optimizer -- [--problem NAME|all] [--seeds 20] [--csv FOLDER]
//
// A JSON line per problem, a summary last; ends with 1 when a median misses its target. With --csv the initial points of
// every campaign and seed, so that others can begin with the same.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile, rounded } from './harness.mjs';
import { playCampaign, timeProposal } from './optimizer/campaign.mjs';
import { campaigns, latencies } from './optimizer/problems.mjs';

const { values: flags } = parseArgs({
  options: {
    problem: { type: 'string', default: 'all' },
    seeds: { type: 'string', default: '20' },
    csv: { type: 'string' },
  },
});
const names = [...campaigns, ...latencies].map(({ name }) => name);
const seeds = Number(flags.seeds);
const wrong = [
  [
    flags.problem !== 'all' && !names.includes(flags.problem),
    `--problem is all or one of ${names.join(', ')}`,
  ],
  [!Number.isInteger(seeds) || seeds < 1 || seeds > 200, '--seeds is a whole number from 1 to 200'],
].find(([is]) => is);
if (wrong !== undefined) {
  console.error(wrong[1]);
  process.exit(2);
}

const chosen = ({ name }) => flags.problem === 'all' || flags.problem === name;
const each = (work) => Array.from({ length: seeds }, (_, seed) => work(seed));
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

async function writeStarts(name, seed, rows) {
  const keys = Object.keys(rows[0]);
  const lines = [keys.join(','), ...rows.map((row) => keys.map((key) => row[key]).join(','))];
  await mkdir(flags.csv, { recursive: true });
  await writeFile(join(flags.csv, `${name}-${seed}.csv`), `${lines.join('\n')}\n`);
}

/** Median of a campaign that is compared with; played now if it was not yet. */
const medianOf = (name) =>
  (medians[name] ??= quantile(
    each(
      (seed) =>
        playCampaign(
          campaigns.find((campaign) => campaign.name === name),
          seed,
        ).value,
    ),
    0.5,
  ));

const missed = [];
const medians = {};
let lines = 0;
const print = (line, met) => {
  lines += 1;
  if (!met) missed.push(line.problem);
  console.log(JSON.stringify({ ...line, met }));
};

for (const campaign of campaigns.filter(chosen)) {
  const { name, evals, published, target, share, compare } = campaign;
  const found = each((seed) => playCampaign(campaign, seed));
  if (flags.csv !== undefined) {
    for (const [seed, { spread }] of found.entries()) await writeStarts(name, seed, spread);
  }
  const values = found.map(({ value }) => value);
  const median = quantile(values, 0.5);
  medians[name] = median;
  const shared = share && values.filter(share.of).length / seeds;
  const against = compare && medianOf(compare.with);
  const line = {
    problem: name,
    evals,
    seeds,
    median: significant(median),
    q1: significant(quantile(values, 0.25)),
    q3: significant(quantile(values, 0.75)),
    published,
    cpu_ms_per_proposal: rounded(
      quantile(
        found.map(({ cpuMs }) => cpuMs),
        0.5,
      ),
      1,
    ),
    ...(target && { target }),
    ...(share && { [share.name]: rounded(shared) }),
    ...(against && { [`ratio_to_${compare.with}`]: significant(median / against) }),
  };
  const met =
    meets(median, target) &&
    (share === undefined || shared >= share.at_least) &&
    (against === undefined || median / against <= compare.at_most);
  print(line, met);
}

for (const latency of latencies.filter(chosen)) {
  // The first one warms the compiler up, as in a process that has proposed before.
  timeProposal(latency, seeds);
  const seconds = each((seed) => timeProposal(latency, seed));
  const line = {
    problem: latency.name,
    evals: latency.runs,
    seeds,
    median: significant(quantile(seconds, 0.5)),
    q1: significant(quantile(seconds, 0.25)),
    q3: significant(quantile(seconds, 0.75)),
    p95: significant(percentile(seconds, 0.95)),
    published: null,
    target: { at_most: latency.seconds },
  };
  print(line, line.p95 <= latency.seconds);
}

console.log(JSON.stringify({ summary: true, problems: lines, seeds, missed }));
process.exitCode = missed.length === 0 ? 0 : 1;
