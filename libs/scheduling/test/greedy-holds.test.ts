import { describe, expect, it } from 'vitest';
import { GreedyPolicy } from '../src/greedy.js';
import type { PlanTask, PlanUnit, RunNeeds, Snapshot } from '../src/policy.js';

const greedy = new GreedyPolicy();
const unit = (id: string, more: Partial<PlanUnit> = {}): PlanUnit => ({
  id,
  kind: 'device',
  busy: false,
  heldBy: null,
  heldFor: [],
  usable: true,
  since: 0,
  ...more,
});
type Slots = Record<string, { from: string[]; keptFor?: string[]; sameAs?: [task: string, slot: string] }>;
const task = (id: string, run: string, slots: Slots, more: Partial<PlanTask> = {}): PlanTask => ({
  id,
  run,
  priority: 0,
  queuedAt: 0,
  duration: null,
  slots: Object.entries(slots).map(([name, { from, keptFor, sameAs }]) => ({
    name,
    candidates: from,
    ...(keptFor && { keptFor }),
    ...(sameAs && { sameAs: { task: sameAs[0], slot: sameAs[1] } }),
  })),
  ...more,
});
const after = (...tasks: string[]) => ({
  dependencies: tasks.map((each) => ({ task: each, minLagMs: 0, maxLagMs: null })),
});
interface World {
  now?: number;
  tasks: PlanTask[];
  units: PlanUnit[];
  needs?: Record<string, RunNeeds>;
}
const snapshot = ({ now = 1_000, tasks, units, needs = {} }: World): Snapshot => ({
  version: 1,
  now,
  tasks,
  units: new Map(units.map((each) => [each.id, each])),
  needs: new Map(Object.entries(needs)),
});
const plan = (world: World) =>
  Object.fromEntries(greedy.plan(snapshot(world)).assignments.map((each) => [each.task, each.units]));

/** A run that keeps `first` while it uses `second`, and then `first` again. */
const crossing = (run: string, first: string[], second: string[]): PlanTask[] => [
  task(`${run}1`, run, { a: { from: first, keptFor: [`${run}2`] } }),
  task(
    `${run}2`,
    run,
    { a: { from: first, sameAs: [`${run}1`, 'a'] }, b: { from: second } },
    after(`${run}1`),
  ),
];
/** The state after the first task of {@link crossing} has ended on `on`, or while it runs there. */
const halfway = (run: string, on: string, second: string[]): RunNeeds => ({
  keeps: [{ unit: on, for: [`${run}2`] }],
  tasks: [task(`${run}2`, run, { a: { from: [on] }, b: { from: second } })],
});
const firstOf = (tasks: PlanTask[]): PlanTask => tasks[0] ?? expect.fail('no task');

