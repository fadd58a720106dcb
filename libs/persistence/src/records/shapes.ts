import {
  attentionActionsOf,
  isTerminal,
  mediaTypeOf,
  type AttemptRecord,
  type AttentionRecord,
  type AuditRecord,
  type CampaignRecord,
  type CampaignSummary,
  type EmergencyStopRecord,
  type FileDescription,
  type FileRecord,
  type InputFile,
  type InputFileRecord,
  type KeptOptimizer,
  type ProtocolRunRecord,
  type ProtocolRunSummary,
  type ResourceRecord,
  type TaskRunRecord,
  type TaskRunState,
  type Trial,
} from '@lab/contracts';
import { isoTime } from '../connection/index.js';
import type {
  StoredAttempt,
  StoredAttention,
  StoredAudit,
  StoredCampaign,
  StoredEmergencyStop,
  StoredProtocolRun,
  StoredResource,
  StoredTaskRun,
  StoredTrial,
} from '../schema/index.js';
import type { CodeHashes } from './code-hashes.js';

/** Rows of the database as the records that people read. */

/** Definition hash to the hashes of the code it names. */
export type Codes = ReadonlyMap<string, CodeHashes>;

/** Since when the work, or what it belongs to, is archived; null: it is not. */
export interface ArchivedSince {
  archived_at: string | null;
}

export type StoredRunOfCampaign = StoredProtocolRun & ArchivedSince & { campaign: string | null };

export function campaignRecord(row: StoredCampaign & ArchivedSince): CampaignRecord {
  return { ...campaignSummary(row), protocol_run_parameters: row.protocol_run_parameters };
}

export function campaignSummary(
  row: Omit<StoredCampaign, 'protocol_run_parameters'> & ArchivedSince,
): CampaignSummary {
  return {
    id: row.id,
    name: row.name,
    protocol: row.protocol,
    owner: row.owner,
    priority: row.priority,
    state: row.state,
    reason: row.reason,
    cancel_requested_at: cancelRequestedAt(row),
    paused_at: timeOf(row.paused_at),
    max_protocol_runs: row.max_protocol_runs,
    max_concurrent_protocol_runs: row.max_concurrent_protocol_runs,
    optimize: row.optimize,
    optimizer_ip: row.optimizer_ip,
    optimizer: keptOptimizer(row.optimizer),
    global_parameters: row.global_parameters,
    failure_policy: row.failure_policy,
    on_run_failure: row.on_run_failure,
    max_failures: row.max_failures,
    meta: row.meta,
    protocol_runs_started: row.runs_started,
    protocol_runs_completed: row.runs_completed,
    protocol_runs_failed: row.runs_failed,
    definition_hash: row.definition_hash,
    ...times(row),
    archived_at: timeOf(row.archived_at),
    // Only the leading orchestrator knows.
    estimated_completion: null,
  };
}

/** What people may see of an optimizer: not what lies over its arguments, for secrets are in there. */
function keptOptimizer(optimizer: StoredCampaign['optimizer']): KeptOptimizer | null {
  if (optimizer === null) return null;
  const { overrides: _secrets, revision: _own, ...kept } = optimizer;
  return kept;
}

export function trialRecord({ id: _own, campaign_id: _known, ...trial }: StoredTrial): Trial {
  return trial;
}

export function protocolRunRecord(
  row: StoredRunOfCampaign & { tasks: StoredTaskRun[] },
  codes: Codes,
): ProtocolRunRecord {
  return {
    ...protocolRunSummary(row),
    tasks: row.tasks.map((task) => taskRunRecord({ ...task, archived_at: row.archived_at }, row.name, codes)),
  };
}

export function protocolRunSummary(row: StoredRunOfCampaign): ProtocolRunSummary {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    owner: row.owner,
    priority: row.priority,
    campaign: row.campaign,
    parameters: row.parameters,
    failure_policy: row.failure_policy,
    meta: row.meta,
    state: row.state,
    reason: row.reason,
    cancel_requested_at: cancelRequestedAt(row),
    paused_at: timeOf(row.paused_at),
    definition_hash: row.definition_hash,
    ...times(row),
    archived_at: timeOf(row.archived_at),
    // Only the leading orchestrator knows.
    estimated_completion: null,
  };
}

