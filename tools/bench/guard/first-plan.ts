// Plans a laboratory of 100 tasks for the first time in the life of a process, and does a fixed computation. Prints the
// milliseconds of processor time of both as JSON.
import { readFileSync } from 'node:fs';
import { CpsatPolicy } from '@lab/scheduling';
import { createLog } from '@lab/runtime';
import { inTools } from '../../shared/paths.js';
import { readInstances } from '../scheduling/instances.js';
import { Laboratory } from '../scheduling/laboratory.js';

/** A computation with objects, sorting and maps, as planning has. */
function compute(): number {
  let sum = 0;
  for (let round = 0; round < 60; round += 1) {
    const items = Array.from({ length: 2_000 }, (_, index) => ({ key: (index * 7_919) % 2_003, round }));
    items.sort((a, b) => a.key - b.key);
    const byKey = new Map(items.map((item) => [item.key, item]));
    for (const item of items) sum += (byKey.get((item.key * 31) % 2_003)?.key ?? 0) % 7;
  }
  return sum;
}

/** Milliseconds of processor time of this thread, which other work on the machine does not lengthen. */
const processorMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

function spent(work: () => unknown): number {
  const begin = processorMs();
  work();
  return processorMs() - begin;
}

const [instance] = readInstances(inTools('bench/instances'), 'lab').filter(
  ({ name }) => name === 'lab_100_s1',
);
if (instance === undefined) throw new Error('there is no instance lab_100_s1');
const laboratory = new Laboratory(instance.problem);
const ongoing = { done: new Promise<never>(() => undefined), cancel: () => undefined };
const policy = new CpsatPolicy(
  {
    clock: { now: () => laboratory.now },
    searcher: { search: () => ongoing, reproducible: false },
    exact: { solve: () => ongoing, available: true, workers: 1 },
    log: createLog({ service: 'orchestrator', level: 'warn' }),
  },
  { time_limit: 10, seed: 1, resolution: 1, frozen_window: 30 },
);
policy.begin(() => undefined);
const floor = spent(compute);
const ours = spent(() => policy.plan(laboratory.snapshot()));
console.log(JSON.stringify({ ours, floor }));
