import {
  attemptTransitions,
  campaignTransitions,
  protocolRunTransitions,
  taskRunTransitions,
  trialTransitions,
} from '@lab/contracts';
import type {
  AgentRow,
  AllocationRow,
  ArchiveRow,
  AttemptRow,
  AttentionRow,
  AuditRow,
  CampaignRow,
  DeletionRow,
  EmergencyStopRow,
  LegalHoldRow,
  OutageRow,
  ProtocolRunRow,
  DrainRow,
  QueuePauseRow,
  ReservationRow,
  ResourceRow,
  RolloutRow,
  TaskRunRow,
  TrialRow,
} from '@lab/engine';
import { tableOf } from './table.js';

/**
 * The tables of the engine's rows. A new field of a row needs one line here: the migration, the commit function, the
 * queries and the conversions follow from it. The column has the name of the field in snake_case.
 */

const oneOf = (column: string, values: readonly string[]): string =>
  `check (${column} in (${values.map((value) => `'${value}'`).join(', ')}))`;

/** Checked at the end of the transaction, because the changes of a commit refer to each other in any order. */
const refersTo = (column: string, table: string): string =>
  `foreign key (${column}) references ${table} deferrable initially deferred`;

/** The states of work and attempts that are over. */
export const endedStates = `('completed','failed','cancelled','skipped','never_ran')`;

/** The condition of the partial indexes. PostgreSQL uses such an index only for a query with the same condition. */
export const unfinished = `state not in ${endedStates}`;

export const campaigns = tableOf<CampaignRow>()({
  name: 'campaign',
  columns: {
    id: 'id',
    name: 'text',
    protocol: 'text',
    owner: 'text',
    submissionId: 'text?',
    priority: 'integer',
    state: 'text',
    ending: 'jsonb?',
    reason: 'jsonb?',
    maxProtocolRuns: 'integer',
    maxConcurrentProtocolRuns: 'integer',
    optimize: 'boolean',
    optimizerIp: 'text',
    optimizer: 'jsonb?',
    globalParameters: 'jsonb',
    protocolRunParameters: 'jsonb?',
    meta: 'jsonb',
    runsStarted: 'integer',
    runsCompleted: 'integer',
    runsFailed: 'integer',
    failurePolicy: 'jsonb',
    onRunFailure: 'text',
    maxFailures: 'integer?',
    pausedAt: 'timestamptz?',
    definitionHash: 'text',
    createdAt: 'timestamptz',
    startedAt: 'timestamptz?',
    endedAt: 'timestamptz?',
  },
  constraints: [
    'constraint campaign_name unique (name)',
    oneOf('state', Object.keys(campaignTransitions)),
    oneOf('on_run_failure', ['stop', 'continue', 'pause']),
    refersTo('definition_hash', 'definition'),
  ],
  fillfactor: 80,
});

export const protocolRuns = tableOf<ProtocolRunRow>()({
  name: 'protocol_run',
  columns: {
    id: 'id',
    name: 'text',
    type: 'text',
    owner: 'text',
    submissionId: 'text?',
    priority: 'integer',
    campaignId: 'id?',
    parameters: 'jsonb',
    failurePolicy: 'jsonb',
    pausedAt: 'timestamptz?',
    meta: 'jsonb',
    state: 'text',
    ending: 'jsonb?',
    reason: 'jsonb?',
    definitionHash: 'text',
    createdAt: 'timestamptz',
    startedAt: 'timestamptz?',
    endedAt: 'timestamptz?',
  },
  constraints: [
    'constraint protocol_run_name unique (name)',
    oneOf('state', Object.keys(protocolRunTransitions)),
    refersTo('campaign_id', 'campaign'),
    refersTo('definition_hash', 'definition'),
  ],
  fillfactor: 80,
});

