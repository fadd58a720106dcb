import {
  attentionActionsOf,
  attentionChoices,
  attentionLookAt,
  isTerminal,
  mediaTypeOf,
  AttemptRecord,
  type AttentionAction,
  AttentionRecord,
  AuditRecord,
  type CampaignRecord,
  CampaignSummary,
  type CodeRuntime,
  DeletionRecord,
  EmergencyStopRecord,
  type FileDescription,
  type FileRecord,
  type InputFile,
  type InputFileRecord,
  type KeptOptimizer,
  type ProtocolRunRecord,
  ProtocolRunSummary,
  ResourceRecord,
  TaskRunRecord,
  type TaskRunState,
  Trial,
} from '@lab/contracts';
import type { TaskRunRow } from '@lab/engine';
import { isoTime } from '../connection/index.js';
import {
  tables,
  type StoredAttempt,
  type StoredAttention,
  type StoredAudit,
  type StoredCampaign,
  type StoredDeletion,
  type StoredEmergencyStop,
  type StoredProtocolRun,
  type StoredResource,
  type StoredTaskRun,
  type StoredTrial,
} from '../schema/index.js';
import type { CodeHashes } from './code-hashes.js';
import { recordOf } from './record-of.js';

/** Conversions of rows to the records that people read. */

/** The hashes of code, by definition hash. */
export type Codes = ReadonlyMap<string, CodeHashes>;

/** When the work, or the work that it belongs to, was archived; null: it is not archived. */
export interface ArchivedSince {
  archived_at: string | null;
}

/** What executed the latest attempt of a task; null: not known. */
export interface LatestRuntime {
  runtime: CodeRuntime | null;
}

export type StoredRunOfCampaign = StoredProtocolRun & ArchivedSince & { campaign: string | null };

export function campaignRecord(row: StoredCampaign & ArchivedSince): CampaignRecord {
  return { ...campaignSummary(row), protocol_run_parameters: row.protocol_run_parameters };
}

export function campaignSummary(
  row: Omit<StoredCampaign, 'protocol_run_parameters'> & ArchivedSince,
): CampaignSummary {
  return recordOf(CampaignSummary, row, {
    cancel_requested_at: cancelRequestedAt(row),
    optimizer: keptOptimizer(row.optimizer),
    protocol_runs_started: row.runs_started,
    protocol_runs_completed: row.runs_completed,
    protocol_runs_failed: row.runs_failed,
    estimated_completion: knownToLeader,
  });
}

/** Only the leading orchestrator knows when work will be complete. The gateway asks it and fills the field in. */
const knownToLeader = null;

/** What people may see of an optimizer: not its overrides, which may hold secrets. */
function keptOptimizer(optimizer: StoredCampaign['optimizer']): KeptOptimizer | null {
  if (optimizer === null) return null;
  const { overrides: _secrets, revision: _own, ...kept } = optimizer;
  // The release before stored none.
  return { ...kept, runtime: (kept as Partial<KeptOptimizer>).runtime ?? null };
}

export function trialRecord(row: StoredTrial): Trial {
  return recordOf(Trial, row, {});
}

export type StoredRunWithTasks = StoredRunOfCampaign & { tasks: (StoredTaskRun & LatestRuntime)[] };

export function protocolRunRecord(row: StoredRunWithTasks, codes: Codes): ProtocolRunRecord {
  const { name, archived_at } = row;
  return {
    ...protocolRunSummary(row),
    tasks: row.tasks.map((task) => taskRunRecord({ ...withIsoTimes(task), archived_at }, name, codes)),
  };
}

/** The rows that the database puts into JSON have its own text for times. */
function withIsoTimes<Row extends StoredTaskRun>(row: Row): Row {
  const columns: Record<string, unknown> = { ...row };
  for (const { name, kind } of tables.taskRuns.columns) {
    const value = columns[name];
    if (kind === 'timestamptz' && typeof value === 'string') columns[name] = isoTime(value);
  }
  return columns as unknown as Row;
}

export function protocolRunSummary(row: StoredRunOfCampaign): ProtocolRunSummary {
  return recordOf(ProtocolRunSummary, row, {
    cancel_requested_at: cancelRequestedAt(row),
    estimated_completion: knownToLeader,
  });
}

