// Writes docs/benchmarks.md from tools/bench/results.json. With `--run rpc,dispatch` or `--run all` it first runs these
// benchmarks, one after the other, and enters what they print. `--times 3` runs each three times and enters the median. Other
// results keep their dates. `--load TEXT` says what else runs on the machine; by default it is the load average before each
// benchmark.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { text as textOf } from 'node:stream/consumers';
import { readFlags, someOf, text, whole } from '../shared/flags.js';
import { machine, rounded } from '../shared/measure.js';
import { inTools } from '../shared/paths.js';
import { pageFile, pageOf } from './page/page.js';
import { machineName, readResults, renewed, resultsFile, resultsText, type Row } from './page/results.js';

const results = readResults();
const tools = results.groups.flatMap(({ run }) => run?.[0] ?? []);
const some = someOf(tools);
const {
  run: chosen,
  times,
  load,
} = readFlags({
  run: { ...some, read: (given) => (given === undefined ? [] : some.read(given)) },
  times: whole(1, { least: 1, most: 9 }),
  load: text,
});

/** Runs a tool and shows what it prints. @returns the JSON in its last line */
async function outputOf(tool: string, args: readonly string[]): Promise<unknown> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [inTools('run.mjs'), `bench/${tool}`, ...args], {
    stdio: [...stdio],
  });
  const [printed] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
  console.log(printed.trimEnd());
  if (child.exitCode !== 0 && child.exitCode !== 1)
    throw new Error(
      `bench/${tool} ended with ${child.exitCode ?? child.signalCode}; its results are not entered`,
    );
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '');
}

for (const group of results.groups) {
  if (group.run === undefined || !chosen.includes(group.run[0])) continue;
  const [tool, ...args] = group.run;
  const before = rounded(loadavg()[0] ?? 0, 0);
  const on: Pick<Row, 'date' | 'machine' | 'load'> = {
    date: new Date().toISOString().slice(0, 10),
    machine: machineName(results, machine()),
    load: load ?? (before < 1 ? 'idle' : `load ${before}`),
  };
  const printed: unknown[] = [];
  while (printed.length < times) printed.push(await outputOf(tool, args));
  group.rows = group.rows.map((row) => renewed(row, printed, on));
  // What is measured stays, whatever becomes of the next benchmark.
  writeFileSync(resultsFile, resultsText(results));
}
writeFileSync(pageFile, await pageOf(results));
