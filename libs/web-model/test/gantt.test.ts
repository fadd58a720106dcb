import type { ScheduledTask } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import type { ReservationRecord } from '@lab/api-client';
import { barAt, barOf, holdsOf, latenessOf, rowsOf, ticksOf } from '../src/index.js';

const at = (minutes: number): string => new Date(minutes * 60_000).toISOString();
const ms = (minutes: number): number => minutes * 60_000;

function task(more: Partial<ScheduledTask>): ScheduledTask {
  return {
    ...{ id: 'id', label: 'run/mix', name: 'mix', type: 'mix', protocol_run: 'run', campaign: null },
    ...{ priority: 0, state: 'completed', planned_start: null, planned_end: null, started_at: null },
    ...{ ended_at: null, late_by_s: null, first_plan: null, last_plan: null, waits_for: [] },
    duration: { expected: null, declared: null, learned: null, samples: 0 },
    devices: { arm: 'lab.arm', station: 'lab.station_2' },
    resources: { beaker: 'beaker_1' },
    ...more,
  };
}

describe('a bar', () => {
  it('has the actual time of a task that has ended', () => {
    expect(barOf(task({ started_at: at(1), ended_at: at(3), planned_start: at(0) }))).toMatchObject({
      ...{ start: ms(1), end: ms(3), isActual: true },
    });
  });

  it('has the expected end of a task that runs, and the plan of one that waits', () => {
    expect(barOf(task({ started_at: at(1), planned_end: at(4) }))).toMatchObject({
      end: ms(4),
      isActual: true,
    });
    expect(barOf(task({ started_at: at(1) }))).toMatchObject({ end: undefined });
    expect(barOf(task({ planned_start: at(5), planned_end: at(6) }))).toMatchObject({
      ...{ start: ms(5), end: ms(6), isActual: false },
    });
  });

  it('does not end before it begins, when clocks differ', () => {
    expect(barOf(task({ started_at: at(3), ended_at: at(1) }))).toMatchObject({ start: ms(3), end: ms(3) });
  });

  it('is none for a task without a start and a plan', () => {
    expect(barOf(task({ state: 'queued' }))).toBeUndefined();
  });

  it('is late or early beside the first plan, once it has started', () => {
    const plan = { start: at(2), end: at(3), at: at(0), devices: {} };
    const bar = (more: Partial<ScheduledTask>) => barOf(task({ first_plan: plan, ...more }));
    const late = bar({ started_at: at(5) });
    const early = bar({ started_at: at(1) });
    const waiting = bar({ planned_start: at(5) });
    expect([late, early, waiting].map((each) => each && latenessOf(each))).toEqual([
      ms(3),
      -ms(1),
      undefined,
    ]);
  });
});

describe('the rows', () => {
  const computers = new Map([['lab.arm', 'pc_a']]);
  const tasks = [
    task({ id: 'b', started_at: at(4), devices: { station: 'lab.station_10' } }),
    task({ id: 'a', started_at: at(1) }),
    task({ id: 'c', state: 'queued' }),
  ];
  const found = (...args: Parameters<typeof rowsOf>): [string, string[]][] =>
    rowsOf(...args).map(({ name, bars }) => [name, bars.map(({ task: { id } }) => id)]);

  it('are those of each device, also of one without work, in the order that people count', () => {
    expect(found(tasks, 'device', computers, ['lab.lamp'])).toEqual([
      ['lab.arm', ['a']],
      ['lab.lamp', []],
      ['lab.station_2', ['a']],
      ['lab.station_10', ['b']],
    ]);
  });

  it('are those of resources, computers and runs', () => {
    expect(found(tasks, 'resource', computers)).toEqual([['beaker_1', ['a', 'b']]]);
    expect(found(tasks, 'computer', computers)).toEqual([
      ['?', ['a', 'b']],
      ['pc_a', ['a']],
    ]);
    expect(found(tasks, 'run', computers)).toEqual([['run', ['a', 'b']]]);
    const alone = task({ protocol_run: null, label: 'rinse', started_at: at(1) });
    expect(found([alone], 'run', computers)).toEqual([['rinse', ['id']]]);
  });

  it('have a bar at a moment, a little beside a short one as well, and up to now for an unknown end', () => {
    const [row] = rowsOf([task({ started_at: at(1), ended_at: at(2) })], 'run', computers);
    const [open] = rowsOf([task({ started_at: at(1) })], 'run', computers);
    if (row === undefined || open === undefined) throw new Error('there is no row');
    expect(barAt(row, ms(1.5), ms(9), 0)).toBeDefined();
    expect(barAt(row, ms(2.5), ms(9), 0)).toBeUndefined();
    expect(barAt(row, ms(2.5), ms(9), ms(1))).toBeDefined();
    expect(barAt(open, ms(8), ms(9), 0)).toBeDefined();
    expect(barAt(open, ms(10), ms(9), 0)).toBeUndefined();
  });
});

describe('the axis', () => {
  it('has ticks at round moments inside the window, no more than asked', () => {
    expect(ticksOf({ start: ms(1), end: ms(61) }, 4)).toEqual([ms(15), ms(30), ms(45), ms(60)]);
    expect(ticksOf({ start: 0, end: 7 * 24 * ms(60) }, 7)).toHaveLength(7);
    expect(ticksOf({ start: 0, end: 4_000 }, 10)).toEqual([0, 1_000, 2_000, 3_000]);
  });
});

describe('what people hold', () => {
  it('is reserved, or out of service until somebody ends it', () => {
    const reservation = { lab: 'lab', device: 'arm', resource: null, from: at(5), to: at(9) };
    const beaker = { ...reservation, device: null, resource: 'beaker_1', from: at(7) };
    const who = { reason: 'calibration', by: 'ada' };
    const devices = [
      { lab_name: 'lab', name: 'fine', computer: 'bench_a', out_of_service: null },
      {
        lab_name: 'lab',
        name: 'broken',
        computer: 'bench_b',
        out_of_service: { reason: 'dropped', by: 'bob', since: at(6), until: null },
      },
    ];
    const reserved = [beaker, reservation].map((each) => ({ ...each, ...who }) as ReservationRecord);
    const drain = { reason: 'update', by: 'bob', since: at(8), until: at(20) };
    const agents = [
      { computer: 'bench_a', drain: { ...drain, drained: true, used_by: [], kept_by: [] } },
      { computer: 'bench_b', drain: null },
    ];
    expect(holdsOf(reserved, devices, agents)).toEqual([
      { unit: 'lab.arm', rows: ['lab.arm'], start: ms(5), end: ms(9), kind: 'reserved', ...who },
      {
        unit: 'lab.broken',
        rows: ['lab.broken'],
        start: ms(6),
        end: undefined,
        kind: 'out_of_service',
        reason: 'dropped',
        by: 'bob',
      },
      { unit: 'beaker_1', rows: ['beaker_1'], start: ms(7), end: ms(9), kind: 'reserved', ...who },
      {
        ...{ unit: 'bench_a', rows: ['bench_a', 'lab.fine'], kind: 'drained', start: ms(8), end: ms(20) },
        ...{ reason: 'update', by: 'bob' },
      },
    ]);
  });
});
