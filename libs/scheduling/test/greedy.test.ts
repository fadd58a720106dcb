import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPlan } from '../src/check-plan.js';
import { GreedyPolicy } from '../src/greedy.js';
import { matchSlots } from '../src/match-slots.js';
import type { Plan, PlanTask, PlanUnit, Snapshot } from '../src/policy.js';

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
const task = (id: string, slots: string[][], more: Partial<PlanTask> = {}): PlanTask => ({
  id,
  run: null,
  priority: 0,
  queuedAt: 0,
  duration: null,
  slots: slots.map((candidates, index) => ({ name: `s${index}`, candidates })),
  ...more,
});
const snapshot = (tasks: PlanTask[], units: PlanUnit[]): Snapshot => ({
  version: 1,
  now: 1000,
  tasks,
  units: new Map(units.map((each) => [each.id, each])),
});
const greedy = new GreedyPolicy();
const started = (plan: Plan) => plan.assignments.map((each) => each.task);

describe('greedy', () => {
  it('starts the task of higher priority first, then the one that waits longer, then by id', () => {
    const pool = [['a']];
    const rank = (tasks: PlanTask[]) => started(greedy.plan(snapshot(tasks, [unit('a')])));
    expect(rank([task('low', pool), task('high', pool, { priority: 1 })])).toEqual(['high']);
    expect(rank([task('late', pool, { queuedAt: 5 }), task('soon', pool, { queuedAt: 4 })])).toEqual([
      'soon',
    ]);
    expect(rank([task('y', pool), task('x', pool)])).toEqual(['x']);
  });

  it('takes the eligible unit that has been free for longest, then the first by name', () => {
    const choose = (units: PlanUnit[]) =>
      greedy.plan(snapshot([task('t', [units.map((each) => each.id)])], units)).assignments[0]?.units['s0'];
    expect(choose([unit('a', { since: 9 }), unit('b', { since: 3 })])).toBe('b');
    expect(choose([unit('b'), unit('a')])).toBe('a');
  });

  it.each([
    ['busy', unit('a', { busy: true })],
    ['unusable', unit('a', { usable: false })],
    ['held by another run', unit('a', { heldBy: 'other' })],
  ])('gives no task a unit that is %s', (_, a) => {
    expect(started(greedy.plan(snapshot([task('t', [['a']], { run: 'mine' })], [a])))).toEqual([]);
  });

  it('gives a task no unit that is reserved for others, and other tasks get it', () => {
    const [mine, theirs] = [task('t', [['a']], { reserved: ['a'] }), task('u', [['a']])];
    expect(started(greedy.plan(snapshot([mine, theirs], [unit('a')])))).toEqual(['u']);
  });

  it('gives a held unit to a task of the run that holds it', () => {
    const plan = greedy.plan(snapshot([task('t', [['a']], { run: 'r' })], [unit('a', { heldBy: 'r' })]));
    expect(started(plan)).toEqual(['t']);
  });

  it('gives a task all of its units or none', () => {
    const tasks = [task('both', [['a'], ['b']], { priority: 1 }), task('one', [['a']])];
    expect(started(greedy.plan(snapshot(tasks, [unit('a'), unit('b', { busy: true })])))).toEqual(['one']);
  });

  it('fills two slots of a small pool even when the first choice of one is the only choice of the other', () => {
    const plan = greedy.plan(snapshot([task('t', [['a', 'b'], ['a']])], [unit('a'), unit('b')]));
    expect(plan.assignments[0]?.units).toEqual({ s0: 'b', s1: 'a' });
  });

  it('makes plans that the checker accepts, starts every task that can start, and is deterministic', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const world = fc.record({
      tasks: fc.array(
        fc.record({
          run: fc.constantFrom(null, 'r', 'q'),
          priority: fc.integer({ min: 0, max: 2 }),
          slots: fc.array(fc.subarray(ids, { minLength: 1 }), { maxLength: 3 }),
        }),
        { maxLength: 6 },
      ),
      units: fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(id),
            busy: fc.boolean(),
            usable: fc.boolean(),
            heldBy: fc.constantFrom(null, null, 'r', 'q'),
            since: fc.nat(3),
          }),
        ),
      ),
    });
    fc.assert(
      fc.property(world, ({ tasks, units }) => {
        const shot = snapshot(
          tasks.map(({ slots, run, priority }, index) => task(`t${index}`, slots, { run, priority })),
          units.map((each) => unit(each.id, each)),
        );
        const plan = greedy.plan(shot);
        expect(checkPlan(shot, plan)).toEqual([]);
        expect(greedy.plan(shot)).toEqual(plan);
        const used = new Set(plan.assignments.flatMap((each) => Object.values(each.units)));
        for (const each of shot.tasks.filter((one) => !started(plan).includes(one.id))) {
          const left = matchSlots(each.slots, (slot) => {
            const isOwn = (id: string) => each.run !== null && shot.units.get(id)?.heldBy === each.run;
            const others = slot.candidates.filter((id) => !isOwn(id));
            return (others.length > 0 ? others : slot.candidates).filter((id) => {
              const found = shot.units.get(id);
              return (
                found !== undefined &&
                !used.has(id) &&
                found.usable &&
                !found.busy &&
                (found.heldBy === null || found.heldBy === each.run)
              );
            });
          });
          expect(left).toBeUndefined();
        }
      }),
    );
  });
});

