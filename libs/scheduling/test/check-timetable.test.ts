import { describe, expect, it } from 'vitest';
import { checkTimetable } from '../src/check-timetable.js';
import type { PlanTask, PlanUnit, Snapshot, Timetable } from '../src/policy.js';

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
const task = (id: string, run: string | null, duration: number, more: Partial<PlanTask> = {}): PlanTask => ({
  id,
  run,
  priority: 0,
  queuedAt: 0,
  duration,
  slots: [],
  ...more,
});
const one = (candidates: string[], more: object = {}) => [{ name: 's', candidates, ...more }];
const after = (id: string, minLagMs = 0, maxLagMs: number | null = null) => ({
  task: id,
  minLagMs,
  maxLagMs,
});

/**
 * In run r, `a` keeps its unit for `c`, and `b` lies between. In run q, `d` is running and `e` follows it. `f` is
 * alone.
 */
const snapshot: Snapshot = {
  version: 7,
  now: 10_000,
  tasks: [
    task('a', 'r', 2, { slots: one(['u', 'v'], { keptFor: ['c'] }) }),
    task('b', 'r', 1, { slots: one(['w']), dependencies: [after('a', 500, 1_000)], ready: false }),
    task('c', 'r', 1, {
      slots: one(['u', 'v'], { sameAs: { task: 'a', slot: 's' } }),
      dependencies: [after('b')],
      follows: 'b',
      ready: false,
    }),
    task('e', 'q', 3, {
      slots: one(['v'], { sameAs: { task: 'd', slot: 's' } }),
      dependencies: [after('d', 0, 100)],
      follows: 'd',
      ready: false,
    }),
    task('f', null, 1, { slots: one(['u', 'v', 'w', 'x', 'y', 'z']), notBefore: 13_000, reserved: ['z'] }),
    task('g', null, 1, { slots: one(['w']), blocked: true }),
    task('h', 'p', 1, { slots: [], ready: false }),
  ],
  running: [
    {
      id: 'd',
      run: 'q',
      priority: 0,
      startedAt: 8_000,
      expectedEnd: 12_000,
      units: { s: { unit: 'v', keptFor: ['e'] } },
    },
  ],
  units: new Map(
    [
      unit('u'),
      unit('v', { busy: true }),
      unit('w'),
      unit('x', { usable: false }),
      unit('y', { busy: true }),
      unit('z', { heldBy: 'q', heldFor: ['e'] }),
    ].map((each) => [each.id, each]),
  ),
};
type Loose = { -readonly [Key in keyof Timetable]: Timetable[Key] } & { tasks: Timetable['tasks'][number][] };
const good = (): Loose => ({
  madeAt: 10_000,
  tasks: [
    { task: 'd', start: 8_000, end: 12_000, units: { s: 'v' } },
    { task: 'a', start: 10_000, end: 12_000, units: { s: 'u' } },
    { task: 'b', start: 12_500, end: 13_500, units: { s: 'w' } },
    { task: 'c', start: 13_500, end: 14_500, units: { s: 'u' } },
    { task: 'e', start: 12_000, end: 15_000, units: { s: 'v' } },
    { task: 'f', start: 13_500, end: 14_500, units: { s: 'w' } },
  ],
  quality: { weightedCompletion: 14, makespan: 5, objective: 20, lowerBound: 15, gap: 0.25 },
  provenance: { engine: 'list', seed: 1, ms: null, reproducible: true },
  unplanned: [
    { task: 'g', reason: 'paused' },
    { task: 'h', reason: 'nobody knows when it may start' },
  ],
});
const changed = (change: (table: Loose) => void): Timetable => {
  const table = good();
  change(table);
  return table;
};
const place = (id: string, more: { by?: number; longer?: number; units?: Record<string, string> }) =>
  changed((table) => {
    table.tasks = table.tasks.map((each) =>
      each.task === id
        ? {
            ...each,
            start: each.start + (more.by ?? 0),
            end: each.end + (more.by ?? 0) + (more.longer ?? 0),
            units: more.units ?? each.units,
          }
        : each,
    );
    const last = Math.max(...table.tasks.map((each) => each.end));
    table.quality = { ...table.quality, makespan: (last - table.madeAt) / 1_000 };
  });
const add = (id: string, start: number, units: Record<string, string>) =>
  changed((table) => {
    table.tasks = [...table.tasks, { task: id, start, end: start + 1_000, units }];
  });
const quality = (more: Partial<Timetable['quality']>) =>
  changed((table) => (table.quality = { ...table.quality, ...more }));
const codes = (table: Timetable, tickMs = 0) =>
  checkTimetable(snapshot, table, tickMs).map((fault) => fault.code);

