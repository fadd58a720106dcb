import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { MemoryLog } from '@lab/actors/testing';
import { checkSchedule, type ExactRequest, type Problem, type Schedule } from '@lab/scheduling';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CpSatChild } from '../../src/solver/cp-sat-child.js';
import { CpSatSolver, type CpSatSolverOptions } from '../../src/solver/cp-sat-solver.js';
import { hintOf, laboratoryProblem } from './laboratory-problem.js';

/**
 * The real solver in real processes. The limits are wide because the machine may be busy. The guide has the figures.
 */

/** The build, because a process runs no TypeScript. */
const program = new URL('../../dist/solver/cp-sat-process.js', import.meta.url);
const patience = { timeout: 60_000, interval: 20 };

let folder: string;
let log: MemoryLog;
const solvers: CpSatSolver[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cp-sat-'));
  log = new MemoryLog();
});

afterEach(async () => {
  await Promise.all(solvers.splice(0).map((solver) => solver.stop()));
  await rm(folder, { recursive: true, force: true });
});

function solverWith(options: Partial<CpSatSolverOptions> = {}): CpSatSolver {
  const solver = new CpSatSolver({ workers: 1, log, program, ...options });
  solvers.push(solver);
  return solver;
}

/** A program that replaces the solver. */
async function standIn(code: string): Promise<URL> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(file, code);
  return pathToFileURL(file);
}

