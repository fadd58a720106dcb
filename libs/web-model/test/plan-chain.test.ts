import type { ScheduledTask } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import {
  barOf,
  linesOf,
  PlanChains,
  rowsOf,
  type Dependencies,
  type GanttBar,
  type Hold,
} from '../src/index.js';

const at = (second: number): string => new Date(second * 1_000).toISOString();

/** A task that ran, by seconds; the name of a run stands before a slash. */
function ran(label: string, start: number, end: number | null, ...units: string[]): ScheduledTask {
  const [run, name] = label.includes('/') ? (label.split('/') as [string, string]) : [null, label];
  return {
    ...{ id: label, label, name, type: name, protocol_run: run, campaign: null, priority: 0 },
    ...{ state: end === null ? 'running' : 'completed', planned_start: null, planned_end: null },
    ...{ started_at: at(start), ended_at: end === null ? null : at(end), late_by_s: null },
    ...{ first_plan: null, last_plan: null, waits_for: [] },
    duration: { expected: null, declared: null, learned: null, samples: 0 },
    devices: Object.fromEntries(units.filter((unit) => unit.includes('.')).map((unit) => [unit, unit])),
    resources: Object.fromEntries(units.filter((unit) => !unit.includes('.')).map((unit) => [unit, unit])),
  };
}
const planned = (label: string, start: number, end: number, ...units: string[]): ScheduledTask => ({
  ...ran(label, start, end, ...units),
  ...{ state: 'queued', started_at: null, ended_at: null, planned_start: at(start), planned_end: at(end) },
});

interface Known {
  /** As `{ b: ['a'] }`: b depends on a, in every run. */
  after?: Record<string, string[]> | null;
  holds?: Record<string, Partial<Hold>[]>;
  now?: number;
}

/** The chain as `task < cause`, with seconds of waiting. */
function chain(
  tasks: readonly ScheduledTask[],
  run: string,
  { after = {}, holds = {}, now = 0 }: Known = {},
): string[] {
  const dependencies: Dependencies | undefined = after === null ? undefined : new Map(Object.entries(after));
  const known = new Map(Object.entries(holds) as [string, Hold[]][]);
  return new PlanChains(tasks, now * 1_000)
    .chainOf(run, { dependenciesOf: () => dependencies, holds: known })
    .map(({ bar, cause, waitedMs }) => {
      const why = cause.kind === 'unit' ? cause.unit : cause.kind === 'hold' ? cause.hold.reason : cause.kind;
      return `${bar.task.label} < ${why} ${waitedMs / 1_000}`;
    });
}

