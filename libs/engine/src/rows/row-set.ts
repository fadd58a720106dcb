import { isTerminal } from '@lab/contracts';
import type { WorkingRows } from './ports.js';
import type { DeletionRow, LegalHoldRow } from './deletion-rows.js';
import type {
  AgentRow,
  AllocationKind,
  AllocationRow,
  AttemptRow,
  AttentionRow,
  CampaignRow,
  DefinitionRow,
  DrainRow,
  EmergencyStopRow,
  OutageRow,
  ProtocolRunRow,
  QueuePauseRow,
  ReservationRow,
  ResourceRow,
  RolloutRow,
  TaskRunRow,
  TrialRow,
} from './rows.js';
import { type UsageRow, usageKey } from './usage.js';

/** Rows by key, with indexes for uniqueness and lookups. Rows are replaced, never mutated. */
export type RowSet = ReturnType<typeof emptyRowSet>;

/** Rollouts that are loaded, the latest ones. */
export const keptRollouts = 20;

export function allocationKey(kind: AllocationKind, key: string): string {
  return `${kind}:${key}`;
}

/** Key of the trial of the n-th run of a campaign; n counts from 1. */
export function trialKey(campaignId: string, n: number): string {
  return `${campaignId}/${n}`;
}

export function emptyRowSet() {
  return {
    campaigns: new Map<string, CampaignRow>(),
    protocolRuns: new Map<string, ProtocolRunRow>(),
    taskRuns: new Map<string, TaskRunRow>(),
    attempts: new Map<string, AttemptRow>(),
    /** By {@link trialKey}. */
    trials: new Map<string, TrialRow>(),
    /** By {@link allocationKey}. */
    allocations: new Map<string, AllocationRow>(),
    /** By name. */
    resources: new Map<string, ResourceRow>(),
    /** By computer. */
    agents: new Map<string, AgentRow>(),
    /** Open items, and those that this process resolved. */
    attention: new Map<string, AttentionRow>(),
    emergencyStops: new Map<string, EmergencyStopRow>(),
    queuePauses: new Map<string, QueuePauseRow>(),
    drains: new Map<string, DrainRow>(),
    /** Those in force, by device. */
    outages: new Map<string, OutageRow>(),
    /** Those that have not ended. */
    reservations: new Map<string, ReservationRow>(),
    /** The latest, by id in the order of their beginning. Only the last may be open. */
    rollouts: new Map<string, RolloutRow>(),
    /** Those that are planned or running. */
    deletions: new Map<string, DeletionRow>(),
    /** Those in force. */
    legalHolds: new Map<string, LegalHoldRow>(),
    /** By {@link usageKey}. */
    usage: new Map<string, UsageRow>(),
    /** By hash. */
    definitions: new Map<string, DefinitionRow>(),
    /** Campaign name to id. */
    campaignNames: new Map<string, string>(),
    /** Protocol run name to id. */
    protocolRunNames: new Map<string, string>(),
    /** Name of an unfinished on-demand task to its id. */
    onDemandNames: new Map<string, string>(),
    /** Protocol run id to task name to task run id. */
    tasksOfRun: new Map<string, Map<string, string>>(),
    /** Task run id to the id of its unfinished attempt. */
    liveAttempts: new Map<string, string>(),
  };
}

/** Indexes the rows that a store has loaded. */
export function rowSetOf(rows: WorkingRows): RowSet {
  const set = emptyRowSet();
  for (const row of rows.campaigns) indexCampaign(set, row);
  for (const row of rows.protocolRuns) indexRun(set, row);
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
  for (const row of rows.drains) set.drains.set(row.id, row);
  for (const row of rows.outages) set.outages.set(row.device, row);
  for (const row of rows.reservations) set.reservations.set(row.id, row);
  for (const row of rows.rollouts) set.rollouts.set(row.id, row);
  for (const row of rows.deletions) set.deletions.set(row.id, row);
  for (const row of rows.legalHolds) set.legalHolds.set(row.id, row);
  for (const row of rows.usage) set.usage.set(usageKey(row.kind, row.name), row);
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
    drains: [...set.drains.values()].filter((row) => row.endedAt === null),
    outages: [...set.outages.values()],
    reservations: [...set.reservations.values()],
    rollouts: [...set.rollouts.values()].slice(-keptRollouts),
    deletions: [...set.deletions.values()],
    legalHolds: [...set.legalHolds.values()],
    usage: [...set.usage.values()],
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

export function indexCampaign(set: RowSet, row: CampaignRow): void {
  set.campaigns.set(row.id, row);
  set.campaignNames.set(row.name, row.id);
}

export function indexRun(set: RowSet, row: ProtocolRunRow): void {
  set.protocolRuns.set(row.id, row);
  set.protocolRunNames.set(row.name, row.id);
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
