import { describe, expect, it } from 'vitest';
import { started, startOf, unitsOf, whyNot, world } from '../planning.js';
import { after, at, running, snapshot, task, unit } from '../snapshots.js';
import { GreedyPolicy } from '../../src/greedy.js';
import type { PlanTask } from '../../src/policy.js';

describe('the plan of cpsat', () => {
  it('gives a unit to one task at a time and names the start of the other', () => {
    const { plan } = world();
    const made = plan(snapshot(0, ['a'], [task('x', 10, [['a']]), task('y', 20, [['a']])]));
    expect(started(made)).toEqual(['x']);
    expect(startOf(made, 'y')).toBe(10);
    expect(made.wakeAt).toBe(at(10));
  });

  it('starts the task with more weight first, with any whole numbers as priorities', () => {
    for (const [low, high] of [
      [-5, -1],
      [0, 1_000_000],
    ] as const) {
      const tasks = [
        task('low', 10, [['a']], { priority: low }),
        task('high', 10, [['a']], { priority: high, run: 'r' }),
      ];
      expect(started(world().plan(snapshot(0, ['a'], tasks)))).toEqual(['high']);
    }
  });

  it('omits broken units and the tasks that need them, with the reason', () => {
    const { plan } = world();
    const made = plan(
      snapshot(
        0,
        [unit('a', { usable: false }), 'b'],
        [
          task('x', 10, [['a']], { run: 'r' }),
          task('then', 5, [['b']], { run: 'r', ...after('x') }),
          task('pool', 5, [['a', 'b']]),
          task('blocked', 5, [['b']], { blocked: true }),
        ],
      ),
    );
    expect(unitsOf(made, 'pool')).toEqual({ s0: 'b' });
    expect(started(made)).toEqual(['pool']);
    expect(whyNot(made, 'x')).toContain('s0');
    expect(whyNot(made, 'then')).toContain('x');
    expect(whyNot(made, 'blocked')).toContain('nobody knows');
  });

  it('respects dependencies, lags and releases', () => {
    const made = world().plan(
      snapshot(
        0,
        ['a', 'b'],
        [
          task('first', 10, [['a']], { run: 'r' }),
          task('second', 10, [['a']], {
            run: 'r',
            ready: false,
            dependencies: [{ task: 'first', minLagMs: 5_000, maxLagMs: 8_000 }],
          }),
          task('released', 10, [['b']], { ready: false, notBefore: at(7.05) }),
        ],
      ),
    );
    expect(started(made)).toEqual(['first']);
    expect(startOf(made, 'second')).toBe(15);
    expect(startOf(made, 'released')).toBe(7.1);
  });

  it('keeps the units of a running task until its expected end, and keeps its place', () => {
    const made = world().plan(
      snapshot(
        5,
        ['a', 'b'],
        [task('x', 10, [['a']]), task('y', 10, [['a', 'b']])],
        [running('z', 0, 20, { s0: 'a' })],
      ),
    );
    expect(started(made)).toEqual(['y']);
    expect(unitsOf(made, 'y')).toEqual({ s0: 'b' });
    expect(startOf(made, 'x')).toBe(20);
    expect(made.timetable?.tasks.find((each) => each.task === 'z')).toEqual({
      task: 'z',
      start: at(0),
      end: at(20),
      units: { s0: 'a' },
    });
    expect(made.wakeAt).toBe(at(15));
  });

  it('does not use a unit that is occupied for an unknown time', () => {
    const made = world().plan(snapshot(0, [unit('a', { busy: true })], [task('x', 10, [['a']])]));
    expect(started(made)).toEqual([]);
    expect(whyNot(made, 'x')).toContain('s0');
  });

  it('treats an unknown duration as a short one', () => {
    const made = world().plan(snapshot(0, ['a'], [task('x', null, [['a']]), task('y', 2, [['a']])]));
    expect(started(made)).toEqual(['x']);
  });
});