export function taskRunRecord(
  row: StoredTaskRun & ArchivedSince & LatestRuntime,
  protocolRun: string | null,
  codes: Codes,
): TaskRunRecord {
  return recordOf(TaskRunRecord, row, {
    protocol_run: protocolRun,
    cancel_requested_at: isTerminal(row.state) ? null : row.cancel_requested_at,
    input_resources: row.resources,
    input_files: Object.fromEntries(
      Object.entries(row.input_files).map(([handle, file]) => [handle, inputFileRecord(file)]),
    ),
    output_files: row.output_files.map(fileRecord),
    code_hash: codes.get(row.definition_hash)?.get(row.type) ?? null,
  });
}

/** The record of an on-demand task that was just committed. @param codeHash of its code; null: not known */
export function acceptedTaskRecord(row: TaskRunRow, codeHash: string | null): TaskRunRecord {
  const stored = tables.taskRuns.toStored(row) as unknown as StoredTaskRun;
  const hashes = new Map(codeHash === null ? [] : [[row.type, codeHash]]);
  return taskRunRecord(
    { ...stored, archived_at: null, runtime: null },
    null,
    new Map([[row.definitionHash, hashes]]),
  );
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
  const devices = Object.entries(row.devices);
  return recordOf(AttemptRecord, row, {
    devices: Object.fromEntries(devices.map(([handle, { lab, name }]) => [handle, { lab_name: lab, name }])),
  });
}

export type AttentionWithTask = StoredAttention & {
  task: string | null;
  protocol_run: string | null;
  attempt: number | null;
  /** The task or its run is being stopped or has ended, so the task cannot be tried again. Null: it is not about a task. */
  is_stopping: boolean | null;
};

export function attentionRecord(row: AttentionWithTask): AttentionRecord {
  const task = row.protocol_run === null ? row.task : `${row.protocol_run}/${row.task ?? ''}`;
  const isOpen = row.state === 'open';
  const actions = isOpen ? possibleActions(row) : [];
  const facts = { ...row, inRun: row.protocol_run !== null, isStopping: row.is_stopping === true };
  return recordOf(AttentionRecord, row, {
    subject: { task, device: row.device, agent: row.computer, process: row.computer }[row.kind] ?? '',
    actions,
    choices: attentionChoices(facts, actions),
    look_at: isOpen ? attentionLookAt(facts) : [],
    claim: claimAt(Date.now(), row),
  });
}

/** The claim that is in force at a moment, in milliseconds since 1970. */
function claimAt(now: number, { claim }: StoredAttention): AttentionRecord['claim'] {
  if (claim === null || claim.until <= now) return null;
  const { by, since, until } = claim;
  return { by, since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}

function possibleActions(row: AttentionWithTask): AttentionAction[] {
  return attentionActionsOf(row).filter((action) => action !== 'retry' || row.is_stopping !== true);
}

/** A resource with its allocation. */
export type StoredResourceInUse = StoredResource & {
  task: string | null;
  task_state: TaskRunState | null;
  run: string | null;
  held_by: string | null;
  since: string | null;
};

export function resourceRecord(row: StoredResourceInUse): ResourceRecord {
  return recordOf(ResourceRecord, row, { used_by: userOf(row) });
}

/** While a run holds a resource between two tasks, the allocation still names the task that used it last. */
function userOf({ task, task_state: state, run }: StoredResourceInUse): string | null {
  if (task === null || state === null || isTerminal(state)) return null;
  return run === null ? task : `${run}/${task}`;
}

export function auditRecord(row: StoredAudit): AuditRecord {
  return recordOf(AuditRecord, row, {});
}

export function emergencyStopRecord(row: StoredEmergencyStop): EmergencyStopRecord {
  return recordOf(EmergencyStopRecord, row, { engaged_at: row.at });
}

export function deletionRecord(row: StoredDeletion): DeletionRecord {
  return recordOf(DeletionRecord, row, { created_at: row.at });
}

/** The time of a cancel request, while the run or campaign waits for its tasks to stop. */
function cancelRequestedAt({ state, ending }: Pick<StoredCampaign, 'state' | 'ending'>): string | null {
  if (isTerminal(state) || ending?.state !== 'cancelled') return null;
  return new Date(ending.since).toISOString();
}
