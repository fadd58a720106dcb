import { isTerminal } from '@lab/contracts';
import type { WorkingRows } from './ports.js';
import type {
  AgentRow,
  AllocationKind,
  AllocationRow,
  AttemptRow,
  AttentionRow,
  CampaignRow,
  DefinitionRow,
  EmergencyStopRow,
  ProtocolRunRow,
  QueuePauseRow,
  ResourceRow,
  TaskRunRow,
  TrialRow,
} from './rows.js';

/** Rows by key, with indexes for uniqueness and lookups. Rows are replaced, never mutated. */
export interface RowSet {
  campaigns: Map<string, CampaignRow>;
  protocolRuns: Map<string, ProtocolRunRow>;
  taskRuns: Map<string, TaskRunRow>;
  attempts: Map<string, AttemptRow>;
  /** By {@link trialKey}. */
  trials: Map<string, TrialRow>;
  /** By {@link allocationKey}. */
  allocations: Map<string, AllocationRow>;
  /** By name. */
  resources: Map<string, ResourceRow>;
  /** By computer. */
  agents: Map<string, AgentRow>;
  /** By id: open items, and those that this process resolved. */
  attention: Map<string, AttentionRow>;
  /** By id. */
  emergencyStops: Map<string, EmergencyStopRow>;
  /** By id. */
  queuePauses: Map<string, QueuePauseRow>;
  /** By hash. */
  definitions: Map<string, DefinitionRow>;
  /** Campaign name to id. */
  campaignNames: Map<string, string>;
  /** Protocol run name to id. */
  protocolRunNames: Map<string, string>;
  /** Name of an unfinished on-demand task to its id. */
  onDemandNames: Map<string, string>;
  /** Protocol run id to task name to task run id. */
  tasksOfRun: Map<string, Map<string, string>>;
  /** Task run id to the id of its unfinished attempt. */
  liveAttempts: Map<string, string>;
}

export function allocationKey(kind: AllocationKind, key: string): string {
  return `${kind}:${key}`;
}

/** Key of the trial of the n-th run of a campaign; n counts from 1. */
export function trialKey(campaignId: string, n: number): string {
  return `${campaignId}/${n}`;
}

export function emptyRowSet(): RowSet {
  return {
    campaigns: new Map(),
    protocolRuns: new Map(),
    taskRuns: new Map(),
    attempts: new Map(),
    trials: new Map(),
    allocations: new Map(),
    resources: new Map(),
    agents: new Map(),
    attention: new Map(),
    emergencyStops: new Map(),
    queuePauses: new Map(),
    definitions: new Map(),
    campaignNames: new Map(),
    protocolRunNames: new Map(),
    onDemandNames: new Map(),
    tasksOfRun: new Map(),
    liveAttempts: new Map(),
  };
}

/** Indexes the rows that a store has loaded. */
export function rowSetOf(rows: WorkingRows): RowSet {
  const set = emptyRowSet();
  for (const row of rows.campaigns) {
    set.campaigns.set(row.id, row);
    set.campaignNames.set(row.name, row.id);
  }
  for (const row of rows.protocolRuns) {
    set.protocolRuns.set(row.id, row);
    set.protocolRunNames.set(row.name, row.id);
  }
  for (const row of rows.taskRuns) indexTaskRun(set, row);
  for (const row of rows.attempts) {
    set.attempts.set(row.id, row);
    if (!isTerminal(row.state)) set.liveAttempts.set(row.taskRunId, row.id);
  }
  for (const row of rows.trials) set.trials.set(row.id, row);
  for (const row of rows.allocations) set.allocations.set(allocationKey(row.kind, row.key), row);
  for (const row of rows.resources) set.resources.set(row.name, row);
  for (const row of rows.agents) set.agents.set(row.computer, row);
  for (const row of rows.attention) set.attention.set(row.id, row);
  for (const row of rows.emergencyStops) set.emergencyStops.set(row.id, row);
  for (const row of rows.queuePauses) set.queuePauses.set(row.id, row);
  for (const row of rows.definitions) set.definitions.set(row.hash, row);
  return set;
}