describe('a unit that a run keeps', () => {
  const holder = task('take', 10, [{ candidates: ['a', 'b'], keptFor: ['use'] }], { run: 'r' });
  const use = task('use', 10, [{ candidates: ['a', 'b'], sameAs: { task: 'take', slot: 's0' } }], {
    run: 'r',
    ...after('take', 'other'),
  });
  const other = task('other', 30, [['c']], { run: 'r' });

  it('is kept from the start of the holder to the end of the last reference', () => {
    const made = world().plan(
      snapshot(
        0,
        ['a', 'b', 'c'],
        [
          holder,
          other,
          use,
          task('x', 10, [['a', 'b']], { priority: -1 }),
          task('y', 10, [['a', 'b']], { priority: -1 }),
        ],
      ),
    );
    expect(startOf(made, 'use')).toBe(30);
    const placeOf = (id: string) => made.timetable?.tasks.find((each) => each.task === id);
    const kept = placeOf('take')?.units['s0'];
    expect(placeOf('use')?.units).toEqual({ s0: kept });
    for (const id of ['x', 'y']) {
      const { start = 0, end = 0, units = {} } = placeOf(id) ?? {};
      const apart = end <= (placeOf('take')?.start ?? 0) || start >= at(40);
      expect(units['s0'] !== kept || apart).toBe(true);
    }
  });

  it('stays kept after the holder has ended, also in new plans', () => {
    const waiting = [{ ...other }, { ...use, slots: [{ name: 's0', candidates: ['a'] }], ...after('other') }];
    const shot = snapshot(
      12,
      [unit('a', { heldBy: 'r', heldFor: ['use'] }), 'c'],
      [...waiting.slice(1), task('x', 5, [['a']], { priority: 9 })],
      [running('other', 0, 30, { s0: 'c' }, { run: 'r' })],
    );
    for (const { plan } of [world(), world()]) {
      const made = plan(shot);
      expect(started(made)).toEqual([]);
      expect(startOf(made, 'use')).toBe(30);
      expect(startOf(made, 'x')).toBe(40);
    }
  });

  it('goes to no other task while it is kept for an unplannable one, and such a hold does not begin', () => {
    const made = world().plan(
      snapshot(
        0,
        [unit('a', { heldBy: 'q', heldFor: ['lost'] }), 'b', unit('c', { usable: false })],
        [
          task('lost', 5, [['c']], { run: 'q' }),
          task('x', 5, [['a']]),
          task('keep', 5, [{ candidates: ['b'], keptFor: ['keeper'] }], { run: 'p' }),
          task('keeper', 5, [['c'], ['b']], { run: 'p', ...after('keep') }),
        ],
      ),
    );
    expect(started(made)).toEqual([]);
    for (const id of ['lost', 'x', 'keep', 'keeper']) expect(whyNot(made, id)).toBeDefined();
  });

  it('does not lead to a deadlock of two runs', () => {
    const run = (name: string, first: string, second: string) => [
      task(`${name}1`, 5, [{ candidates: [first], keptFor: [`${name}3`] }], { run: name }),
      task(`${name}2`, 5, [[second]], { run: name, ...after(`${name}1`) }),
      task(`${name}3`, 5, [[first]], { run: name, ...after(`${name}2`) }),
    ];
    const made = world().plan(snapshot(0, ['a', 'b'], [...run('p', 'a', 'b'), ...run('q', 'b', 'a')]));
    expect(started(made)).toHaveLength(1);
    expect(made.timetable?.unplanned).toEqual([]);
  });

  it('leads to a report of tasks without a place in a deadlock, and the other tasks start', () => {
    const { plan, said } = world();
    const made = plan(
      snapshot(
        0,
        [unit('a', { heldBy: 'p', heldFor: ['p2'] }), unit('b', { heldBy: 'q', heldFor: ['q2'] }), 'c'],
        [
          task('p2', 5, [['a'], ['b']], { run: 'p' }),
          task('q2', 5, [['b'], ['a']], { run: 'q' }),
          task('x', 5, [['c']]),
        ],
      ),
    );
    expect(started(made)).toEqual(['x']);
    expect(whyNot(made, 'p2')).toBeDefined();
    expect(whyNot(made, 'q2')).toBeDefined();
    expect(said).toEqual([]);
  });
});

