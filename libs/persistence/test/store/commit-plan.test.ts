import type { Change } from '@lab/engine';
import { describe, expect, test } from 'vitest';
import { attempt, taskRun, t0 } from '../rows.js';
import { tables } from '../../src/schema/index.js';
import { planCommit } from '../../src/store/commit-plan.js';

const at = new Date(t0).toISOString();

describe('the plan of a commit', () => {
  test('has one entry per row, in the order of their keys, whatever the number and order of changes', () => {
    const changes: Change[] = [
      { op: 'updateTaskRun', id: 't2', patch: { state: 'queued' } },
      { op: 'updateTaskRun', id: 't1', patch: { priority: 4 } },
      { op: 'updateTaskRun', id: 't2', patch: { state: 'running', startedAt: t0, computer: null } },
    ];
    expect(planCommit(changes).document).toEqual({
      task_run_update: [
        { id: 't1', set: { priority: 4 } },
        {
          id: 't2',
          from: ['created', 'queued', 'running', 'needs_attention'],
          set: { state: 'running', started_at: at, computer: null },
        },
      ],
    });
  });

  test('writes an inserted and changed row once', () => {
    const { document } = planCommit([
      { op: 'insertTaskRun', row: taskRun('t1') },
      { op: 'updateTaskRun', id: 't1', patch: { state: 'queued', queuedAt: t0 } },
    ]);
    expect(document).toEqual({
      task_run_insert: [tables.taskRuns.toStored(taskRun('t1', { state: 'queued', queuedAt: t0 }))],
    });
  });

  test('refuses forbidden transitions before it asks the database', () => {
    expect(() =>
      planCommit([
        { op: 'updateAttempt', id: 'a', patch: { state: 'completed' } },
        { op: 'updateAttempt', id: 'a', patch: { state: 'running' } },
      ]),
    ).toThrow(expect.objectContaining({ code: 'wrong_state' }));
    expect(() =>
      planCommit([
        { op: 'insertAttempt', row: attempt('a', 't') },
        { op: 'insertAttempt', row: attempt('a', 't') },
      ]),
    ).toThrow(expect.objectContaining({ code: 'wrong_state' }));
  });

  test('keeps allocations and events in their order', () => {
    const spot = { kind: 'device', key: 'lab.b' } as const;
    const { document } = planCommit([
      { op: 'release', ...spot, at: t0 },
      { op: 'claim', ...spot, taskRunId: 't', fence: 2, at: t0 },
      { op: 'release', kind: 'device', key: 'lab.a', at: t0 },
      { op: 'tell', event: { aggregate: 'task_run/t', type: 'b', body: {}, at: t0 } },
      { op: 'tell', event: { aggregate: 'task_run/t', type: 'a', body: {}, at: t0 } },
    ]);
    expect(document['allocations']).toEqual([
      { op: 'release', ...spot, at },
      { op: 'claim', ...spot, task_run_id: 't', fence: 2, at },
      { op: 'release', kind: 'device', key: 'lab.a', at },
    ]);
    expect(document['events']).toMatchObject([{ type: 'b' }, { type: 'a' }]);
  });

  test('does not change the given rows', () => {
    const row = taskRun('t1');
    planCommit([
      { op: 'insertTaskRun', row },
      { op: 'updateTaskRun', id: 't1', patch: { state: 'queued', meta: { x: 1 } } },
    ]);
    expect(row).toEqual(taskRun('t1'));
  });
});

test('columns have the name of the field in snake_case', () => {
  expect(tables.taskRuns.columns.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['id', 'run_id', 'cancel_requested_at', 'input_parameters', 'output_files']),
  );
});