/** The unfinished rows of a set, as a store loads them. The rows are shared with the set. */
export function workingRowsOf(set: RowSet): WorkingRows {
  const campaigns = [...set.campaigns.values()].filter((row) => !isTerminal(row.state));
  const protocolRuns = [...set.protocolRuns.values()].filter((row) => !isTerminal(row.state));
  const openRuns = new Set(protocolRuns.map((row) => row.id));
  const taskRuns = [...set.taskRuns.values()].filter((row) =>
    row.runId === null ? !isTerminal(row.state) : openRuns.has(row.runId),
  );
  const hashes = new Set([...campaigns, ...protocolRuns, ...taskRuns].map((row) => row.definitionHash));
  return {
    campaigns,
    protocolRuns,
    taskRuns,
    attempts: [...set.attempts.values()].filter((row) => !isTerminal(row.state)),
    trials: trialsOf(
      set,
      campaigns.map((row) => row.id),
    ),
    allocations: [...set.allocations.values()],
    resources: [...set.resources.values()],
    agents: [...set.agents.values()],
    attention: [...set.attention.values()].filter((row) => row.state === 'open'),
    emergencyStops: stopsToLoad([...set.emergencyStops.values()]),
    queuePauses: [...set.queuePauses.values()].filter((row) => row.resumedAt === null),
    definitions: [...set.definitions.values()].filter((row) => hashes.has(row.hash)),
  };
}

/** The trials of some campaigns, by campaign and number. */
export function trialsOf(set: RowSet, campaigns: readonly string[]): TrialRow[] {
  const wanted = new Set(campaigns);
  return [...set.trials.values()]
    .filter((row) => wanted.has(row.campaignId))
    .sort((a, b) =>
      a.campaignId < b.campaignId ? -1 : a.campaignId > b.campaignId ? 1 : a.number - b.number,
    );
}

/** Those in force, and the latest 100 that were released. */
function stopsToLoad(stops: readonly EmergencyStopRow[]): EmergencyStopRow[] {
  const released = stops
    .filter((row) => row.releasedAt !== null)
    .sort((a, b) => (a.releasedAt ?? 0) - (b.releasedAt ?? 0));
  return [...stops.filter((row) => row.releasedAt === null), ...released.slice(-100)];
}

/** Adds a task run and its index entries. */
export function indexTaskRun(set: RowSet, row: TaskRunRow): void {
  set.taskRuns.set(row.id, row);
  if (row.runId === null) {
    if (!isTerminal(row.state)) set.onDemandNames.set(row.name, row.id);
    return;
  }
  const tasks = set.tasksOfRun.get(row.runId) ?? new Map<string, string>();
  tasks.set(row.name, row.id);
  set.tasksOfRun.set(row.runId, tasks);
}

/** A copy that changes independently of the original. Both share the rows, because rows are never mutated. */
export function copyRowSet(set: RowSet): RowSet {
  return {
    campaigns: new Map(set.campaigns),
    protocolRuns: new Map(set.protocolRuns),
    taskRuns: new Map(set.taskRuns),
    attempts: new Map(set.attempts),
    trials: new Map(set.trials),
    allocations: new Map(set.allocations),
    resources: new Map(set.resources),
    agents: new Map(set.agents),
    attention: new Map(set.attention),
    emergencyStops: new Map(set.emergencyStops),
    queuePauses: new Map(set.queuePauses),
    definitions: new Map(set.definitions),
    campaignNames: new Map(set.campaignNames),
    protocolRunNames: new Map(set.protocolRunNames),
    onDemandNames: new Map(set.onDemandNames),
    tasksOfRun: new Map([...set.tasksOfRun].map(([run, tasks]) => [run, new Map(tasks)])),
    liveAttempts: new Map(set.liveAttempts),
  };
}
