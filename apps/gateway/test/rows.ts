import { randomUUID } from 'node:crypto';
import type { CampaignRow, Change, ProtocolRunRow, TaskRunRow } from '@lab/engine';
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

/** A protocol run that has completed. */
export function runRow(name: string, over: Partial<ProtocolRunRow> = {}): ProtocolRunRow {
  return {
    id: randomUUID(),
    name,
    type: 'color_mixing',
    owner: 'ada',
    submissionId: null,
    priority: 0,
    campaignId: null,
    parameters: {},
    failurePolicy: {},
    pausedAt: null,
    meta: {},
    state: 'completed',
    ending: null,
    reason: null,
    definitionHash: hash,
    createdAt: Date.now(),
    startedAt: Date.now(),
    endedAt: Date.now(),
    ...over,
  };
}

/** A campaign that has completed. */
export function campaignRow(name: string, over: Partial<CampaignRow> = {}): CampaignRow {
  return {
    id: randomUUID(),
    name,
    protocol: 'color_mixing',
    owner: 'ada',
    submissionId: null,
    priority: 0,
    state: 'completed',
    ending: null,
    reason: null,
    maxProtocolRuns: 1,
    maxConcurrentProtocolRuns: 1,
    optimize: false,
    optimizerIp: '127.0.0.1',
    optimizer: null,
    globalParameters: {},
    protocolRunParameters: null,
    meta: {},
    runsStarted: 1,
    runsCompleted: 1,
    runsFailed: 0,
    failurePolicy: {},
    onRunFailure: 'stop',
    maxFailures: null,
    pausedAt: null,
    definitionHash: hash,
    createdAt: Date.now(),
    startedAt: Date.now(),
    endedAt: Date.now(),
    ...over,
  };
}

/** The definition that the rows refer to. */
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