describe('groups and greatest lags', () => {
  const group = [
    task('one', 10, [['a']], { run: 'r' }),
    task('two', 10, [['b']], { run: 'r', ...after('one'), follows: 'one' }),
  ];

  it('are planned back to back', () => {
    const made = world().plan(snapshot(0, ['a', 'b'], [...group, task('x', 15, [['b']], { priority: 9 })]));
    expect(startOf(made, 'two')).toBe((startOf(made, 'one') ?? 0) + 10);
    expect(startOf(made, 'one')).toBe(5);
  });

  it('let the rest of a group start at once when its predecessor ends early, before heavier tasks', () => {
    const { plan } = world();
    const [, two] = group;
    plan(
      snapshot(
        0,
        ['a', 'b'],
        [two!, task('x', 3, [['b']], { priority: 9, ready: false, notBefore: at(8) })],
        [running('one', 0, 10, { s0: 'a' }, { run: 'r' })],
      ),
    );
    const made = plan(
      snapshot(
        8,
        ['a', 'b'],
        [
          task('two', 10, [['b']], { run: 'r', notAfter: at(8) }),
          task('x', 3, [['b']], { priority: 9, notBefore: at(8) }),
        ],
      ),
    );
    expect(started(made)).toEqual(['two']);
  });

  it('do not begin when the rest of the group cannot be planned', () => {
    const made = world().plan(snapshot(0, ['a', unit('b', { usable: false })], group));
    expect(started(made)).toEqual([]);
  });
});

describe('the plan after a change', () => {
  const tasks = [
    task('x', 10, [['a']]),
    task('y', 10, [['b']], { priority: 3 }),
    task('z', 10, [['a', 'b']]),
  ];

  it('starts work earlier when a task ends early', () => {
    const { plan } = world();
    plan(snapshot(0, ['a'], [task('x', 10, [['a']])], [running('r', 0, 60, { s0: 'a' })]));
    expect(started(plan(snapshot(20, ['a'], [task('x', 10, [['a']])])))).toEqual(['x']);
  });

  it('moves tasks behind an overrun and delays no others', () => {
    const { plan } = world({ searcher: null });
    const before = plan(
      snapshot(
        0,
        ['a', 'b'],
        [task('x', 10, [['a']]), task('y', 10, [['b']])],
        [running('r', -50, 10, { s0: 'a' }), running('q', -50, 10, { s0: 'b' })],
      ),
    );
    expect([startOf(before, 'x'), startOf(before, 'y')]).toEqual([10, 10]);
    const late = plan(
      snapshot(
        10,
        ['a', 'b'],
        [task('x', 10, [['a']]), task('y', 10, [['b']])],
        [running('r', -50, 16, { s0: 'a' })],
      ),
    );
    expect(started(late)).toEqual(['y']);
    expect(startOf(late, 'x')).toBe(16);
    expect(late.wakeAt).toBe(at(16));
  });

  it('protects the unit of a due but unready task from later tasks', () => {
    const { plan } = world({ searcher: null });
    const due = task('due', 10, [['a']], { run: 'r', ...after('before'), priority: 5 });
    const shot = (now: number) =>
      snapshot(
        now,
        ['a', 'b'],
        [due, task('later', 10, [['a']], { ready: false, notBefore: at(11) })],
        [running('before', -10, 5, { s0: 'b' }, { run: 'r' })],
      );
    expect(startOf(plan(shot(0)), 'due')).toBe(5);
    expect(started(plan(shot(6)))).toEqual([]);
  });

  it('avoids a lost unit and uses it again after its return', () => {
    const { plan } = world();
    const whole = plan(snapshot(0, ['a', 'b'], tasks));
    expect(started(whole)).toHaveLength(2);
    const half = plan(snapshot(1, [unit('a', { usable: false }), 'b'], tasks));
    expect(whyNot(half, 'x')).toBeDefined();
    expect(started(half)).toEqual(['y']);
    expect(started(plan(snapshot(2, ['a', 'b'], tasks)))).toContain('y');
  });

  it('stays the same without a change', () => {
    const { plan } = world();
    const shot = snapshot(0, ['a'], tasks.slice(0, 1), [running('r', -1, 10, { s0: 'a' })]);
    const first = plan(shot);
    const second = plan({ ...shot, now: at(1), version: 2 });
    expect(second.timetable).toEqual(first.timetable);
    expect(second.wakeAt).toBe(at(10));
  });
});

