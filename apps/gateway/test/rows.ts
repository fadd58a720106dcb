import { randomUUID } from 'node:crypto';
import type { Change, TaskRunRow } from '@lab/engine';

const hash = 'a'.repeat(64);

/** A queued on-demand task. */
export function taskRow(name: string, over: Partial<TaskRunRow> = {}): TaskRunRow {
  return {
    id: randomUUID(),
    name,
    type: 'clean_container',
    runId: null,
    owner: 'ada',
    priority: 0,
    state: 'queued',
    reason: null,
    cancelRequestedAt: null,
    definitionHash: hash,
    devices: {},
    resources: {},
    inputParameters: {},
    inputFiles: {},
    outputParameters: null,
    outputResources: null,
    outputFiles: [],
    attempt: 0,
    failures: 0,
    retryAt: null,
    failurePolicy: {},
    computer: null,
    allocationTimeout: 600,
    meta: {},
    createdAt: Date.now(),
    queuedAt: Date.now(),
    startedAt: null,
    lateByS: null,
    endedAt: null,
    ...over,
  };
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
