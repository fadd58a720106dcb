import type { TaskRunRow } from './rows.js';

type Required = 'id' | 'name' | 'type' | 'runId' | 'owner' | 'priority' | 'definitionHash' | 'createdAt';

/**
 * The fields of a task run that attempts and the end of the task set, before its first attempt. A resume resets them.
 */
export function unbegun() {
  return {
    reason: null,
    cancelRequestedAt: null,
    devices: {},
    resources: {},
    inputFiles: {},
    outputParameters: null,
    outputFiles: [],
    failures: 0,
    retryAt: null,
    computer: null,
    queuedAt: null,
    startedAt: null,
    lateByS: null,
    endedAt: null,
  } satisfies Partial<TaskRunRow>;
}

/** A task run in the state `created`, with the default of every field that is not given. */
export function newTaskRun(given: Pick<TaskRunRow, Required> & Partial<TaskRunRow>): TaskRunRow {
  return {
    ...unbegun(),
    submissionId: null,
    state: 'created',
    inputParameters: {},
    outputResources: null,
    attempt: 0,
    failurePolicy: {},
    allocationTimeout: null,
    meta: {},
    ...given,
  };
}
