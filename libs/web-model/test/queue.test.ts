import { describe, expect, it } from 'vitest';
import type { WaitCause } from '@lab/api-client';
import {
  blockersOf,
  concernsUnit,
  membersOf,
  placeReasonOf,
  placeWith,
  priorityAfter,
  scopesOf,
  taskOf,
  type Competitor,
} from '../src/index.js';

function waiting(id: string, effective: number, more: Partial<Competitor> = {}): Competitor {
  return {
    ...{ id, state: 'queued', priority: effective, effective_priority: effective },
    ...{ waiting_since: `2026-11-27T10:00:0${id.length}.000Z`, protocol_run: null, campaign: null },
    ...more,
  };
}

const [a, b, c] = [waiting('a', 5), waiting('bb', 0), waiting('ccc', 0)] as const;
const tasks = [a, b, c];

describe('the place of a waiting task', () => {
  it('counts the tasks of other work that it goes before', () => {
    expect(placeWith(tasks, c, [c], 0)).toEqual({ before: 0, others: 2 });
    expect(placeWith(tasks, c, [c], 1)).toEqual({ before: 1, others: 2 });
    expect(placeWith(tasks, c, [c], 6)).toEqual({ before: 2, others: 2 });
    expect(placeWith(tasks, c, [b, c], 5)).toEqual({ before: 0, others: 1 });
  });

  it('keeps what the task has gained by waiting', () => {
    const aged = waiting('dddd', 4, { priority: 1 });
    expect(placeWith([...tasks, aged], aged, [aged], 2)).toEqual({ before: 2, others: 3 });
    expect(priorityAfter([...tasks, aged], aged, [aged], 1, 'first')).toBe(3);
  });

  it('never moves past a task that is ready', () => {
    const unready = waiting('eeeee', 0, { state: 'created' });
    expect(placeWith([...tasks, unready], unready, [unready], 100)).toEqual({ before: 0, others: 3 });
    expect(priorityAfter([...tasks, unready], unready, [unready], 0, 'first')).toBe(0);
  });

  it('moves by the smallest change of the priority', () => {
    expect(priorityAfter(tasks, c, [c], 0, 'earlier')).toBe(1);
    expect(priorityAfter(tasks, c, [c], 1, 'earlier')).toBe(6);
    expect(priorityAfter(tasks, c, [c], 0, 'first')).toBe(6);
    expect(priorityAfter(tasks, a, [a], 5, 'later')).toBe(-1);
    expect(priorityAfter(tasks, b, [b], 0, 'later')).toBe(-1);
    expect(priorityAfter(tasks, a, [a], 5, 'last')).toBe(-1);
  });

  it.each(['first', 'earlier', 'later', 'last'] as const)(
    'brings about the place it promises: %s',
    (move) => {
      const before = placeWith(tasks, b, [b], 0).before;
      const { before: after } = placeWith(tasks, b, [b], priorityAfter(tasks, b, [b], 0, move));
      expect(after).toBe({ first: 2, earlier: before + 1, later: before - 1, last: 0 }[move]);
    },
  );

  it('stays where there is nothing to pass, and within the limits', () => {
    expect(priorityAfter(tasks, a, [a], 5, 'earlier')).toBe(5);
    expect(priorityAfter([a], a, [a], 5, 'last')).toBe(5);
    const top = waiting('top', 1_000_000);
    const late = waiting('later', 0);
    expect(priorityAfter([top, late], late, [late], 0, 'first')).toBe(1_000_000);
  });

  it('has a reason', () => {
    const task = { planned_start: null, state: 'queued', priority: 1, effective_priority: 1 } as const;
    expect(placeReasonOf(task)).toBe('priority');
    expect(placeReasonOf({ ...task, effective_priority: 2 })).toBe('aged');
    expect(placeReasonOf({ ...task, state: 'created' })).toBe('unready');
    expect(placeReasonOf({ ...task, planned_start: '2026-11-27T10:00:00.000Z' })).toBe('planned');
  });
});