describe('a stable plan', () => {
  const going = [running('r', -10, 20, { s0: 'a' })];
  const x = task('x', 10, [['a']]);

  it('does not move a frozen start for a heavier later task', () => {
    const { plan } = world();
    expect(startOf(plan(snapshot(0, ['a'], [x], going)), 'x')).toBe(20);
    const urgent = task('urgent', 5, [['a']], { priority: 9, queuedAt: at(6) });
    const made = plan(snapshot(6, ['a'], [x, urgent], going));
    expect([startOf(made, 'x'), startOf(made, 'urgent')]).toEqual([20, 30]);
  });

  it('moves a start that is far away or was never announced', () => {
    for (const [now, knobs] of [
      [6, { frozen_window: 10 }],
      [1, {}],
    ] as const) {
      const { plan } = world({}, knobs);
      plan(snapshot(0, ['a'], [x], going));
      const urgent = task('urgent', 5, [['a']], { priority: 9, queuedAt: at(now) });
      expect(startOf(plan(snapshot(now, ['a'], [x, urgent], going)), 'urgent')).toBe(20);
    }
  });

  it('stays unchanged when the gain is smaller than the disturbance', () => {
    // Both orders of two equal tasks are equally good.
    const { plan } = world({}, { frozen_window: 60 });
    const pair = (first: string, second: string) => [task(first, 10, [['a']]), task(second, 10, [['a']])];
    const before = plan(snapshot(0, ['a'], pair('p', 'q'), going));
    const later = plan(snapshot(1, ['a'], pair('q', 'p'), [running('r', -10, 20.5, { s0: 'a' })]));
    expect(startOf(later, 'p')! < startOf(later, 'q')!).toBe(startOf(before, 'p')! < startOf(before, 'q')!);
  });
});

