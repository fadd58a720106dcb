import { randomUUID } from 'node:crypto';
import type { Change, TaskRunRow } from '@lab/engine';
import { newTaskRun } from '@lab/engine/testing';

const hash = 'a'.repeat(64);

/** A queued on-demand task. */
export function taskRow(name: string, over: Partial<TaskRunRow> = {}): TaskRunRow {
  return newTaskRun({
    id: randomUUID(),
    name,
    type: 'clean_container',
    runId: null,
    owner: 'ada',
    submissionId: null,
    priority: 0,
    state: 'queued',
    definitionHash: hash,
    allocationTimeout: 600,
    createdAt: Date.now(),
    queuedAt: Date.now(),
    ...over,
  });
}

/** The definition that {@link taskRow} refers to. */
export const definition: Change = {
  op: 'putDefinition',
  row: {
    hash,
    kind: 'task',
    body: {
      hash,
      task: {
        type: 'clean_container',
        desc: 'Cleans.',
        devices: {},
        input_parameters: {},
        output_parameters: {},
        input_resources: {},
        output_resources: {},
        isolation: 'reusable',
        module: { hash, package: 'color_lab', source: 'tasks/clean/task.ts' },
      },
    },
  },
};