export const taskRuns = tableOf<TaskRunRow>()({
  name: 'task_run',
  columns: {
    id: 'id',
    name: 'text',
    type: 'text',
    runId: 'id?',
    owner: 'text',
    submissionId: 'text?',
    priority: 'integer',
    state: 'text',
    reason: 'jsonb?',
    cancelRequestedAt: 'timestamptz?',
    definitionHash: 'text',
    devices: 'jsonb',
    resources: 'jsonb',
    inputParameters: 'jsonb',
    inputFiles: 'jsonb',
    outputParameters: 'jsonb?',
    outputResources: 'jsonb?',
    outputFiles: 'jsonb',
    attempt: 'integer',
    failures: 'integer',
    retryAt: 'timestamptz?',
    failurePolicy: 'jsonb',
    computer: 'text?',
    allocationTimeout: 'double precision?',
    meta: 'jsonb',
    createdAt: 'timestamptz',
    queuedAt: 'timestamptz?',
    startedAt: 'timestamptz?',
    lateByS: 'double precision?',
    firstPlan: 'jsonb?',
    lastPlan: 'jsonb?',
    endedAt: 'timestamptz?',
  },
  later: ['firstPlan', 'lastPlan'],
  constraints: [
    oneOf('state', Object.keys(taskRunTransitions)),
    refersTo('run_id', 'protocol_run'),
    refersTo('definition_hash', 'definition'),
  ],
  fillfactor: 70,
});

export const attempts = tableOf<AttemptRow>()({
  name: 'attempt',
  columns: {
    id: 'id',
    taskRunId: 'id',
    number: 'integer',
    state: 'text',
    computer: 'text',
    inc: 'bigint',
    epoch: 'bigint',
    devices: 'jsonb',
    reason: 'jsonb?',
    calls: 'jsonb?',
    runtime: 'jsonb?',
    deadlineAt: 'timestamptz?',
    createdAt: 'timestamptz',
    endedAt: 'timestamptz?',
  },
  later: ['runtime'],
  constraints: [
    'constraint attempt_number unique (task_run_id, number)',
    oneOf('state', Object.keys(attemptTransitions)),
    refersTo('task_run_id', 'task_run'),
  ],
  fillfactor: 70,
});

export const trials = tableOf<TrialRow>()({
  name: 'trial',
  columns: {
    id: 'id',
    campaignId: 'id',
    number: 'integer',
    run: 'text',
    source: 'text',
    state: 'text',
    inputs: 'jsonb',
    outputs: 'jsonb?',
    additional: 'jsonb',
    note: 'jsonb',
    durations: 'jsonb?',
  },
  later: ['durations'],
  constraints: [
    'constraint trial_number unique (campaign_id, number)',
    oneOf('source', ['optimizer', 'ai', 'given']),
    oneOf('state', Object.keys(trialTransitions)),
    refersTo('campaign_id', 'campaign'),
  ],
  fillfactor: 80,
});

export const attention = tableOf<AttentionRow>()({
  name: 'attention',
  columns: {
    id: 'id',
    kind: 'text',
    state: 'text',
    taskRunId: 'id?',
    attemptId: 'id?',
    device: 'text?',
    computer: 'text?',
    reason: 'jsonb',
    known: 'jsonb',
    openedAt: 'timestamptz',
    resolvedAt: 'timestamptz?',
    resolution: 'jsonb?',
    claim: 'jsonb?',
  },
  later: ['claim'],
  constraints: [
    // A later migration adds `process`.
    oneOf('kind', ['task', 'device', 'agent']),
    oneOf('state', ['open', 'resolved']),
    refersTo('task_run_id', 'task_run'),
    refersTo('attempt_id', 'attempt'),
  ],
});

export const emergencyStops = tableOf<EmergencyStopRow>()({
  name: 'emergency_stop',
  columns: {
    id: 'id',
    scope: 'text',
    by: 'text',
    reason: 'text',
    at: 'timestamptz',
    releasedAt: 'timestamptz?',
    releasedBy: 'text?',
  },
});

export const queuePauses = tableOf<QueuePauseRow>()({
  name: 'queue_pause',
  columns: { id: 'id', by: 'text', at: 'timestamptz', resumedAt: 'timestamptz?', resumedBy: 'text?' },
});

export const drains = tableOf<DrainRow>()({
  name: 'drain',
  columns: {
    id: 'id',
    campaignId: 'id?',
    by: 'text',
    at: 'timestamptz',
    endedAt: 'timestamptz?',
    endedBy: 'text?',
  },
  constraints: [refersTo('campaign_id', 'campaign')],
});