describe('the work of a waiting task', () => {
  const first = waiting('one', 0, { protocol_run: 'sweep_1', campaign: 'sweep' });
  const second = waiting('two!', 0, { protocol_run: 'sweep_1', campaign: 'sweep' });
  const third = waiting('three', 0, { protocol_run: 'sweep_2', campaign: 'sweep' });

  it('is the task, its run or its campaign', () => {
    const all = [first, second, third, a];
    expect(membersOf(all, first, 'task')).toEqual([first]);
    expect(membersOf(all, first, 'run')).toEqual([first, second]);
    expect(membersOf(all, first, 'campaign')).toEqual([first, second, third]);
    expect(scopesOf(first)).toEqual(['task', 'run', 'campaign']);
    expect(scopesOf({ ...first, campaign: null })).toEqual(['task', 'run']);
    expect(scopesOf(a)).toEqual(['task']);
  });
});

describe('what blocks a task', () => {
  const devices = new Set(['color_lab.robot_arm']);
  const blockers = (cause: Omit<WaitCause, 'message'>): unknown[] =>
    blockersOf({ message: '', ...cause }, new Set(['by hand']), devices);

  it('is another task', () => {
    expect(blockers({ code: 'dependency', tasks: ['mix_1/mix/again', 'by hand'] })).toEqual([
      { kind: 'task', name: 'mix/again', run: 'mix_1', label: 'mix_1/mix/again' },
      { kind: 'task', name: 'by hand', run: undefined, label: 'by hand' },
    ]);
    expect(taskOf('mix_1/mix')).toMatchObject({ name: 'mix', run: 'mix_1' });
  });

  it('is a unit and who has it', () => {
    const arm = { kind: 'device', lab: 'color_lab', name: 'robot_arm', label: 'color_lab.robot_arm' };
    const unit = 'color_lab.robot_arm';
    expect(blockers({ code: 'device', unit, held_by: 'mix_1' })).toEqual([
      { kind: 'run', name: 'mix_1', label: 'mix_1' },
      arm,
    ]);
    expect(blockers({ code: 'device', unit, held_by: 'by hand' })).toMatchObject([{ kind: 'task' }, arm]);
    expect(blockers({ code: 'device', unit, held_by: 'mix_1/mix' })).toMatchObject([{ kind: 'task' }, arm]);
    expect(blockers({ code: 'device', unit, held_by: 'somebody' })).toEqual([arm]);
  });

  it('is each unit that could be used otherwise', () => {
    const candidates = ['beaker_1', 'beaker_2', 'beaker_3', 'beaker_4'].map((unit) => ({
      unit,
      why: 'taken',
    }));
    expect(blockers({ code: 'no_eligible_resource', slot: 'beaker', candidates })).toMatchObject([
      ...[{ name: 'beaker_1' }, { name: 'beaker_2' }, { name: 'beaker_3' }],
    ]);
    expect(blockers({ code: 'device', unit: 'color_lab.robot_arm', candidates })).toHaveLength(1);
  });

  it('is no person', () => {
    expect(blockers({ code: 'reserved', unit: 'beaker_1', held_by: 'ada' })).toEqual([
      { kind: 'resource', name: 'beaker_1', label: 'beaker_1' },
    ]);
  });
});

describe('the work at a device or resource', () => {
  const idle = { devices: {}, resources: {}, waits_for: [] };
  const taken = { code: 'resource', message: '', unit: 'beaker_1' } as const;

  it('is what has it, is planned on it, or waits for it by name', () => {
    expect(concernsUnit({ ...idle, resources: { beaker: 'beaker_1' } }, 'beaker_1')).toBe(true);
    expect(concernsUnit({ ...idle, devices: { arm: 'color_lab.robot_arm' } }, 'color_lab.robot_arm')).toBe(
      true,
    );
    expect(concernsUnit({ ...idle, waits_for: [taken] }, 'beaker_1')).toBe(true);
    const candidates = [{ unit: 'beaker_2', why: 'in the hands of mix_1' }];
    expect(concernsUnit({ ...idle, waits_for: [{ ...taken, candidates }] }, 'beaker_2')).toBe(true);
    expect(concernsUnit({ ...idle, waits_for: [taken] }, 'beaker_2')).toBe(false);
    expect(concernsUnit(idle, 'beaker_1')).toBe(false);
  });
});
