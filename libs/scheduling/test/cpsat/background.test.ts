import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { started, world } from '../planning.js';
import { randomScenario } from '../random-scenarios.js';
import { at, running, snapshot, task } from '../snapshots.js';
import { World as Laboratory } from '../world.js';
import { checkSchedule } from '../../src/check-schedule.js';
import type { Plan, PlanTask } from '../../src/policy.js';
import type { Problem, Schedule } from '../../src/problem/problem.js';
import { improve } from '../../src/search/improve.js';
import { repair } from '../repair.js';
import type { SearchResult } from '../../src/search/search.js';
import { inlineSearcher } from '../../src/cpsat/inline-searcher.js';
import type { ExactAnswer, ExactSolver, Searcher, SearchRequest } from '../../src/cpsat/ports.js';

describe('the background search', () => {
  /** A search that ends when the test says so, with any schedule. */
  class ManualSearcher implements Searcher {
    readonly reproducible = false;
    readonly searches: {
      problem: Problem;
      request: SearchRequest;
      improve: (schedule: Schedule) => void;
      end: (result: SearchResult | null) => void;
      cancelled: boolean;
    }[] = [];

    search(problem: Problem, request: SearchRequest, improve: (schedule: Schedule) => void) {
      let end: (result: SearchResult | null) => void = () => undefined;
      const done = new Promise<SearchResult | null>((resolve) => (end = resolve));
      const search = { problem, request, improve, end, cancelled: false };
      this.searches.push(search);
      return {
        done,
        cancel: () => {
          search.cancelled = true;
          end(null);
        },
      };
    }
  }

  const going = [running('r', -10, 100, { s0: 'a' })];
  // In the queue x comes first. It takes long, so the other order is better.
  const tasks = [
    task('x', 100, [['a']], { queuedAt: at(-2) }),
    ...['u', 'v', 'w'].map((id) => task(id, 10, [['a']], { queuedAt: at(-1) })),
  ];
  const settled = { frozen_window: 0 };
  /** Tasks in the order of their planned starts. */
  const orderOf = (plan: Plan): string[] =>
    [...(plan.timetable?.tasks ?? [])].sort((a, b) => a.start - b.start).map((each) => each.task);
  /** The order in which x comes before the others. A list heuristic would not choose it. */
  const worst = (searcher: ManualSearcher): Schedule => {
    const search = searcher.searches.at(-1);
    if (search === undefined) throw new Error('nothing is searched for');
    return repair(search.problem, { starts: search.problem.activities.map((_, index) => index) });
  };

  it('replaces the plan only by a better one', async () => {
    const searcher = new ManualSearcher();
    const { policy, plan, asked } = world({ searcher }, settled);
    const before = plan(snapshot(0, ['a'], tasks, going));
    const [search] = searcher.searches;
    expect(search?.request.start?.objective).toBeGreaterThan(0);
    search?.improve({ ...worst(searcher), objective: 0 });
    expect(asked()).toBe(1);
    const same = plan(snapshot(1, ['a'], tasks, going));
    expect(same.timetable).toEqual(before.timetable);
    await policy.stop();
    expect(search?.cancelled).toBe(true);
  });

  it('inserts the found order into the state of the laboratory at that moment', async () => {
    const searcher = new ManualSearcher();
    const { policy, plan } = world({ searcher }, settled);
    // Two units for all tasks, and priorities with which the plan of a list can be improved.
    const shot = (now: number, more: Partial<PlanTask>[] = []) =>
      snapshot(
        now,
        ['a', 'b'],
        [...lpt, ...more.map((each, index) => task(`new${index}`, 1, [['a', 'b']], each))],
        [running('r', -10, 50, { s0: 'a' }), running('q', -10, 50, { s0: 'b' })],
      );
    const lpt = [3, 3, 2, 2, 2].map((seconds, index) =>
      task(`t${index}`, seconds * 60, [['a', 'b']], { run: 'one', priority: 0 }),
    );
    const before = plan(shot(0));
    const [search] = searcher.searches;
    const best = improve(search!.problem, { seed: 1, rounds: 300, shouldStop: () => false }).schedule;
    search!.improve(best);
    const made = plan(shot(0.2, [{ queuedAt: at(0.2) }]));
    expect(orderOf(made)).toContain('new0');
    expect(made.timetable!.quality.makespan).toBeLessThanOrEqual(before.timetable!.quality.makespan + 1);
    await policy.stop();
  });

  it('keeps its result when another change came first', async () => {
    const searcher = new ManualSearcher();
    const { policy, plan } = world({ searcher }, settled);
    const shot = (now: number, end: number) =>
      snapshot(
        now,
        ['a', 'b'],
        [3, 3, 2, 2, 2].map((minutes, index) =>
          task(`t${index}`, minutes * 60, [['a', 'b']], { run: 'one' }),
        ),
        [running('r', -10, end, { s0: 'a' }), running('q', -10, 50, { s0: 'b' })],
      );
    const before = plan(shot(0, 50));
    expect(before.timetable?.quality.makespan).toBe(470);
    const [search] = searcher.searches;
    search!.improve(improve(search!.problem, { seed: 1, rounds: 300, shouldStop: () => false }).schedule);
    const { provenance, quality } = plan(shot(1, 51)).timetable ?? {};
    expect([provenance?.engine, quality?.makespan]).toEqual(['search', 410]);
    await policy.stop();
  });

  it('delivers its results only at intervals where planning takes long', async () => {
    let now = at(0);
    const searcher = new ManualSearcher();
    const slow: Searcher = {
      reproducible: false,
      search: (...args) => {
        now += 200;
        return searcher.search(...args);
      },
    };
    const { policy, plan, asked } = world({ searcher: slow, clock: { now: () => now } }, settled);
    plan(snapshot(0, ['a'], tasks, going));
    const found = (objective: number): void =>
      searcher.searches[0]?.improve({ ...worst(searcher), objective });
    found(3);
    now += 9 * 200 - 1;
    found(2);
    expect(asked()).toBe(0);
    now += 1;
    found(1);
    expect(asked()).toBe(1);
    await policy.stop();
  });

  it('does not restart because an overdue task continues', async () => {
    const searcher = new ManualSearcher();
    const { policy, plan } = world({ searcher }, settled);
    const shot = (now: number) =>
      snapshot(now, ['a'], tasks, [running('r', -10, Math.max(10, now), { s0: 'a' })]);
    plan(shot(0));
    plan(shot(10));
    const { length } = searcher.searches;
    for (const now of [10.3, 10.6, 10.9]) expect(started(plan(shot(now)))).toEqual([]);
    expect(searcher.searches).toHaveLength(length);
    expect(started(plan(snapshot(11, ['a'], tasks)))).toHaveLength(1);
    await policy.stop();
  });

  it('continues for a moment after a change, and then restarts from the current plan', async () => {
    const searcher = new ManualSearcher();
    const { policy, plan } = world({ searcher }, settled);
    plan(snapshot(0, ['a'], tasks, going));
    plan(snapshot(0.1, ['a'], tasks.slice(1), going));
    expect(searcher.searches).toHaveLength(1);
    searcher.searches[0]?.end(null);
    await expect.poll(() => searcher.searches).toHaveLength(2);
    expect(searcher.searches[1]?.problem.activities).toHaveLength(4);
    plan(snapshot(1, ['a'], tasks.slice(2), going));
    expect(searcher.searches[1]?.cancelled).toBe(true);
    expect(searcher.searches).toHaveLength(3);
    await policy.stop();
  });

  it('reports dead or impossible searches once, and planning continues', async () => {
    const dying: Searcher = {
      reproducible: false,
      search: () => ({ done: Promise.resolve(null), cancel: () => undefined }),
    };
    const first = world({ searcher: dying });
    expect(started(first.plan(snapshot(0, ['a', 'b'], tasks)))).toHaveLength(1);
    await Promise.resolve();
    expect(started(first.plan(snapshot(1, ['a', 'b'], tasks.slice(1))))).toHaveLength(1);
    await first.policy.stop();
    expect(first.said).toHaveLength(1);

    const broken: Searcher = {
      reproducible: false,
      search: () => {
        throw new Error('no threads left');
      },
    };
    const second = world({ searcher: broken });
    expect(started(second.plan(snapshot(0, ['a', 'b'], tasks)))).toHaveLength(1);
    expect(second.said.join()).toContain('no threads left');
    await second.policy.stop();
  });

  /** Answers at once. */
  const exactly = (
    answer: (problem: Problem, hint: Schedule) => Partial<ExactAnswer>,
    available = true,
  ): ExactSolver => ({
    available,
    workers: 1,
    solve: (problem, { hint }) => ({
      done: Promise.resolve({
        status: 'optimal',
        schedule: null,
        lowerBound: null,
        ...answer(problem, hint),
      }),
      cancel: () => undefined,
    }),
  });

  it('shows the best possible quality of a plan, which stays valid while time passes', async () => {
    const exact = exactly((_, hint) => ({ schedule: hint, lowerBound: hint.objective }));
    const { policy, plan, asked } = world({ exact, searcher: null });
    expect(plan(snapshot(0, ['a'], tasks, going)).timetable?.quality.lowerBound).toBeNull();
    await expect.poll(() => asked()).toBe(1);
    const { quality } = plan(snapshot(1, ['a'], tasks, going)).timetable ?? {};
    expect(quality?.gap).toBe(0);
    expect(quality?.lowerBound).toBe(quality?.objective);
    expect(plan(snapshot(2, ['a'], tasks.slice(1), going)).timetable?.quality.lowerBound).toBeNull();
    await policy.stop();
  });

  it('uses the bound from the end of a search until a higher one is proven', async () => {
    for (const [proven, expected] of [
      [90, 100],
      [150, 150],
    ] as const) {
      const searcher = new ManualSearcher();
      let answer: () => void = () => undefined;
      const exact: ExactSolver = {
        available: true,
        workers: 1,
        solve: () => ({
          done: new Promise((resolve) => {
            answer = () => resolve({ status: 'unknown', schedule: null, lowerBound: proven });
          }),
          cancel: () => undefined,
        }),
      };
      const { policy, plan } = world({ exact, searcher }, settled);
      // Ticks of 0.1 s: the bound of the searcher is 10 s of weight 1.
      const bound = (): number | null | undefined =>
        plan(snapshot(0, ['a'], tasks, going)).timetable?.quality.lowerBound;
      expect(bound()).toBeNull();
      const [search] = searcher.searches;
      const start = search?.request.start;
      if (start === undefined) throw new Error('nothing is searched for');
      search?.end({ schedule: start, rounds: 1, optimal: false, lowerBound: 100 });
      await expect.poll(() => bound()).toBe(10);
      answer();
      await new Promise((resolve) => setImmediate(resolve));
      expect(bound()).toBe(expected / 10);
      await policy.stop();
    }
  });

  it('adds up the bounds of independent parts', async () => {
    const parts: number[] = [];
    const exact = exactly((problem) => {
      parts.push(problem.activities.length);
      return { status: 'unknown', lowerBound: 7 };
    });
    const { policy, plan, asked } = world({ exact, searcher: null });
    const shot = (now: number) =>
      snapshot(
        now,
        ['a', 'b'],
        [...tasks, task('y', 5, [['b']])],
        [...going, running('q', 0, 9, { s0: 'b' })],
      );
    plan(shot(0));
    await expect.poll(() => asked()).toBe(1);
    expect(parts.sort()).toEqual([2, 5]);
    expect(plan(shot(0)).timetable?.quality.lowerBound).toBeCloseTo(1.4);
    await policy.stop();
  });

  it('gives the exact solver a valid schedule, whatever a search has found', async () => {
    const searcher = new ManualSearcher();
    const hints: Schedule[] = [];
    const exact = exactly((_, hint) => {
      hints.push(hint);
      return { status: 'unknown' };
    });
    const { policy, plan } = world({ exact, searcher }, settled);
    plan(snapshot(0, ['a'], tasks, going));
    const [search] = searcher.searches;
    const start = search?.request.start ?? expect.fail('nothing is searched for');
    const leavesOneOut = { ...start, units: start.units.map((units, index) => (index === 4 ? [] : units)) };
    search?.end({ schedule: { ...leavesOneOut, objective: 0 }, rounds: 1, optimal: false });
    await expect.poll(() => hints).toEqual([start]);
    await policy.stop();
  });

  it('gives the exact solver only valid schedules of random laboratories', { timeout: 120_000 }, async () => {
    let given = 0;
    const exact = exactly((problem, hint) => {
      given += 1;
      expect(checkSchedule(problem, hint)).toEqual([]);
      return { status: 'unknown' };
    });
    await fc.assert(
      fc.asyncProperty(
        fc.boolean().chain((calm) => randomScenario({ jobs: 5, calm })),
        async (scenario) => {
          const clock = { now: () => laboratory.now };
          const { policy, said } = world({ exact, clock, searcher: inlineSearcher({ rounds: 10 }) });
          const laboratory: Laboratory = new Laboratory(policy, scenario, {});
          await laboratory.run();
          expect(said).toEqual([]);
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
    expect(given).toBeGreaterThan(0);
  });

  it.each([
    ['is not there', exactly(() => ({}), false)],
    ['turns out not to be there', exactly(() => ({ status: 'unavailable' }))],
    ['knows nothing', exactly(() => ({ status: 'unknown' }))],
    [
      'breaks down',
      exactly(() => {
        throw new Error('broken');
      }),
    ],
  ])('continues without an exact solver that %s', async (_, exact) => {
    const { policy, plan } = world({ exact });
    expect(started(plan(snapshot(0, ['a'], tasks)))).toHaveLength(1);
    await policy.stop();
    expect(started(plan(snapshot(1, ['a'], tasks)))).toHaveLength(1);
  });
});
