import type {
  AttemptRow,
  CampaignRow,
  Change,
  AuditRow,
  DefinitionRow,
  DeletionRow,
  LegalHoldRow,
  OptimizerRow,
  OutageRow,
  ProtocolRunRow,
  ReservationRow,
  RolloutRow,
  Store,
  TaskRunRow,
  TrialRow,
  WorkingRows,
} from '@lab/engine';
import { trialKey } from '@lab/engine';
import { newTaskRun } from '@lab/engine/testing';

/** Rows for tests that depend on only one or two of their fields. */

export const t0 = Date.UTC(2026, 10, 21, 2, 55, 33, 120);
export const hash = 'a'.repeat(64);
export const codeHash = 'c'.repeat(64);

export const definition: DefinitionRow = {
  hash,
  kind: 'task',
  body: {
    hash,
    task: {
      type: 'mix',
      desc: 'Mixes.',
      devices: { mixer: { type: 'mixer' } },
      input_parameters: { volume: { type: 'float', unit: 'ml', desc: 'Volume.', min: 0.1, max: 25 } },
      output_parameters: {},
      input_resources: {},
      output_resources: {},
      isolation: 'reusable',
      module: { hash: codeHash, package: 'color_lab', source: 'tasks/mix/task.ts' },
    },
  },
};

export const putDefinition: Change = { op: 'putDefinition', row: definition };

export function campaign(id: string, over: Partial<CampaignRow> = {}): CampaignRow {
  return {
    id,
    name: `campaign ${id}`,
    protocol: 'color_mixing',
    owner: 'ada',
    submissionId: null,
    priority: 3,
    state: 'created',
    ending: null,
    reason: null,
    maxProtocolRuns: 4,
    maxConcurrentProtocolRuns: 2,
    optimize: false,
    optimizerIp: '127.0.0.1',
    optimizer: null,
    globalParameters: { mix: { cyan: 2.5 } },
    protocolRunParameters: [{ mix: { cyan: 1 } }, {}],
    meta: { note: 'ünïcode \u{1F9EA}', nested: { list: [1, null, true, 'x'] } },
    runsStarted: 0,
    runsCompleted: 0,
    runsFailed: 0,
    failurePolicy: { mix: { timeout: 2.5, retry: { attempts: 3 } } },
    onRunFailure: 'continue',
    maxFailures: 2,
    pausedAt: null,
    definitionHash: hash,
    createdAt: t0,
    startedAt: null,
    endedAt: null,
    ...over,
  };
}

export function protocolRun(id: string, over: Partial<ProtocolRunRow> = {}): ProtocolRunRow {
  return {
    id,
    name: `run ${id}`,
    type: 'color_mixing',
    owner: 'ada',
    submissionId: null,
    priority: -2,
    campaignId: null,
    parameters: { mix: { cyan: 2.5 } },
    failurePolicy: { mix: { on_failure: 'ask' } },
    pausedAt: null,
    meta: {},
    state: 'created',
    ending: null,
    reason: null,
    definitionHash: hash,
    createdAt: t0,
    startedAt: null,
    endedAt: null,
    ...over,
  };
}

export function taskRun(id: string, over: Partial<TaskRunRow> = {}): TaskRunRow {
  return newTaskRun({
    id,
    name: `task ${id}`,
    type: 'mix',
    runId: null,
    owner: 'ada',
    priority: 0,
    definitionHash: hash,
    devices: { mixer: { lab_name: 'color_lab', name: 'mixer_1' } },
    resources: { beaker: { name: 'beaker_1', type: 'beaker', meta: { capacity: 300 } } },
    inputParameters: { volume: 0.1, label: '' },
    allocationTimeout: 600.5,
    createdAt: t0,
    ...over,
  });
}

export function attempt(id: string, taskRunId: string, over: Partial<AttemptRow> = {}): AttemptRow {
  return {
    id,
    taskRunId,
    number: 1,
    state: 'dispatching',
    computer: 'svc_computer',
    inc: 7,
    epoch: 1,
    devices: {},
    reason: null,
    calls: null,
    runtime: null,
    deadlineAt: null,
    createdAt: t0,
    endedAt: null,
    ...over,
  };
}

export const optimizer: OptimizerRow = {
  input_names: ['mix.cyan', 'mix.color', 'mix.fast'],
  output_names: ['analyze.score'],
  additional_names: [],
  fields: [{ key: 'p_ai', type: 'number', default: 0, runtime: true, min: 0, max: 1 }],
  runtime_params: { p_ai: 0.25 },
  arguments: { num_initial_samples: 5 },
  insights: [{ id: 'i1', text: 'less cyan', by: 'ada', at: t0, used: false }],
  best: null,
  failure: null,
  runtime: null,
  overrides: { ai_api_key: 'sealed' },
  revision: 2,
};

