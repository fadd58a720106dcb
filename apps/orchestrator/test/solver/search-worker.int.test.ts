import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryLog } from '@lab/actors/testing';
import { checkSchedule, lowerBound, type Schedule } from '@lab/scheduling';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SearchWorker } from '../../src/solver/search-worker.js';
import { hintOf, laboratoryProblem } from './laboratory-problem.js';

/** The build, because a thread runs no TypeScript. */
const program = new URL('../../dist/solver/search-thread.js', import.meta.url);

let folder: string;
let log: MemoryLog;
let worker: SearchWorker;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'search-'));
  log = new MemoryLog();
  worker = new SearchWorker(log, program);
});

afterEach(async () => {
  await worker.stop();
  await rm(folder, { recursive: true, force: true });
});

const endless = { seed: 1, timeLimitMs: null, rounds: null };

it('the worker reports every better schedule during a search and the best at the end', async () => {
  const problem = laboratoryProblem(30);
  const told: Schedule[] = [];
  const { done } = worker.search(problem, { ...endless, rounds: 2_000 }, (schedule) => told.push(schedule));
  const result = await done;
  expect(checkSchedule(problem, result!.schedule)).toEqual([]);
  expect(result!.schedule.objective).toBeLessThanOrEqual(hintOf(problem).objective);
  const objectives = [...told, result!.schedule].map(({ objective }) => objective);
  expect(objectives).toEqual([...objectives].sort((a, b) => b - a));
  for (const schedule of told) expect(checkSchedule(problem, schedule)).toEqual([]);
});

it('the worker gives way to all other processes on a busy machine', async () => {
  const before = getPriority(process.pid);
  const threads = readdirSync('/proc/self/task');
  await worker.search(laboratoryProblem(12), { ...endless, rounds: 1 }, () => undefined).done;
  const started = readdirSync('/proc/self/task').filter((thread) => !threads.includes(thread));
  // 19 is the lowest priority.
  expect(started.map((thread) => getPriority(Number(thread)))).toContain(Math.min(19, before + 10));
  expect(getPriority(process.pid)).toBe(before);
});

it('the worker finds the same schedule with the same seed and rounds', async () => {
  const problem = laboratoryProblem(12);
  const find = () => worker.search(problem, { ...endless, seed: 7, rounds: 300 }, () => undefined).done;
  expect(await find()).toEqual(await find());
});

it('a cancelled search ends with its best schedule', async () => {
  const problem = laboratoryProblem(60);
  // The thread has started and has read its problem.
  await worker.search(problem, { ...endless, rounds: 1 }, () => undefined).done;
  const took: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    let heard = (): void => undefined;
    const better = new Promise<void>((resolve) => (heard = resolve));
    const { done, cancel } = worker.search(problem, { ...endless, seed: turn }, heard);
    await better;
    const at = performance.now();
    cancel();
    const result = await done;
    took.push(performance.now() - at);
    expect(result?.optimal).toBe(false);
    expect(checkSchedule(problem, result!.schedule)).toEqual([]);
  }
  // 20 ms on an idle machine. The minimum of several measurements removes the load of others.
  expect(Math.min(...took)).toBeLessThan(20);
});

it('a search ends at its time limit, and at a schedule that reaches the lower bound', async () => {
  const problem = laboratoryProblem(30);
  const at = performance.now();
  const limited = await worker.search(problem, { ...endless, timeLimitMs: 200 }, () => undefined).done;
  expect(limited).not.toBeNull();
  expect(performance.now() - at).toBeGreaterThanOrEqual(200);
  // For one unit without releases the bound is the optimum.
  const { activities, ...rest } = laboratoryProblem(5);
  const single = {
    ...rest,
    activities: activities
      .filter((_, index) => index % 8 === 0)
      .map((activity, run) => ({
        ...activity,
        run,
        release: 0,
        slots: [{ units: [0], sameAs: null, keptUntil: [] }],
      })),
  };
  const bound = lowerBound(single);
  const best = await worker.search(single, { ...endless, lowerBound: bound }, () => undefined).done;
  expect(best?.schedule.objective).toBe(bound);
});

it('the worker runs one search after the other and drops one that is cancelled before its turn', async () => {
  const problem = laboratoryProblem(20);
  const first = worker.search(problem, endless, () => undefined);
  const second = worker.search(problem, endless, () => undefined);
  const third = worker.search(problem, { ...endless, rounds: 1 }, () => undefined);
  second.cancel();
  expect(await second.done).toBeNull();
  first.cancel();
  expect(await first.done).not.toBeNull();
  expect(await third.done).not.toBeNull();
});

it('only the running search is lost when its thread dies or fails', async () => {
  const code = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id, seed }) => {
      if (seed === 1) process.exit(1);
      if (seed === 2) throw new Error('broken');
      if (seed === 3) parentPort.postMessage({ type: 'failed', id, reason: 'no such problem' });
      if (seed === 4) parentPort.postMessage({ type: 'done', id, result: { rounds: seed } });
    });`;
  const file = join(folder, 'thread.mjs');
  await writeFile(file, code);
  const frail = new SearchWorker(log, pathToFileURL(file));
  try {
    const search = (seed: number) =>
      frail.search(laboratoryProblem(1), { ...endless, seed }, () => undefined).done;
    expect(await search(1)).toBeNull();
    expect(await search(2)).toBeNull();
    expect(await search(3)).toBeNull();
    expect(await search(4)).toMatchObject({ rounds: 4 });
  } finally {
    await frail.stop();
  }
});

it('a thread that does not react is ended two seconds after a cancel', async () => {
  const file = join(folder, 'thread.mjs');
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads';
     parentPort.on('message', ({ id, seed }) => {
       if (seed === 1) { for (;;); }
       parentPort.postMessage({ type: 'done', id, result: { rounds: seed } });
     });`,
  );
  const deaf = new SearchWorker(log, pathToFileURL(file));
  try {
    const { done, cancel } = deaf.search(laboratoryProblem(1), endless, () => undefined);
    cancel();
    expect(await done).toBeNull();
    expect(log.lines.map(({ level }) => level)).toContain('error');
    const next = deaf.search(laboratoryProblem(1), { ...endless, seed: 2 }, () => undefined);
    expect(await next.done).toMatchObject({ rounds: 2 });
  } finally {
    await deaf.stop();
  }
});

it('the handover of a thousand tasks takes milliseconds of this process', async () => {
  const problem = laboratoryProblem(125);
  const start = hintOf(problem);
  await worker.search(laboratoryProblem(1), { ...endless, rounds: 1 }, () => undefined).done;
  const took: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const at = performance.now();
    const { done, cancel } = worker.search(problem, { ...endless, start }, () => undefined);
    took.push(performance.now() - at);
    cancel();
    await done;
  }
  expect(Math.min(...took)).toBeLessThan(20);
});

it('running and waiting searches are lost at a stop', async () => {
  const first = worker.search(laboratoryProblem(20), endless, () => undefined);
  const second = worker.search(laboratoryProblem(20), endless, () => undefined);
  await worker.stop();
  expect([await first.done, await second.done]).toEqual([null, null]);
  expect(await worker.search(laboratoryProblem(1), endless, () => undefined).done).toBeNull();
});
