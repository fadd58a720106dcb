import type {
  AgentRow,
  AllocationRow,
  ArchiveRow,
  AttemptRow,
  AttentionRow,
  AuditRow,
  CampaignRow,
  HaltRow,
  ProtocolRunRow,
  ResourceRow,
  TaskRunRow,
  TrialRow,
} from '@lab/engine';

/**
 * Which column holds which field: the same name in snake_case, milliseconds as `timestamptz`, objects as `jsonb`. A field
 * added to a row of the engine is a compile error here until it has a column.
 */
type Columns<Row> = { readonly [Field in keyof Row]-?: 'plain' | 'time' };

export const campaignColumns = {
  id: 'plain',
  name: 'plain',
  protocol: 'plain',
  owner: 'plain',
  priority: 'plain',
  state: 'plain',
  ending: 'plain',
  reason: 'plain',
  maxProtocolRuns: 'plain',
  maxConcurrentProtocolRuns: 'plain',
  optimize: 'plain',
  optimizerIp: 'plain',
  optimizer: 'plain',
  globalParameters: 'plain',
  protocolRunParameters: 'plain',
  meta: 'plain',
  runsStarted: 'plain',
  runsCompleted: 'plain',
  runsFailed: 'plain',
  failurePolicy: 'plain',
  onRunFailure: 'plain',
  maxFailures: 'plain',
  pausedAt: 'time',
  definitionHash: 'plain',
  createdAt: 'time',
  startedAt: 'time',
  endedAt: 'time',
} as const satisfies Columns<CampaignRow>;

export const protocolRunColumns = {
  id: 'plain',
  name: 'plain',
  type: 'plain',
  owner: 'plain',
  priority: 'plain',
  campaignId: 'plain',
  parameters: 'plain',
  failurePolicy: 'plain',
  pausedAt: 'time',
  meta: 'plain',
  state: 'plain',
  ending: 'plain',
  reason: 'plain',
  definitionHash: 'plain',
  createdAt: 'time',
  startedAt: 'time',
  endedAt: 'time',
} as const satisfies Columns<ProtocolRunRow>;

export const taskRunColumns = {
  id: 'plain',
  name: 'plain',
  type: 'plain',
  runId: 'plain',
  owner: 'plain',
  priority: 'plain',
  state: 'plain',
  reason: 'plain',
  cancelRequestedAt: 'time',
  definitionHash: 'plain',
  devices: 'plain',
  resources: 'plain',
  inputParameters: 'plain',
  inputFiles: 'plain',
  outputParameters: 'plain',
  outputResources: 'plain',
  outputFiles: 'plain',
  attempt: 'plain',
  failures: 'plain',
  retryAt: 'time',
  failurePolicy: 'plain',
  computer: 'plain',
  allocationTimeout: 'plain',
  meta: 'plain',
  createdAt: 'time',
  queuedAt: 'time',
  startedAt: 'time',
  lateByS: 'plain',
  endedAt: 'time',
} as const satisfies Columns<TaskRunRow>;

export const attemptColumns = {
  id: 'plain',
  taskRunId: 'plain',
  number: 'plain',
  state: 'plain',
  computer: 'plain',
  inc: 'plain',
  epoch: 'plain',
  devices: 'plain',
  reason: 'plain',
  calls: 'plain',
  deadlineAt: 'time',
  createdAt: 'time',
  endedAt: 'time',
} as const satisfies Columns<AttemptRow>;

export const trialColumns = {
  id: 'plain',
  campaignId: 'plain',
  number: 'plain',
  run: 'plain',
  source: 'plain',
  state: 'plain',
  inputs: 'plain',
  outputs: 'plain',
  additional: 'plain',
  note: 'plain',
} as const satisfies Columns<TrialRow>;

export const attentionColumns = {
  id: 'plain',
  kind: 'plain',
  state: 'plain',
  taskRunId: 'plain',
  attemptId: 'plain',
  device: 'plain',
  computer: 'plain',
  reason: 'plain',
  known: 'plain',
  openedAt: 'time',
  resolvedAt: 'time',
  resolution: 'plain',
} as const satisfies Columns<AttentionRow>;

export const haltColumns = {
  id: 'plain',
  scope: 'plain',
  by: 'plain',
  reason: 'plain',
  at: 'time',
  releasedAt: 'time',
  releasedBy: 'plain',
} as const satisfies Columns<HaltRow>;

export const auditColumns = {
  id: 'plain',
  at: 'time',
  by: 'plain',
  action: 'plain',
  subject: 'plain',
  detail: 'plain',
} as const satisfies Columns<AuditRow>;

export const allocationColumns = {
  kind: 'plain',
  key: 'plain',
  taskRunId: 'plain',
  heldByRunId: 'plain',
  fence: 'plain',
  since: 'time',
} as const satisfies Columns<AllocationRow>;

export const archiveColumns = {
  id: 'plain',
  kind: 'plain',
  name: 'plain',
  archivedAt: 'time',
  archivedBy: 'plain',
  restoredAt: 'time',
} as const satisfies Columns<ArchiveRow>;

export const resourceColumns = {
  name: 'plain',
  type: 'plain',
  lab: 'plain',
  meta: 'plain',
} as const satisfies Columns<ResourceRow>;

export const agentColumns = {
  computer: 'plain',
  inc: 'plain',
  session: 'plain',
} as const satisfies Columns<AgentRow>;

type Snake<Text> = Text extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Snake<Tail>}`
    : `_${Lowercase<Head>}${Snake<Tail>}`
  : Text;

/** A row as the database gives it; times as ISO 8601 text. */
export type Stored<Row, Layout extends Columns<Row>> = {
  [Field in keyof Row & string as Snake<Field>]: Layout[Field] extends 'time'
    ? null extends Row[Field]
      ? string | null
      : string
    : Row[Field];
};

const snakeNames = new Map<string, string>();

/** `maxProtocolRuns` as `max_protocol_runs`. */
export function snakeCase(field: string): string {
  let name = snakeNames.get(field);
  if (name === undefined) {
    name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(field, name);
  }
  return name;
}

/** The fields of a row, or of a part of it, as the database reads them from JSON; a field that is absent stays so. */
export function toColumns<Row extends object>(
  columns: Columns<Row>,
  part: Partial<Row>,
): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const field of Object.keys(columns) as (keyof Row & string)[]) {
    const value = part[field];
    if (value === undefined) continue;
    stored[snakeCase(field)] =
      columns[field] === 'time' && typeof value === 'number' ? new Date(value).toISOString() : value;
  }
  return stored;
}

/** A row of the engine from one of the database. */
export function fromColumns<Row extends object>(
  columns: Columns<Row>,
  stored: { readonly [Field in keyof Row & string as Snake<Field>]: unknown },
): Row {
  const values = stored as Readonly<Record<string, unknown>>;
  const row: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(columns)) {
    const value = values[snakeCase(field)];
    row[field] = kind === 'time' && typeof value === 'string' ? Date.parse(value) : value;
  }
  return row as Row;
}