describe('matching', () => {
  it('finds a filling exactly when an exhaustive search finds one', () => {
    const brute = (slots: string[][], taken: string[] = []): boolean =>
      slots.length === 0 ||
      (slots[0] ?? []).some((id) => !taken.includes(id) && brute(slots.slice(1), [...taken, id]));
    fc.assert(
      fc.property(fc.array(fc.subarray(['a', 'b', 'c', 'd', 'e']), { maxLength: 5 }), (slots) => {
        const found = matchSlots(slots.map((candidates, index) => ({ name: `s${index}`, candidates })));
        expect(found !== undefined).toBe(brute(slots));
        if (found !== undefined) {
          expect(new Set(Object.values(found)).size).toBe(slots.length);
          slots.forEach((candidates, index) => expect(candidates).toContain(found[`s${index}`]));
        }
      }),
    );
  });
});

describe('the checker', () => {
  const shot = snapshot(
    [
      task('t', [['a', 'x']], { run: 'r' }),
      task('u', [['a', 'b', 'c', 'd']]),
      task('v', [['a']], { ready: false }),
      task('r', [['a']], { reserved: ['a'] }),
      task('w', [['a']], { blocked: true }),
      task('l', [['a']], { notBefore: 1001 }),
      task('m', [['a']], { dependencies: [{ task: 't', minLagMs: 0, maxLagMs: null }] }),
      task('k', [['a', 'd']], { run: 'r' }),
    ],
    [
      unit('a'),
      unit('b', { busy: true }),
      unit('c', { usable: false }),
      unit('d', { heldBy: 'r' }),
      unit('e'),
    ],
  );
  const plan = (...assignments: Plan['assignments']): Plan => ({
    assignments,
    timetable: null,
    wakeAt: null,
  });
  const give = (task: string, units: Record<string, string>) => ({ task, units });

  it.each([
    ['unknown_task', plan(give('z', {}))],
    ['unknown_unit', plan(give('t', { s0: 'x' }))],
    ['empty_slot', plan(give('t', {}))],
    ['unknown_slot', plan(give('t', { s0: 'a', s9: 'e' }))],
    ['not_eligible', plan(give('t', { s0: 'e' }))],
    ['busy', plan(give('u', { s0: 'b' }))],
    ['unusable', plan(give('u', { s0: 'c' }))],
    ['held', plan(give('u', { s0: 'd' }))],
    ['reserved', plan(give('r', { s0: 'a' }))],
    ['given_twice', plan(give('t', { s0: 'a' }), give('u', { s0: 'a' }))],
    ['started_twice', plan(give('t', { s0: 'a' }), give('t', { s0: 'a' }))],
    ['not_ready', plan(give('v', { s0: 'a' }))],
    ['not_ready', plan(give('w', { s0: 'a' }))],
    ['not_ready', plan(give('l', { s0: 'a' }))],
    ['not_ready', plan(give('m', { s0: 'a' }))],
    ['kept', plan(give('k', { s0: 'd' }))],
  ])('finds the fault %s', (code, bad) => {
    expect(checkPlan(shot, bad).map((fault) => fault.code)).toContain(code);
  });

  it('accepts a good plan', () => {
    expect(checkPlan(shot, plan(give('t', { s0: 'a' })))).toEqual([]);
  });
});