describe('a plan of many tasks', () => {
  const crowd = (count: number): PlanTask[] =>
    Array.from({ length: count }, (_, index) =>
      task(`t${index}`, 60, [['a', 'b']], { queuedAt: at(-10 + index / 1_000), priority: index % 3 }),
    );

  it('contains the heaviest tasks up to the horizon, and adds others as these end', () => {
    const { planAll } = world({ searcher: null });
    const all = crowd(1_250);
    const { plan: made } = planAll(snapshot(0, ['a', 'b'], all));
    expect(made.timetable?.tasks).toHaveLength(1_000);
    expect(made.timetable?.unplanned).toHaveLength(250);
    expect(made.timetable?.unplanned.every(({ task: id }) => Number(id.slice(1)) % 3 === 0)).toBe(true);
    const begun = new Set(started(made));
    const left = all.filter((each) => !begun.has(each.id));
    const { plan: later } = planAll(snapshot(60, ['a', 'b'], left));
    expect(later.timetable?.tasks).toHaveLength(1_000);
    expect(later.timetable?.unplanned).toHaveLength(248);
  });

  it('makes only new tasks wait a moment for their place', () => {
    const { planAll } = world({ searcher: null });
    const going = [running('r', 0, 50, { s0: 'a' }), running('q', 0, 50, { s0: 'b' })];
    const all = crowd(600);
    const { plan: first } = planAll(snapshot(0, ['a', 'b'], all, going));
    const fresh = task('fresh', 5, [['a']], { priority: 50 });
    const { plan: soon } = planAll(snapshot(0.1, ['a', 'b'], [...all, fresh], going));
    expect(soon.timetable?.madeAt).toBe(first.timetable?.madeAt);
    expect(whyNot(soon, 'fresh')).toBeDefined();
    expect(soon.wakeAt).toBe(at(0.6));
    const { plan: last } = planAll(snapshot(0.6, ['a', 'b'], [...all, fresh], going));
    expect(startOf(last, 'fresh')).toBe(50);
  });

  it('is made in steps, and until the last step due tasks of the old plan or of greedy start', () => {
    const { plan, planAll, said } = world({ searcher: null });
    const all = crowd(250);
    const greedy = new GreedyPolicy().plan(snapshot(0, ['a', 'b'], all));
    const first = plan(snapshot(0, ['a', 'b'], all));
    expect(first).toMatchObject({ timetable: null, wakeAt: at(0.001) });
    expect(started(first)).toEqual(started(greedy));
    const { plan: made, starts } = planAll(snapshot(0, ['a', 'b'], all));
    expect(starts.length).toBeGreaterThan(4);
    expect(made.timetable?.tasks).toHaveLength(250);

    const next = started(made);
    const going = next.map((id) => running(id, 0, 60, unitsOf(made, id) ?? {}));
    const waiting = all.filter(({ id }) => !next.includes(id));
    const inPlan = planAll(snapshot(30, ['a', 'b'], waiting, going)).plan;
    const due = waiting.filter(({ id }) => startOf(inPlan, id) === 60).map(({ id }) => id);
    expect(due).toHaveLength(2);
    const fresh = [...waiting, task('fresh', 60, [['a', 'b']], { queuedAt: at(59), priority: -9 })];
    const soon = plan(snapshot(60, ['a', 'b'], fresh));
    expect(started(soon)).toEqual(due.sort());
    expect(soon.timetable?.madeAt).toBe(at(30));
    expect(whyNot(soon, 'fresh')).toBeDefined();
    expect(said).toEqual([]);
  });

  it('contains no start that became impossible during planning', () => {
    const { plan, planAll, said } = world({ searcher: null });
    const all = crowd(250);
    const going = [running('r', 0, 50, { s0: 'a' }), running('q', 0, 50, { s0: 'b' })];
    const made = planAll(snapshot(0, ['a', 'b'], all, going)).plan;
    const dueOn = (id: string): string[] =>
      (made.timetable?.tasks ?? []).flatMap(({ task: each, start, units }) =>
        start === at(50) && units['s0'] === id ? [each] : [],
      );
    const [onA = '', onB = ''] = [...dueOn('a'), ...dueOn('b')];
    const changed = all.map((each) =>
      each.id === onB ? { ...each, slots: [{ name: 's0', candidates: ['a'] }] } : each,
    );
    expect(started(plan(snapshot(50, ['a', 'b'], changed)))).toEqual([onA]);
    const lost = snapshot(50, [unit('a', { usable: false }), 'b'], all);
    expect(started(plan(lost))).toEqual([onB]);
    expect(said).toEqual([]);
  });
});

describe('a repeatable plan', () => {
  it('is the same for the same snapshots', () => {
    const shots = [0, 4, 9, 30].map((now, index) =>
      snapshot(
        now,
        ['a', 'b', 'c'],
        Array.from({ length: 12 }, (_, nth) =>
          task(`t${nth}`, 3 + ((nth * 7) % 11), [nth % 2 ? ['a', 'b'] : ['b', 'c']], { priority: nth % 4 }),
        ).slice(index),
      ),
    );
    const [one, other] = [world(), world()];
    for (const shot of shots) expect(other.plan(shot)).toEqual(one.plan(shot));
  });

  it('is marked as reproducible when it was limited by rounds', () => {
    expect(world().plan(snapshot(0, ['a'], [task('x', 1, [['a']])])).timetable?.provenance.reproducible).toBe(
      true,
    );
  });
});