/** The trial of the n-th run of a campaign. */
export function trial(campaignId: string, n: number, over: Partial<TrialRow> = {}): TrialRow {
  return {
    id: trialKey(campaignId, n),
    campaignId,
    number: n,
    run: `${campaignId}_run_${n}`,
    source: 'optimizer',
    state: 'proposed',
    inputs: { 'mix.cyan': 0.1 + 0.2, 'mix.color': 'blue', 'mix.fast': true },
    outputs: null,
    additional: {},
    note: { journal: 'ünïcode', tokens: { input: 12, output: 3 } },
    durations: null,
    ...over,
  };
}

/** Leads only until the next request, so that the next test can lead. */
export async function lead(store: Pick<Store, 'lead'>, instance: string): Promise<number> {
  const epoch = await store.lead(instance, 0);
  if (epoch === null) throw new Error('another one leads');
  return epoch;
}

export const auditRow: AuditRow = {
  id: 'u1',
  at: t0,
  by: 'ada',
  action: 'queue.pause',
  subject: 'queue',
  detail: { why: null },
};

/** The outage of a device in force, without an end. */
export function outageOf(device: string, more: Partial<OutageRow> = {}): OutageRow {
  const reason = 'the gripper is broken';
  return { device, by: 'ada', reason, at: t0, until: null, endedAt: null, endedBy: null, ...more };
}

const reservation: ReservationRow = {
  id: 'v1',
  kind: 'device',
  key: 'l.d',
  lab: 'l',
  by: 'ada',
  reason: 'calibration',
  at: t0,
  fromAt: t0 + 3_600_000,
  toAt: t0 + 7_200_000,
  endedAt: null,
  endedBy: null,
};
const ofResource: ReservationRow = { ...reservation, id: 'v2', kind: 'resource', key: 'beaker' };
const early: ReservationRow = { ...reservation, id: 'v3' };

const rollout: RolloutRow = {
  ...{ id: 'o1', version: '0.2.0', state: 'running', by: 'ada', reason: 'release', settleMs: 600_000 },
  ...{ at: t0, resumedAt: null, halt: null, endedAt: null, endedBy: null },
  steps: [
    {
      ...{ computer: 'bench pc', ring: 1, platform: 'linux-x64', versionBefore: '0.1.0', state: 'updating' },
      ...{ since: t0 + 5, askedAt: t0 + 5, inc: 2 ** 40, usable: ['color_lab.arm'], failure: null },
    },
  ],
  leftOut: [{ computer: 'svc_computer', reason: 'by hand' }],
};
const halted: RolloutRow = {
  ...rollout,
  ...{ state: 'halted', resumedAt: t0 + 7, halt: { computer: 'bench pc', reason: 'late', at: t0 + 8 } },
};
const earlier: RolloutRow = { ...rollout, id: 'o0', state: 'cancelled', endedAt: t0 + 9, endedBy: 'bob' };

/** Three reservations, of which a person ends one early, and two rollouts, of which one is halted; and what is loaded of them. */
const planned: DeletionRow = {
  ...{ id: 'del1', workId: 'w1', kind: 'campaign', name: 'sweep', owner: 'ada', labs: ['color_lab'] },
  ...{ what: 'everything', state: 'planned', reason: 'a test', by: 'ada', at: t0, dueAt: t0 + 5 },
  ...{ endedAt: null, endedBy: null, removed: null },
};
const running: DeletionRow = { ...planned, id: 'del2', workId: 'w2', what: 'files' };
const held: LegalHoldRow = {
  ...{ id: 'hold1', kind: 'owner', name: 'ada', reason: 'dispute', by: 'eve', at: t0 },
  ...{ releasedAt: null, releasedBy: null },
};
const removed = { task_runs: 3, files: 2, bytes: 10 };

export const others: {
  changes: Change[];
  left: Pick<WorkingRows, 'reservations' | 'rollouts' | 'deletions' | 'legalHolds'>;
} = {
  changes: [
    ...[reservation, ofResource, early].map((row) => ({ op: 'putReservation' as const, row })),
    { op: 'putReservation', row: { ...early, endedAt: t0 + 3, endedBy: 'eve' } },
    ...[earlier, rollout, halted].map((row) => ({ op: 'putRollout' as const, row })),
    ...[planned, running, { ...planned, id: 'del3' }].map((row) => ({ op: 'putDeletion' as const, row })),
    { op: 'putDeletion', row: { ...running, state: 'running' } },
    { op: 'putDeletion', row: { ...planned, id: 'del3', state: 'done', endedAt: t0 + 9, removed } },
    { op: 'putLegalHold', row: held },
    { op: 'putLegalHold', row: { ...held, id: 'hold2', releasedAt: t0 + 2, releasedBy: 'eve' } },
  ],
  left: {
    reservations: [reservation, ofResource],
    rollouts: [earlier, halted],
    deletions: [planned, { ...running, state: 'running' }],
    legalHolds: [held],
  },
};