describe('greedy with units that runs keep', () => {
  it('starts only one of two runs that would keep units of each other', () => {
    const r = crossing('r', ['x'], ['y']);
    const q = crossing('q', ['y'], ['x']);
    const needs = { r: { keeps: [], tasks: r }, q: { keeps: [], tasks: q } };
    const both = [firstOf(r), firstOf(q)];
    expect(plan({ tasks: both, units: [unit('x'), unit('y')], needs })).toEqual({ q1: { a: 'y' } });
    const second = [{ ...firstOf(r), priority: 1 }, firstOf(q)];
    expect(plan({ tasks: second, units: [unit('x'), unit('y')], needs })).toEqual({ r1: { a: 'x' } });
  });

  it('treats the unit of a running task as kept already', () => {
    const q = crossing('q', ['y'], ['x']);
    const needs = { r: halfway('r', 'x', ['y']), q: { keeps: [], tasks: q } };
    expect(plan({ tasks: [firstOf(q)], units: [unit('x', { busy: true }), unit('y')], needs })).toEqual({});
  });

  it('avoids the least busy unit when only another one is safe', () => {
    const q = crossing('q', ['y', 'z'], ['x']);
    const needs = { r: halfway('r', 'x', ['y']), q: { keeps: [], tasks: q } };
    const units = [unit('x', { heldBy: 'r' }), unit('y'), unit('z', { since: 9 })];
    expect(plan({ tasks: [firstOf(q)], units, needs })).toEqual({ q1: { a: 'z' } });
  });

  it('detects a circle of three', () => {
    const p = crossing('p', ['z'], ['x']);
    const needs = { r: halfway('r', 'x', ['y']), q: halfway('q', 'y', ['z']), p: { keeps: [], tasks: p } };
    const units = [unit('x', { heldBy: 'r' }), unit('y', { heldBy: 'q' }), unit('z')];
    expect(plan({ tasks: [firstOf(p)], units, needs })).toEqual({});
  });

  it('starts tasks that need no kept units, or that return their own', () => {
    const p = crossing('p', ['z'], ['w']);
    const needs = { r: halfway('r', 'x', ['y']), p: { keeps: [], tasks: p } };
    const alone = task('o', 'o', { a: { from: ['y'] } });
    const units = [unit('x', { heldBy: 'r' }), unit('y'), unit('z'), unit('w')];
    expect(Object.keys(plan({ tasks: [firstOf(p), alone], units, needs }))).toEqual(['o', 'p1']);
  });

  it('starts a run that cannot end even alone, because no other run causes that', () => {
    const r = crossing('r', ['x'], ['gone']);
    expect(plan({ tasks: [firstOf(r)], units: [unit('x')], needs: { r: { keeps: [], tasks: r } } })).toEqual({
      r1: { a: 'x' },
    });
  });

  it('lets two deadlocked runs continue with tasks that harm no other run', () => {
    const needs: Record<string, RunNeeds> = {
      r: {
        keeps: [{ unit: 'x', for: ['r2'] }],
        tasks: [task('r0', 'r', { c: { from: ['z'] } }), ...halfway('r', 'x', ['y']).tasks],
      },
      q: halfway('q', 'y', ['x']),
    };
    const units = [unit('x', { heldBy: 'r' }), unit('y', { heldBy: 'q' }), unit('z')];
    expect(plan({ tasks: [task('r0', 'r', { c: { from: ['z'] } })], units, needs })).toEqual({
      r0: { c: 'z' },
    });
  });

  it('reads the same from a complete snapshot', () => {
    const [q1, q2] = crossing('q', ['y'], ['x']);
    const [, r2] = crossing('r', ['x'], ['y']);
    const world = (more: Partial<Snapshot>): Snapshot => ({
      version: 1,
      now: 1_000,
      tasks: [q1, { ...q2, ready: false }, { ...r2, ready: false }] as PlanTask[],
      units: new Map([unit('x', { busy: true }), unit('y')].map((each) => [each.id, each])),
      ...more,
    });
    const running = {
      id: 'r1',
      run: 'r',
      priority: 0,
      startedAt: 0,
      expectedEnd: 2_000,
      units: { a: { unit: 'x', keptFor: ['r2'] } },
    };
    expect(greedy.plan(world({ running: [running] })).assignments).toEqual([]);
    const harmless = { ...running, units: { a: { unit: 'x', keptFor: [] } } };
    expect(greedy.plan(world({ running: [harmless] })).assignments).toEqual([
      { task: 'q1', units: { a: 'y' } },
    ]);
  });

  it('begins no new hold while a run behind a circle has waited for a minute', () => {
    const q = crossing('q', ['y'], ['x']);
    const late = crossing('s', ['v'], ['w']);
    const needs = {
      r: halfway('r', 'x', ['y']),
      q: { keeps: [], tasks: q },
      s: { keeps: [], tasks: late },
    };
    const units = [unit('x', { heldBy: 'r' }), unit('y'), unit('v'), unit('w')];
    const world = (now: number) => ({
      now,
      tasks: [firstOf(q), { ...firstOf(late), queuedAt: 1 }],
      units,
      needs,
    });
    expect(Object.keys(plan(world(59_999)))).toEqual(['s1']);
    expect(plan(world(60_000))).toEqual({});
  });
});