const request = (problem: Problem, more: Partial<ExactRequest> = {}): ExactRequest => ({
  hint: hintOf(problem),
  timeLimitMs: 30_000,
  goal: 'optimum',
  ...more,
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The best objective of all schedules, by trying every start up to the end of the hint. */
function bruteForce(problem: Problem, hint: Schedule): number {
  let best = hint.objective;
  const { activities, runs, makespanWeight } = problem;
  const horizon = Math.max(...hint.ends);
  const starts: number[] = [];
  const ends: number[] = [];
  const units: number[][] = [];
  const place = (index: number): void => {
    const completions = runs.map(() => 0);
    ends.slice(0, index).forEach((end, at) => {
      const { run } = activities[at]!;
      completions[run] = Math.max(completions[run]!, end);
    });
    const objective =
      runs.reduce((sum, { weight }, run) => sum + weight * completions[run]!, 0) +
      makespanWeight * Math.max(0, ...completions);
    if (objective >= best) return;
    if (index === activities.length) {
      if (checkSchedule(problem, { starts, ends, units, objective }).length === 0) best = objective;
      return;
    }
    const { duration, slots, predecessors } = activities[index]!;
    const earliest = Math.max(0, ...predecessors.map(({ activity, minLag }) => ends[activity]! + minLag));
    for (const unit of slots[0]!.units) {
      const takes = slots[0]!.durations?.[slots[0]!.units.indexOf(unit)] ?? duration;
      units[index] = [unit];
      for (let start = earliest; start + takes <= horizon; start += 1) {
        starts[index] = start;
        ends[index] = start + takes;
        place(index + 1);
      }
    }
    for (const list of [starts, ends, units]) list.length = index;
  };
  place(0);
  return best;
}

/** Two runs of two or three short activities on three units, with every feature of a problem. */
function tinyProblem(seed: number): Problem {
  let state = seed * 7_919 + 1;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const activities = [0, 0, 1, 1, 1].map((run, index) => {
    const before = index === 0 || index === 2 ? null : index - 1;
    const pool = [[0], [0, 1], [1, 2], [0, 1, 2]][below(4)]!;
    return {
      run,
      duration: 1 + below(3),
      release: below(3),
      predecessors:
        before === null
          ? []
          : [{ activity: before, minLag: below(2), maxLag: below(3) === 0 ? 1 + below(2) : null }],
      follows: null,
      slots: [
        {
          units: pool,
          ...(below(3) === 0 ? { durations: pool.map(() => 1 + below(3)) } : {}),
          sameAs: null,
          keptUntil: before === null && below(2) === 0 ? [index + 1] : [],
        },
      ],
      fixed: null,
    };
  });
  // An activity that keeps its unit for the next one must leave another unit for it, or be the one that continues.
  const kept = activities.map((activity, index) => {
    const previous = activities[index - 1];
    return previous?.slots[0]!.keptUntil.includes(index) === true
      ? {
          ...activity,
          slots: [
            { units: previous.slots[0]!.units, sameAs: { activity: index - 1, slot: 0 }, keptUntil: [] },
          ],
        }
      : activity;
  });
  return {
    activities: kept,
    units: 3,
    runs: [{ weight: 1 + below(3) }, { weight: below(4) }],
    makespanWeight: below(3),
  };
}

describe('CP-SAT', () => {
  it('finds the optimum of an exhaustive search on problems with every feature', async () => {
    const solver = solverWith();
    const found: number[] = [];
    const best: number[] = [];
    for (let seed = 0; seed < 20; seed += 1) {
      const problem = tinyProblem(seed);
      const asked = request(problem);
      const { status, schedule, lowerBound } = await solver.solve(problem, asked).done;
      expect(status).toBe('optimal');
      expect(checkSchedule(problem, schedule!)).toEqual([]);
      expect(lowerBound).toBe(schedule!.objective);
      found.push(schedule!.objective);
      best.push(bruteForce(problem, asked.hint));
    }
    expect(found).toEqual(best);
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  }, 240_000);

  it('proves plans of 48 tasks', async () => {
    const problem = laboratoryProblem(6);
    const { status, schedule } = await solverWith().solve(problem, request(problem, { timeLimitMs: 60_000 }))
      .done;
    expect(status).toBe('optimal');
    expect(checkSchedule(problem, schedule!)).toEqual([]);
  }, 180_000);

  it('reports how much better a plan of hundreds of tasks can be at most', async () => {
    const problem = laboratoryProblem(30);
    const solver = solverWith();
    const boundWithin = (timeLimitMs: number): ReturnType<CpSatSolver['solve']>['done'] =>
      solver.solve(problem, request(problem, { goal: 'bound', timeLimitMs })).done;
    let found = await boundWithin(3_000);
    // The solver gives way to all other processes, so on a busy machine it may need longer to find any bound.
    for (const limitMs of [30_000, 150_000])
      if (found.lowerBound === null) found = await boundWithin(limitMs);
    const { status, lowerBound } = found;
    expect(['feasible', 'optimal', 'unknown']).toContain(status);
    expect(lowerBound).toBeGreaterThan(0);
    expect(lowerBound).toBeLessThanOrEqual(hintOf(problem).objective);
  }, 240_000);

  it('reports infeasible when a hint claims an objective that no plan can reach', async () => {
    const problem = laboratoryProblem(2);
    const hint = hintOf(problem);
    const wrong = { ...hint, objective: 1 };
    const { status, schedule } = await solverWith().solve(problem, request(problem, { hint: wrong })).done;
    expect([status, schedule]).toEqual(['infeasible', null]);
  }, 120_000);
});

describe('a process of CP-SAT', () => {
  it('gives way to all other processes on a busy machine, with each of its threads', async () => {
    const solver = solverWith();
    const problem = laboratoryProblem(1);
    await solver.solve(problem, request(problem)).done;
    const [pid] = solver.pids();
    const threads = readdirSync(`/proc/${pid}/task`).map(Number);
    expect(threads.length).toBeGreaterThan(1);
    // 19 is the lowest priority.
    const low = Math.min(19, getPriority() + 10);
    expect(threads.map((thread) => getPriority(thread))).toEqual(threads.map(() => low));
  }, 120_000);

  it('is killed in the middle of a solve, and the next solve gets another one', async () => {
    const solver = solverWith();
    const large = laboratoryProblem(60);
    const small = laboratoryProblem(1);
    await solver.solve(small, request(small)).done;
    const ongoing = solver.solve(large, request(large));
    const next = solver.solve(small, request(small));
    await expect.poll(() => solver.pids().length, patience).toBe(1);
    const [pid] = solver.pids();
    ongoing.cancel();
    expect(await ongoing.done).toEqual({ status: 'unknown', schedule: null, lowerBound: null });
    await expect.poll(() => isAlive(pid!), patience).toBe(false);
    expect((await next.done).status).toBe('optimal');
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  }, 180_000);

  it('is replaced when it dies, and only its solve is lost', async () => {
    const solver = solverWith();
    const large = laboratoryProblem(60);
    const small = laboratoryProblem(1);
    const lost = solver.solve(large, request(large));
    const next = solver.solve(small, request(small));
    await expect.poll(() => solver.pids().length, patience).toBe(1);
    process.kill(solver.pids()[0]!, 'SIGKILL');
    expect((await lost.done).status).toBe('unknown');
    expect((await next.done).status).toBe('optimal');
    expect(solver.available).toBe(true);
  }, 180_000);

  it('is killed half a second after it exceeds its limit', async () => {
    const never = `process.on('message', () => { for (;;); }); process.send({ type: 'ready' });`;
    const solver = solverWith({ program: await standIn(never) });
    const problem = laboratoryProblem(1);
    expect((await solver.solve(problem, request(problem, { timeLimitMs: 50 })).done).status).toBe('unknown');
    await expect.poll(() => solver.pids(), patience).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('does not exist when the package is missing, which is reported once and delays nothing', async () => {
    const missing = `import('no-such-package').catch((error) =>
      process.send({ type: 'unavailable', reason: error.message }));`;
    const solver = solverWith({ program: await standIn(missing) });
    const problem = laboratoryProblem(1);
    const both = [solver.solve(problem, request(problem)), solver.solve(problem, request(problem))];
    expect((await Promise.all(both.map(({ done }) => done))).map(({ status }) => status)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect(solver.available).toBe(false);
    expect((await solver.solve(problem, request(problem)).done).status).toBe('unavailable');
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    await expect.poll(() => solver.pids(), patience).toEqual([]);
  });

  it.each([
    ['dies at its start', 'process.exit(3);', 60_000],
    ['is never ready', 'setInterval(() => {}, 1000);', 300],
  ])('that %s three times in a row is not tried again', async (_, code, startLimitMs) => {
    const solver = solverWith({ program: await standIn(code), startLimitMs });
    const problem = laboratoryProblem(1);
    const statuses: string[] = [];
    while (solver.available && statuses.length < 5)
      statuses.push((await solver.solve(problem, request(problem)).done).status);
    expect(statuses).toEqual(['unknown', 'unknown', 'unavailable']);
    expect(log.lines.at(-1)?.message).toMatch(/^CP-SAT cannot be used here/);
  });

  it('ends after an idle time, and when it has grown too large', async () => {
    const problem = laboratoryProblem(1);
    const idle = solverWith({ idleMs: 100 });
    expect((await idle.solve(problem, request(problem)).done).status).toBe('optimal');
    await expect.poll(() => idle.pids(), patience).toEqual([]);
    expect((await idle.solve(problem, request(problem)).done).status).toBe('optimal');

    const large = solverWith({ memoryLimit: 1 });
    expect((await large.solve(problem, request(problem)).done).status).toBe('optimal');
    await expect.poll(() => large.pids(), patience).toEqual([]);
  }, 180_000);

  it('solves one problem while other workers solve others, and all solves end at a stop', async () => {
    const solver = solverWith({ workers: 2 });
    const large = laboratoryProblem(60);
    const ongoing = [1, 2, 3].map(() => solver.solve(large, request(large)));
    await expect.poll(() => solver.pids().length, patience).toBe(2);
    const pids = solver.pids();
    await solver.stop();
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect((await Promise.all(ongoing.map(({ done }) => done))).map(({ status }) => status)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  }, 120_000);

  it('ends with its parent, even when the parent is killed in the middle of a solve', async () => {
    const problem = laboratoryProblem(60);
    const parent = join(folder, 'parent.mjs');
    await writeFile(
      parent,
      `import { CpSatChild } from ${JSON.stringify(new URL('../../dist/solver/cp-sat-child.js', import.meta.url).href)};
       const child = new CpSatChild(new URL(${JSON.stringify(program.href)}), 60_000);
       process.on('message', async ({ problem, request }) => {
         await child.started;
         void child.solve(problem, request, 120_000);
         process.send({ pid: child.pid });
       });
       process.send('listening');`,
    );
    const running = fork(parent, [], { execArgv: [], serialization: 'advanced' });
    try {
      await once(running, 'message');
      running.send({ problem, request: request(problem, { timeLimitMs: 100_000 }) });
      const [{ pid }] = (await once(running, 'message')) as [{ pid: number }];
      expect(isAlive(pid)).toBe(true);
      running.kill('SIGKILL');
      await expect.poll(() => isAlive(pid), patience).toBe(false);
    } finally {
      running.kill('SIGKILL');
    }
  }, 120_000);

  it('gets none of the settings of the service', async () => {
    const told = await standIn(
      `process.send({ type: 'unavailable', reason: Object.keys(process.env).filter((name) => name.startsWith('SVC_')).join() });`,
    );
    process.env['SVC_DATABASE_URL'] = 'postgres://somewhere';
    try {
      const child = new CpSatChild(told, 60_000);
      expect(await child.started).toMatchObject({ ready: false, reason: '' });
      child.kill();
      await child.exited;
    } finally {
      delete process.env['SVC_DATABASE_URL'];
    }
  });
});