describe('the chain of a run in a plan', () => {
  it('follows the dependency that ended last, across what ran, runs and is planned', () => {
    const tasks = [
      ran('r/a', 0, 10),
      ran('r/b', 0, 4),
      { ...ran('r/c', 11, null), planned_end: at(20) },
      planned('r/d', 20, 30),
    ];
    const after = { c: ['a', 'b'], d: ['c', 'b'] };
    expect(chain(tasks, 'r', { after })).toEqual([
      'r/a < none 0',
      'r/c < dependency 1',
      'r/d < dependency 0',
    ]);
  });

  it('goes on in another run whose task freed a device or a resource', () => {
    const tasks = [
      ran('other/x', 0, 8),
      ran('other/y', 8, 20, 'lab.arm'),
      ran('r/a', 0, 5),
      planned('r/b', 20, 25, 'lab.arm', 'beaker'),
      planned('late/z', 25, 40, 'beaker'),
    ];
    const after = { y: ['x'], b: ['a'] };
    expect(chain(tasks, 'r', { after })).toEqual([
      'other/x < none 0',
      'other/y < dependency 0',
      'r/b < lab.arm 0',
    ]);
    expect(chain(tasks, 'late', { after }).at(-1)).toBe('late/z < beaker 0');
  });

  it('does not follow a device that was free for long before', () => {
    const tasks = [ran('other/y', 0, 8, 'lab.arm'), ran('r/b', 20, 25, 'lab.arm')];
    expect(chain(tasks, 'r')).toEqual(['r/b < none 0']);
    expect(chain([ran('r/a', 0, 2), ...tasks], 'r', { after: { b: ['a'] } })).toEqual([
      'r/a < none 0',
      'r/b < dependency 18',
    ]);
  });

  it('follows the last user of a device alone, which may be of the same run', () => {
    const tasks = [ran('r/a', 0, 5, 'lab.arm'), ran('s/x', 5, 9, 'lab.arm'), ran('r/b', 9, 12, 'lab.arm')];
    expect(chain(tasks, 'r', { after: { b: ['a'] } })).toEqual([
      'r/a < none 0',
      's/x < lab.arm 0',
      'r/b < lab.arm 0',
    ]);
  });

  it('prefers the dependency when a device becomes free at the same moment', () => {
    const tasks = [ran('r/a', 0, 5), ran('s/x', 0, 5, 'lab.arm'), ran('r/b', 5, 9, 'lab.arm')];
    expect(chain(tasks, 'r', { after: { b: ['a'] } })[0]).toBe('r/a < none 0');
  });

  it('is the same in every order of the tasks, also when tasks end together', () => {
    const tasks = [ran('r/a', 0, 5), ran('r/b', 0, 5), ran('r/c', 2, 5), ran('r/d', 5, 9), ran('s/e', 5, 9)];
    const after = { d: ['a', 'b', 'c'] };
    for (const order of [tasks, tasks.toReversed()]) {
      expect(chain(order, 'r', { after })).toEqual(['r/c < none 0', 'r/d < dependency 0']);
      expect(new PlanChains(order, 0).runs).toEqual(['r', 's']);
    }
  });

  it('begins at a hold of a person that ended just before, whatever had ended earlier', () => {
    const tasks = [ran('r/a', 0, 5), planned('r/b', 60, 70, 'lab.arm')];
    const known: Known = { after: { b: ['a'] } };
    const hold = { start: 0, end: 60_000, reason: 'calibration' };
    expect(chain(tasks, 'r', { ...known, holds: { 'lab.arm': [hold] } })).toEqual(['r/b < calibration 0']);
    // A hold that nobody knows the end of, that ended long before, or that the task has itself decides nothing.
    for (const end of [undefined, 30_000, 80_000])
      expect(chain(tasks, 'r', { ...known, holds: { 'lab.arm': [{ ...hold, end }] } })).toEqual([
        'r/a < none 0',
        'r/b < dependency 55',
      ]);
  });

  it('goes through dependencies that were skipped or were over before', () => {
    const tasks = [ran('r/a', 0, 5), ran('r/c', 6, 9)];
    expect(chain(tasks, 'r', { after: { c: ['skipped'], skipped: ['a', 'long_over'] } })).toEqual([
      'r/a < none 0',
      'r/c < dependency 1',
    ]);
  });

  it('has the task with the latest end last, of which now is the end when nobody knows it', () => {
    const tasks = [ran('r/a', 0, null), ran('r/b', 0, 50), ran('s/c', 0, 70)];
    expect(chain(tasks, 'r', { now: 40 })).toEqual(['r/b < none 0']);
    expect(chain(tasks, 'r', { now: 60 })).toEqual(['r/a < none 0']);
    expect(new PlanChains(tasks, 60_000).runs).toEqual(['s', 'r']);
    expect(new PlanChains(tasks, 80_000).runs).toEqual(['r', 's']);
  });

  it('follows devices alone when the dependencies are not known, and has an on-demand task as a run', () => {
    const tasks = [ran('r/a', 0, 5, 'lab.arm'), ran('r/b', 5, 9), ran('rinse', 5, 7, 'lab.arm')];
    expect(chain(tasks, 'r', { after: null })).toEqual(['r/b < none 0']);
    expect(chain(tasks, 'rinse', { after: null })).toEqual(['r/a < none 0', 'rinse < lab.arm 0']);
    expect(chain(tasks, 'nothing')).toEqual([]);
    expect(new PlanChains([], 0).runs).toEqual([]);
  });

  it('has no task twice, for tasks of no length that begin together and dependencies in a circle', () => {
    const tasks = [ran('r/b', 5, 5, 'lab.arm'), ran('r/a', 5, 5, 'lab.arm'), ran('r/c', 5, 5, 'lab.arm')];
    const found = chain(tasks, 'r', { after: { a: ['b'], b: ['c'], c: ['a'] } });
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(3);
  });

  it('never waits a negative time, when an estimate has grown beyond the plan of the next task', () => {
    const tasks = [
      { ...ran('s/x', 0, null, 'lab.arm'), planned_end: at(12) },
      planned('r/b', 10, 15, 'lab.arm'),
    ];
    expect(chain(tasks, 'r')).toEqual(['s/x < none 0', 'r/b < lab.arm 0']);
  });

  it('is found among 10,000 bars in milliseconds, also when all of them are in it', () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) =>
      ran(`run_${index % 500}/task_${index}`, index, index + 1, `lab.device_${index % 3}`, 'beaker'),
    ).toReversed();
    for (const task of tasks) barOf(task);
    const took = Array.from({ length: 5 }, () => {
      const begin = performance.now();
      const chains = new PlanChains(tasks, 0);
      const found = chains.chainOf(chains.runs[0] ?? '', {
        dependenciesOf: () => undefined,
        holds: new Map(),
      });
      expect(found).toHaveLength(10_000);
      return performance.now() - begin;
    });
    // Some 20 ms, on a busy computer several times as many. A chain of quadratic cost takes seconds.
    expect(Math.min(...took)).toBeLessThan(800);
  });
});

describe('the lines of a chain', () => {
  const bars = (...tasks: ScheduledTask[]): GanttBar[] => tasks.flatMap((task) => barOf(task) ?? []);

  it('join two bars in the row that they share, or else in the first row of each', () => {
    const tasks = [
      ran('r/a', 0, 5, 'lab.a', 'lab.b'),
      ran('r/b', 6, 9, 'lab.b'),
      ran('r/c', 9, null, 'lab.c'),
    ];
    const rows = rowsOf(tasks, 'device', new Map(), ['lab.0']);
    expect(linesOf(rows, bars(...tasks), 0)).toEqual([
      { from: 2, to: 2, leaves: 5_000, arrives: 6_000 },
      { from: 2, to: 3, leaves: 9_000, arrives: 9_000 },
    ]);
  });

  it('leave out a bar without a row', () => {
    const tasks = [ran('r/a', 0, 5, 'lab.a'), ran('r/b', 6, 9, 'beaker')];
    expect(linesOf(rowsOf(tasks, 'device', new Map()), bars(...tasks), 0)).toEqual([]);
  });
});
