// Compares what the service costs with what bare processes cost in the same run, and the ratios with their marks.
//
//   npm run bench:guard -- [--only FIGURE,...] [--rounds N] [--beside-load]
//
// Exits with 1 when a ratio is worse than its mark by more than its noise, twice in a row. `--beside-load` keeps one
// processor busy meanwhile.
//
//   npm run bench:guard -- --set-marks "why" [--only FIGURE,...] [--runs N]
//
// Measures in N runs, every second one beside a busy process, and writes the marks. `--without-marks` measures one such run.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { readFlags, someOf, text, toggle, whole } from '../shared/flags.js';
import { machine, printMachine } from '../shared/measure.js';
import { inTools } from '../shared/paths.js';
import { comparisons, requestFigures, warmUp, type Comparison } from './guard/calls.js';
import { figureNames, type Figure } from './guard/figures.js';
import { startBusyProcess, withLaboratory } from './guard/laboratory.js';
import { conclusionsOf, markOf, tableOf, worseOf, type Marks, type Run } from './guard/marks.js';
import { firstPlan, starts } from './guard/processes.js';
import { measured, type Pair } from './guard/statistics.js';

const flags = readFlags({
  only: someOf(figureNames),
  rounds: whole(31, { least: 1, most: 1_000 }),
  'beside-load': toggle,
  'without-marks': toggle,
  'set-marks': text,
  runs: whole(5, { least: 1, most: 100 }),
});
const { only, rounds, 'set-marks': why } = flags;
/** A first plan costs the start of a process, and a start of the stack costs many. */
const planRounds = Math.ceil(rounds / 4);
const startRounds = Math.ceil(rounds / 12);
/** Milliseconds that a group of comparisons takes, unless this is less than the least rounds. */
const longestMs = 80_000;
const leastRounds = 8;
const marksFile = inTools('bench/guard/marks.json');
const checkedIn = JSON.parse(readFileSync(marksFile, 'utf8')) as Marks;
const marks = flags['without-marks'] ? {} : checkedIn;

const isWanted = ({ figures }: Comparison): boolean => figures.some((figure) => only.includes(figure));

/** Measures all comparisons in turn, `count` times, or fewer times on a machine where that takes too long. */
async function play(all: readonly Comparison[], count: number): Promise<Run> {
  const pairs = new Map<Figure, Pair[]>();
  const end = performance.now() + longestMs;
  for (let round = 0; round < count && (round < leastRounds || performance.now() < end); round += 1) {
    for (const comparison of all) {
      for (const [name, pair] of Object.entries(await comparison.round()) as [Figure, Pair][])
        if (only.includes(name)) pairs.set(name, [...(pairs.get(name) ?? []), pair]);
    }
  }
  return Object.fromEntries([...pairs].map(([name, each]) => [name, measured(each)]));
}

/** Measures what is worse than its mark a second time, which counts: one disturbance seldom hits the same figure twice. */
async function playAndCheck(all: readonly Comparison[], count: number): Promise<Run> {
  const first = await play(all, count);
  const worse = worseOf(first, marks);
  if (worse.length === 0) return first;
  console.log(`measuring again: ${worse.join(', ')}`);
  const second = await play(
    all.filter(({ figures }) => figures.some((figure) => worse.includes(figure))),
    count,
  );
  return { ...first, ...Object.fromEntries(worse.map((name) => [name, second[name]])) };
}

const measureAll = (): Promise<Run> =>
  withLaboratory(async (laboratory) => {
    const requests = requestFigures.some((figure) => only.includes(figure))
      ? await laboratory.withService(async (service) => {
          const wanted = comparisons(laboratory.floor, service).filter(isWanted);
          await warmUp(wanted, laboratory.floor, service);
          return playAndCheck(wanted, rounds);
        })
      : {};
    const plans = await playAndCheck([firstPlan].filter(isWanted), planRounds);
    const stacks = await playAndCheck([starts(laboratory)].filter(isWanted), startRounds);
    return { ...requests, ...plans, ...stacks };
  });

async function check(): Promise<void> {
  const stopLoad = flags['beside-load'] ? startBusyProcess() : () => undefined;
  try {
    const run = await measureAll();
    for (const line of tableOf(run, marks)) console.log(line);
    for (const sentence of conclusionsOf(run, marks)) console.log(sentence);
    console.log(JSON.stringify(run));
    if (worseOf(run, marks).length > 0) process.exitCode = 1;
  } finally {
    stopLoad();
  }
}

/** Measures in a process of its own, as the runs that are compared with the marks do. */
async function runOnce(isLoaded: boolean): Promise<Run> {
  const args = ['--without-marks', '--only', only.join(','), '--rounds', String(rounds)];
  if (isLoaded) args.push('--beside-load');
  const { stdout } = await promisify(execFile)(process.execPath, [process.argv[1] ?? '', ...args]);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  console.log(last);
  return JSON.parse(last) as Run;
}

async function setMarks(reason: string): Promise<void> {
  const runs: Run[] = [];
  for (let index = 0; index < flags.runs; index += 1) runs.push(await runOnce(index % 2 === 1));
  const stamp = { date: new Date().toISOString().slice(0, 10), machine: machine(), why: reason };
  const renewed: Marks = {};
  for (const name of figureNames) {
    const ratios = runs.flatMap((run) => run[name]?.ratio ?? []);
    const mark = ratios.length === 0 ? checkedIn[name] : { ...markOf(ratios), ...stamp };
    if (mark === undefined) continue;
    renewed[name] = mark;
    const from = ratios.map((each) => each.toFixed(2)).join(', ');
    if (from !== '') console.log(`${name}: ${mark.ratio} + ${Math.round(mark.noise * 100)} %, from ${from}`);
  }
  writeFileSync(marksFile, `${JSON.stringify(renewed, null, 2)}\n`);
}

printMachine();
await (why === undefined ? check() : setMarks(why));