export const outages = tableOf<OutageRow>()({
  name: 'outage',
  columns: {
    device: 'text',
    by: 'text',
    reason: 'text',
    at: 'timestamptz',
    until: 'timestamptz?',
    endedAt: 'timestamptz?',
    endedBy: 'text?',
  },
  key: 'device',
});

export const reservations = tableOf<ReservationRow>()({
  name: 'reservation',
  columns: {
    id: 'id',
    kind: 'text',
    key: 'text',
    lab: 'text',
    by: 'text',
    reason: 'text',
    at: 'timestamptz',
    fromAt: 'timestamptz',
    toAt: 'timestamptz',
    endedAt: 'timestamptz?',
    endedBy: 'text?',
  },
});

export const rollouts = tableOf<RolloutRow>()({
  name: 'rollout',
  columns: {
    id: 'id',
    version: 'text',
    state: 'text',
    by: 'text',
    reason: 'text',
    settleMs: 'bigint',
    at: 'timestamptz',
    resumedAt: 'timestamptz?',
    halt: 'jsonb?',
    steps: 'jsonb',
    leftOut: 'jsonb',
    endedAt: 'timestamptz?',
    endedBy: 'text?',
  },
});

export const deletions = tableOf<DeletionRow>()({
  name: 'deletion',
  columns: {
    id: 'id',
    workId: 'id',
    kind: 'text',
    name: 'text',
    owner: 'text',
    labs: 'jsonb',
    what: 'text',
    state: 'text',
    reason: 'text',
    by: 'text',
    at: 'timestamptz',
    dueAt: 'timestamptz',
    endedAt: 'timestamptz?',
    endedBy: 'text?',
    removed: 'jsonb?',
  },
});

export const legalHolds = tableOf<LegalHoldRow>()({
  name: 'legal_hold',
  columns: {
    id: 'id',
    kind: 'text',
    name: 'text',
    reason: 'text',
    by: 'text',
    at: 'timestamptz',
    releasedAt: 'timestamptz?',
    releasedBy: 'text?',
  },
});

export const audit = tableOf<AuditRow>()({
  name: 'audit',
  columns: {
    id: 'id',
    at: 'timestamptz',
    by: 'text',
    action: 'text',
    subject: 'text',
    detail: 'jsonb',
    kind: 'text?',
    requestId: 'text?',
    ip: 'text?',
  },
  // The chain, which a trigger makes.
  others: ['seq bigint not null', 'previous text not null', 'hash text not null'],
  constraints: ['constraint audit_seq unique (seq)'],
});

export const archive = tableOf<ArchiveRow>()({
  name: 'archive',
  columns: {
    id: 'id',
    kind: 'text',
    name: 'text',
    archivedAt: 'timestamptz',
    archivedBy: 'text',
    restoredAt: 'timestamptz?',
  },
  constraints: [oneOf('kind', ['campaign', 'protocol_run', 'task_run'])],
});

export const allocations = tableOf<AllocationRow>()({
  name: 'allocation',
  key: 'kind, key',
  columns: {
    kind: 'text',
    key: 'text',
    taskRunId: 'id?',
    heldByRunId: 'id?',
    fence: 'bigint',
    since: 'timestamptz?',
  },
  constraints: [
    oneOf('kind', ['device', 'resource']),
    'check (fence >= 0)',
    refersTo('task_run_id', 'task_run'),
    refersTo('held_by_run_id', 'protocol_run'),
  ],
  fillfactor: 50,
});

export const resources = tableOf<ResourceRow>()({
  name: 'resource',
  columns: { name: 'text', type: 'text', lab: 'text', meta: 'jsonb' },
  key: 'name',
  fillfactor: 50,
});

export const agents = tableOf<AgentRow>()({
  name: 'agent',
  columns: { computer: 'text', inc: 'bigint', session: 'text' },
  key: 'computer',
  fillfactor: 50,
});

/** The tables of the first migration, in the order in which they refer to each other. Later migrations make the others. */
export const initialTables = [
  campaigns,
  protocolRuns,
  taskRuns,
  attempts,
  trials,
  attention,
  emergencyStops,
  queuePauses,
  audit,
  archive,
  allocations,
  resources,
  agents,
] as const;

/** Every table of the engine's rows. */
export const engineTables = [
  ...initialTables,
  drains,
  outages,
  reservations,
  rollouts,
  deletions,
  legalHolds,
] as const;