export function taskRunRecord(
  row: StoredTaskRun & ArchivedSince,
  protocolRun: string | null,
  codes: Codes,
): TaskRunRecord {
  const { created_at, started_at, ended_at } = times(row);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    protocol_run: protocolRun,
    owner: row.owner,
    priority: row.priority,
    state: row.state,
    reason: row.reason,
    cancel_requested_at: isTerminal(row.state) ? null : timeOf(row.cancel_requested_at),
    devices: row.devices,
    input_parameters: row.input_parameters,
    input_resources: row.resources,
    input_files: Object.fromEntries(
      Object.entries(row.input_files).map(([handle, file]) => [handle, inputFileRecord(file)]),
    ),
    output_parameters: row.output_parameters,
    output_resources: row.output_resources,
    output_files: row.output_files.map(fileRecord),
    attempt: row.attempt,
    failures: row.failures,
    retry_at: timeOf(row.retry_at),
    late_by_s: row.late_by_s,
    computer: row.computer,
    definition_hash: row.definition_hash,
    code_hash: codes.get(row.definition_hash)?.get(row.type) ?? null,
    allocation_timeout: row.allocation_timeout,
    failure_policy: row.failure_policy,
    meta: row.meta,
    created_at,
    queued_at: timeOf(row.queued_at),
    started_at,
    ended_at,
    archived_at: timeOf(row.archived_at),
  };
}

export function fileRecord({ name, size, sha256 }: FileDescription): FileRecord {
  return { name, size, sha256, media_type: mediaTypeOf(name) };
}

function inputFileRecord(file: InputFile): InputFileRecord {
  return { id: `${file.task_run_id}/${file.attempt}/${file.name}`, ...fileRecord(file) };
}

export function attemptRecord(
  row: StoredAttempt & { task: string; protocol_run: string | null },
): AttemptRecord {
  return {
    id: row.id,
    task_run_id: row.task_run_id,
    task: row.task,
    protocol_run: row.protocol_run,
    number: row.number,
    state: row.state,
    reason: row.reason,
    computer: row.computer,
    devices: Object.fromEntries(
      Object.entries(row.devices).map(([handle, { lab, name }]) => [handle, { lab_name: lab, name }]),
    ),
    calls: row.calls,
    deadline_at: row.deadline_at,
    created_at: row.created_at,
    ended_at: row.ended_at,
  };
}

export type AttentionWithTask = StoredAttention & {
  task: string | null;
  protocol_run: string | null;
  attempt: number | null;
};

export function attentionRecord(row: AttentionWithTask): AttentionRecord {
  const task = row.protocol_run === null ? row.task : `${row.protocol_run}/${row.task ?? ''}`;
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    subject: { task, device: row.device, agent: row.computer }[row.kind] ?? '',
    reason: row.reason,
    actions: row.state === 'open' ? [...attentionActionsOf[row.kind]] : [],
    protocol_run: row.protocol_run,
    task: row.task,
    attempt: row.attempt,
    device: row.device,
    computer: row.computer,
    known: row.known,
    opened_at: row.opened_at,
    resolved_at: row.resolved_at,
    resolution: row.resolution,
  };
}

/** A resource and who has it, by its allocation. */
export type StoredResourceInUse = StoredResource & {
  task: string | null;
  task_state: TaskRunState | null;
  run: string | null;
  held_by: string | null;
  since: string | null;
};

export function resourceRecord(row: StoredResourceInUse): ResourceRecord {
  const { name, type, lab, meta, held_by, since } = row;
  return { name, type, lab, meta, used_by: userOf(row), held_by, since };
}

/** While a run keeps a resource between two tasks, its allocation still names the task that had it last. */
function userOf({ task, task_state: state, run }: StoredResourceInUse): string | null {
  if (task === null || state === null || isTerminal(state)) return null;
  return run === null ? task : `${run}/${task}`;
}

export function auditRecord({ previous: _before, ...entry }: StoredAudit): AuditRecord {
  return entry;
}

export function emergencyStopRecord(row: StoredEmergencyStop): EmergencyStopRecord {
  return {
    id: row.id,
    scope: row.scope,
    reason: row.reason,
    by: row.by,
    engaged_at: row.at,
    released_at: row.released_at,
    released_by: row.released_by,
  };
}

/** Set while a run or campaign still waits for its tasks to stop, because somebody cancelled it. */
function cancelRequestedAt({ state, ending }: Pick<StoredCampaign, 'state' | 'ending'>): string | null {
  if (isTerminal(state) || ending?.state !== 'cancelled') return null;
  return new Date(ending.since).toISOString();
}

/** Times inside aggregated JSON come in the database's own text. */
function times(row: { created_at: string; started_at: string | null; ended_at: string | null }) {
  return {
    created_at: isoTime(row.created_at),
    started_at: timeOf(row.started_at),
    ended_at: timeOf(row.ended_at),
  };
}

function timeOf(text: string | null): string | null {
  return text === null ? null : isoTime(text);
}