describe('greedy with long waits', () => {
  const small = (id: string, from: string, more: Partial<PlanTask> = {}) =>
    task(id, id, { a: { from: [from] } }, { queuedAt: 70_000, ...more });
  const big = (more: Partial<PlanTask> = {}) =>
    task('big', 'big', { a: { from: ['x'] }, b: { from: ['y'] } }, { queuedAt: 10_000, ...more });

  it('raises a priority by one for every ten minutes', () => {
    const world = (now: number) => ({
      now,
      tasks: [small('old', 'x', { queuedAt: 0 }), small('new', 'x', { queuedAt: now, priority: 1 })],
      units: [unit('x')],
    });
    expect(Object.keys(plan(world(599_999)))).toEqual(['new']);
    expect(Object.keys(plan(world(600_000)))).toEqual(['old']);
  });

  it('starts, among equals, the task with a deadline first', () => {
    const tasks = [
      small('a', 'x', { queuedAt: 1 }),
      small('b', 'x', { queuedAt: 2, notAfter: 9_000 }),
      small('c', 'x', { queuedAt: 3, notAfter: 8_000 }),
    ];
    expect(Object.keys(plan({ tasks, units: [unit('x')] }))).toEqual(['c']);
    const urgent = [...tasks, small('d', 'x', { queuedAt: 4, priority: 1 })];
    expect(Object.keys(plan({ tasks: urgent, units: [unit('x')] }))).toEqual(['d']);
  });

  it('keeps the other units free for a task that has waited a minute for several units', () => {
    const world = (now: number, more: Partial<PlanTask> = {}) => ({
      now,
      tasks: [big(more), small('small', 'y')],
      units: [unit('x', { busy: true }), unit('y')],
    });
    expect(Object.keys(plan(world(69_999)))).toEqual(['small']);
    expect(plan(world(70_000))).toEqual({});
    expect(Object.keys(plan(world(70_000, { priority: -1 })))).toEqual(['small']);
  });

  it('keeps nothing free for a task that no usable unit can serve', () => {
    const units = [unit('x', { usable: false }), unit('y')];
    expect(Object.keys(plan({ now: 90_000, tasks: [big(), small('small', 'y')], units }))).toEqual(['small']);
  });

  it('keeps one unit of a pool free, not all of them', () => {
    const wide = task('big', 'big', { a: { from: ['x'] }, b: { from: ['y', 'z'] } });
    const units = [unit('x', { busy: true }), unit('y'), unit('z')];
    const tasks = [wide, task('small', 'small', { a: { from: ['y', 'z'] } }, { queuedAt: 1 })];
    expect(plan({ now: 90_000, tasks, units })).toEqual({ small: { a: 'z' } });
  });

  it('permits the use, but not a new hold, of units for which a task waits during a hold', () => {
    const keeping = crossing('k', ['y'], ['y2']);
    const needs = {
      r: halfway('r', 'x', ['w']),
      k: { keeps: [], tasks: keeping },
    };
    const units = [unit('x', { heldBy: 'r' }), unit('y'), unit('y2'), unit('w', { busy: true })];
    const world = (last: PlanTask) => ({ now: 90_000, tasks: [big(), last], units, needs });
    expect(Object.keys(plan(world({ ...firstOf(keeping), queuedAt: 70_000 })))).toEqual([]);
    expect(Object.keys(plan(world(small('small', 'y'))))).toEqual(['small']);
  });

  it('keeps nothing from a run for which others wait', () => {
    // `big` waits for x, which r keeps. r must keep y for a while before it releases x.
    const r: RunNeeds = {
      keeps: [{ unit: 'x', for: ['r3'] }],
      tasks: [
        task('r2', 'r', { b: { from: ['y'], keptFor: ['r3'] } }),
        task('r3', 'r', { a: { from: ['x'] }, b: { from: ['y'], sameAs: ['r2', 'b'] } }, after('r2')),
      ],
    };
    const units = [unit('x', { heldBy: 'r' }), unit('y')];
    const tasks = [big(), { ...(r.tasks[0] as PlanTask), queuedAt: 70_000 }];
    expect(plan({ now: 90_000, tasks, units, needs: { r } })).toEqual({ r2: { b: 'y' } });
  });
});