describe('the checker of timetables', () => {
  it('accepts a good timetable', () => {
    expect(checkTimetable(snapshot, good())).toEqual([]);
  });

  it.each<[string, Timetable]>([
    ['planned_twice', add('f', 20_000, { s: 'w' })],
    [
      'planned_twice',
      changed((table) => (table.unplanned = [...table.unplanned, { task: 'f', reason: 'x' }])),
    ],
    ['unknown_task', add('nobody', 20_000, {})],
    [
      'unknown_task',
      changed((table) => (table.unplanned = [...table.unplanned, { task: 'd', reason: 'x' }])),
    ],
    ['missing_task', changed((table) => (table.unplanned = []))],
    ['missing_task', changed((table) => (table.tasks = table.tasks.filter((each) => each.task !== 'd')))],
    [
      'no_reason',
      changed((table) => (table.unplanned = table.unplanned.map((each) => ({ ...each, reason: '' })))),
    ],
    ['moved_running', place('d', { by: -1 })],
    ['moved_running', place('d', { longer: -1 })],
    ['moved_running', place('d', { units: { s: 'u' } })],
    ['moved_running', place('d', { units: {} })],
    ['blocked', add('g', 20_000, { s: 'w' })],
    ['not_ready', add('h', 10_000, {})],
    ['too_early', place('a', { by: -1 })],
    ['too_early', place('f', { by: -600 })],
    ['duration', place('f', { longer: 1 })],
    ['duration', place('f', { longer: -1 })],
    ['min_lag', place('b', { by: -1 })],
    ['max_lag', place('b', { by: 501 })],
    ['follows', place('c', { by: 1 })],
    ['follows', place('e', { by: -1 })],
    [
      'dependency_unplanned',
      changed((table) => (table.tasks = table.tasks.filter((each) => each.task !== 'b'))),
    ],
    ['empty_slot', place('b', { units: {} })],
    ['unknown_slot', place('b', { units: { s: 'w', t: 'u' } })],
    ['unknown_unit', place('b', { units: { s: '?' } })],
    ['not_eligible', place('b', { units: { s: 'z' } })],
    ['unusable', place('f', { units: { s: 'x' } })],
    ['busy', place('f', { units: { s: 'y' } })],
    ['reserved', place('f', { units: { s: 'z' } })],
    ['not_the_same', place('c', { units: { s: 'v' } })],
    ['not_the_same', place('e', { units: { s: 'u' } })],
    ['overlap', place('f', { by: -500 })],
    ['overlap', place('f', { units: { s: 'v' } })],
    ['kept', place('f', { units: { s: 'z' } })],
    [
      'kept',
      changed(
        (table) =>
          (table.tasks = table.tasks.map((each) =>
            each.task === 'f'
              ? { ...each, start: 13_000, end: 14_000, units: { s: 'u' } }
              : each.task === 'c'
                ? { ...each, start: 14_000, end: 15_000 }
                : each,
          )),
      ),
    ],
    ['makespan', quality({ makespan: 4.9 })],
    ['lower_bound', quality({ lowerBound: 21, gap: -0.05 })],
    ['gap', quality({ gap: 0.2 })],
    ['gap', quality({ gap: null })],
    ['gap', quality({ lowerBound: null })],
  ])('finds the fault %s', (code, bad) => {
    expect(codes(bad)).toContain(code);
  });

  it('permits tasks and greatest lags to exceed their length by the rounding of the policy', () => {
    expect(codes(place('f', { longer: 100 }), 100)).toEqual([]);
    expect(codes(place('f', { longer: 101 }), 100)).toEqual(['duration']);
    const late = changed((table) => {
      for (const [index, each] of table.tasks.entries())
        if (each.task === 'b' || each.task === 'c' || each.task === 'f')
          table.tasks[index] = { ...each, start: each.start + 600, end: each.end + 600 };
      table.quality = { ...table.quality, makespan: 5.1 };
    });
    expect(codes(late, 100)).toEqual([]);
    expect(codes(late, 99)).toEqual(['max_lag']);
  });

  it('treats a unit as kept permanently when it is kept for a task without a place', () => {
    const table = changed((each) => {
      each.tasks = each.tasks.filter((one) => one.task !== 'e');
      each.unplanned = [...each.unplanned, { task: 'e', reason: 'no device' }];
      each.tasks = each.tasks.map((one) =>
        one.task === 'f' ? { ...one, start: 90_000, end: 91_000, units: { s: 'v' } } : one,
      );
      each.quality = { ...each.quality, makespan: 81 };
    });
    expect(codes(table)).toEqual(['kept']);
  });

  it('does not check the greatest lag and the group of marked tasks, but still their least lag', () => {
    const relaxed = (id: string, by: number): Timetable =>
      changed((table) => {
        table.tasks = table.tasks.map((each) =>
          each.task === id || (id === 'b' && each.task === 'c')
            ? { ...each, start: each.start + by, end: each.end + by, relaxed: true }
            : each,
        );
        const last = Math.max(...table.tasks.map((each) => each.end));
        table.quality = { ...table.quality, makespan: (last - table.madeAt) / 1_000 };
      });
    expect(codes(relaxed('b', 2_000))).toEqual([]);
    expect(codes(relaxed('b', -1))).toContain('min_lag');
    expect(codes(relaxed('c', 2_000))).toEqual([]);
    expect(codes(relaxed('c', -1))).toContain('follows');
  });

  it('finds a unit that fills two slots of a task', () => {
    const both: Snapshot = {
      ...snapshot,
      tasks: snapshot.tasks.map((each) =>
        each.id === 'f' ? { ...each, slots: [...each.slots, { name: 't', candidates: ['w'] }] } : each,
      ),
    };
    expect(
      checkTimetable(both, place('f', { units: { s: 'w', t: 'w' } })).map((fault) => fault.code),
    ).toContain('given_twice');
  });

  it('permits a gap in a group where a least lag lies between', () => {
    const lagging: Snapshot = {
      ...snapshot,
      tasks: snapshot.tasks.map((each) =>
        each.id === 'c' ? { ...each, dependencies: [after('b', 1_000)] } : each,
      ),
    };
    const table = place('c', { by: 1_000 });
    expect(checkTimetable(lagging, table)).toEqual([]);
    expect(codes(table)).toEqual(['follows']);
  });
});
