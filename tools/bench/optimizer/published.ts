// Measures how near the optimizer comes to published optima, and how long a proposal takes.
//
// Prints one line of JSON for each problem, and last a summary. The exit code is 1 when a median misses its target. --csv
// writes the initial points of every campaign and seed, so that other optimizers can begin with them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFlags, someOf, text, whole } from '../../shared/flags.js';
import { percentile, printResult, rounded } from '../../shared/measure.js';
import { spread } from '../../shared/pool.js';
import { campaigns, feasibility, type Campaign, type Piece, type Played, type Row } from './campaigns.js';

import { latencies, shareOfPeer, type Latency } from './latency.js';

type Feasibility = typeof feasibility;

const problems: (Campaign | Feasibility | Latency)[] = [...campaigns, feasibility, ...latencies];
const { problem, seeds, workers, csv } = readFlags({
  problem: someOf(problems.map(({ name }) => name)),
  seeds: whole(20, { least: 1, most: 200 }),
  workers: whole(2, { least: 1, most: 8 }),
  csv: text,
});

const comparedWith = (each: (typeof problems)[number]): string | undefined =>
  'compare' in each ? each.compare?.with : undefined;
/** The problems of the command line, and those that they are compared with. */
const chosen = problems.filter(({ name }) => problem.includes(name));
const played = problems.filter(
  ({ name }) => problem.includes(name) || chosen.some((each) => comparedWith(each) === name),
);

const significant = (value: number): number | string =>
  Number.isFinite(value) ? Number(value.toPrecision(4)) : String(value);
const meets = (
  value: number,
  { at_most = Infinity, at_least = -Infinity }: Campaign['target'] = {},
): boolean => value <= at_most && value >= at_least;

/** The quantile by linear interpolation between ranks. */
function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = p * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === high ? low : low + (at - Math.floor(at)) * (high - low);
}
const quartiles = (values: readonly number[]) => ({
  median: significant(quantile(values, 0.5)),
  q1: significant(quantile(values, 0.25)),
  q3: significant(quantile(values, 0.75)),
});

/** The line of a problem: fields to print, among them `met`. */
interface Line {
  problem: string;
  met: boolean;
}

/** @param others results of the campaign that this one is compared with */
function lineOf(
  campaign: Partial<Campaign> & { name: string; domains?: number },
  results: Played[],
  others: Played[],
): Line {
  const { name, evals, domains = 0, published = null, target, share, compare } = campaign;
  const values = results.map(({ value = NaN }) => value);
  const median = quantile(values, 0.5);
  const shared = share === undefined ? undefined : values.filter(share.of).length / seeds;
  const otherValues = others.map(({ value = NaN }) => value);
  const times = median / quantile(otherValues, 0.5);
  const cpuMs = results.map((each) => each.cpuMs ?? NaN);
  const met =
    meets(median, target) &&
    (share === undefined || (shared ?? 0) >= share.at_least) &&
    (compare === undefined || times <= compare.at_most) &&
    (evals !== undefined || values.every((value) => value === 0));
  return {
    problem: name,
    ...{ evals: evals ?? domains * seeds, seeds, ...quartiles(values), published },
    ...{ cpu_ms_per_proposal: rounded(quantile(cpuMs, 0.5), 1) },
    ...(target && { target }),
    ...(share && { [share.name]: rounded(shared ?? NaN) }),
    ...(compare && { [`ratio_to_${compare.with}`]: significant(times) }),
    met,
  };
}

/** The processor time decides, because other work on the machine does not lengthen it. */
function lineOfLatency({ name, compared, seconds = Infinity }: Latency, results: Played[]): Line {
  const cpu = results.map((each) => each.cpu ?? NaN);
  const wall = results.map((each) => each.wall ?? NaN);
  const peer = results.flatMap(({ peerCpu }) => (peerCpu === undefined ? [] : [peerCpu]));
  const p95 = percentile(cpu, 0.95);
  const share = quantile(cpu, 0.5) / quantile(peer, 0.5);
  return {
    problem: name,
    ...{ evals: compared.initial, seeds, ...quartiles(cpu), published: null },
    ...{ cpu_ms_per_proposal: rounded(1_000 * quantile(cpu, 0.5), 1) },
    ...{ p50: significant(percentile(cpu, 0.5)), p95: significant(p95) },
    ...{
      p95_wall: significant(percentile(wall, 0.95)),
      ...(Number.isFinite(seconds) && { target: { at_most: seconds } }),
    },
    ...(peer.length > 0 && {
      botorch: { p50: significant(quantile(peer, 0.5)), seeds: peer.length, share: significant(share) },
    }),
    met: p95 <= seconds && !(share > shareOfPeer),
  };
}

async function writeStarts(folder: string, name: string, seed: number, rows: Row[]): Promise<void> {
  const keys = Object.keys(rows[0] ?? {});
  const lines = [keys.join(','), ...rows.map((row) => keys.map((key) => row[key]).join(','))];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}-${seed}.csv`), `${lines.join('\n')}\n`);
}

/** Results by problem and seed. */
const found = new Map(played.map(({ name }) => [name, new Map<number, Played>()]));
const resultsOf = (name: string | undefined): Played[] =>
  [...(found.get(name ?? '') ?? [])].toSorted(([a], [b]) => a - b).map(([, result]) => result);
const printed = new Map<string, boolean>();

await spread(
  import.meta.resolve('./player.js'),
  played.flatMap(({ name }) => Array.from({ length: seeds }, (_, seed) => ({ name, seed }))),
  async ({ name, seed, result }: Piece & { result: Played }) => {
    found.get(name)?.set(seed, result);
    if (csv !== undefined && result.spread !== undefined) await writeStarts(csv, name, seed, result.spread);
    for (const each of chosen) {
      const other = comparedWith(each);
      const results = resultsOf(each.name);
      const others = resultsOf(other);
      const isComplete = results.length === seeds && (other === undefined || others.length === seeds);
      if (printed.has(each.name) || !isComplete) continue;
      const line = 'surrogate' in each ? lineOfLatency(each, results) : lineOf(each, results, others);
      printed.set(each.name, line.met);
      console.log(JSON.stringify(line));
    }
  },
  workers,
);

const missed = [...printed].flatMap(([name, met]) => (met ? [] : [name]));
printResult({ summary: true, problems: printed.size, seeds, missed });
process.exitCode = missed.length === 0 ? 0 : 1;
