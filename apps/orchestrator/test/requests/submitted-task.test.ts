import { allLabs } from '@lab/contracts';
import type { Engine, TaskRunRow } from '@lab/engine';
import { newTaskRun } from '@lab/engine/testing';
import { describe, expect, it } from 'vitest';
import { submittedTask } from '../../src/requests/submitted-task.js';

const row = newTaskRun({
  ...{ id: 'i', name: 'mix', type: 'mix', runId: null, owner: 'ada', priority: 0, state: 'running' },
  ...{ definitionHash: 'd', createdAt: 0, startedAt: 1 },
});

/** Submissions that the engine accepts. @param task as it is committed; undefined: it is over */
const accepting = (task: TaskRunRow | undefined) =>
  ({
    task: async (
      _: unknown,
      _rights: unknown,
      committed: (row: TaskRunRow, codeHash: string | null) => void,
    ) => {
      if (task !== undefined) committed(task, 'h');
      return { id: 'i', name: 'mix' };
    },
  }) as unknown as Engine['submissions'];

const answer = (task: TaskRunRow | undefined) =>
  submittedTask(accepting(task), { name: 'mix', type: 'mix', rights: allLabs });

describe('the answer to a submitted task', () => {
  it('has its record as it was committed', async () => {
    const record = { id: 'i', state: 'running', code_hash: 'h', started_at: '1970-01-01T00:00:00.001Z' };
    expect(await answer(row)).toMatchObject({ id: 'i', name: 'mix', record });
  });

  it('leaves out a record that is too long for a message, and one that is over', async () => {
    const accepted = { id: 'i', name: 'mix' };
    expect(await answer({ ...row, inputParameters: { text: 'x'.repeat(65_536) } })).toEqual(accepted);
    expect(await answer(undefined)).toEqual(accepted);
  });
});
