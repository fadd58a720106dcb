import type {
  AttemptState,
  DeviceBinding,
  DeviceReference,
  AttemptCalls,
  AttentionAction,
  AttentionKind,
  FileDescription,
  InputFile,
  RunFailureAction,
  TaskFailurePolicy,
  JsonObject,
  KeptOptimizer,
  Reason,
  ResourceValue,
  RunState,
  TaskParameters,
  TaskRunState,
  Trial,
  WorkKind,
} from '@lab/contracts';
import type { ProtocolSnapshot, TaskSnapshot } from '@lab/definitions/model';

/**
 * What the engine decides about, one type per table. Times are milliseconds since 1970 of the engine's clock. Rows are
 * values: they change only by {@link Change}s.
 */

/** How a run or campaign is going to end as soon as its running tasks have stopped. */
export interface Ending {
  state: 'failed' | 'cancelled';
  reason: Reason;
  since: number;
}

/** The optimizer of a campaign, as far as it outlives its sessions. */
export interface OptimizerRow extends KeptOptimizer {
  /** Laid over its constructor arguments; secrets in it are sealed. */
  overrides: JsonObject;
  /** Rises when what it is made of changes: a session of an earlier revision is of no use. */
  revision: number;
}

export interface CampaignRow {
  id: string;
  name: string;
  protocol: string;
  owner: string;
  priority: number;
  state: RunState;
  ending: Ending | null;
  reason: Reason | null;
  /** 0: no limit. */
  maxProtocolRuns: number;
  maxConcurrentProtocolRuns: number;
  optimize: boolean;
  optimizerIp: string;
  /** Null exactly without `optimize`. */
  optimizer: OptimizerRow | null;
  globalParameters: TaskParameters;
  protocolRunParameters: TaskParameters[] | null;
  meta: JsonObject;
  runsStarted: number;
  runsCompleted: number;
  runsFailed: number;
  /** Task name to what the submission says about its failures. */
  failurePolicy: Record<string, TaskFailurePolicy>;
  onRunFailure: RunFailureAction;
  /** More failed runs than this fail the campaign; null: no limit. */
  maxFailures: number | null;
  /** A person, or a failed run, has paused it; null: not paused. */
  pausedAt: number | null;
  definitionHash: string;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

export interface ProtocolRunRow {
  id: string;
  name: string;
  type: string;
  owner: string;
  priority: number;
  campaignId: string | null;
  parameters: TaskParameters;
  /** Task name to what the submission says about its failures. */
  failurePolicy: Record<string, TaskFailurePolicy>;
  meta: JsonObject;
  state: RunState;
  /** A person has paused it; null: not paused. Kept beside the state, for a run that needs attention may be paused too. */
  pausedAt: number | null;
  ending: Ending | null;
  reason: Reason | null;
  definitionHash: string;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

export interface TaskRunRow {
  id: string;
  /** Name within the run, or of the on-demand task. */
  name: string;
  type: string;
  runId: string | null;
  owner: string;
  priority: number;
  state: TaskRunState;
  reason: Reason | null;
  cancelRequestedAt: number | null;
  definitionHash: string;
  /** Device handle to the device it got; of an on-demand task, the device asked for from the start. */
  devices: Record<string, DeviceReference>;
  /** Resource handle to the resource as the task gets it; of a queued on-demand task, name only with empty meta. */
  resources: Record<string, ResourceValue>;
  /** Resolved values once started; as submitted before. */
  inputParameters: JsonObject;
  /** File handle to the file it gets; of a task of a run, once it has started. */
  inputFiles: Record<string, InputFile>;
  outputParameters: JsonObject | null;
  outputResources: Record<string, ResourceValue> | null;
  outputFiles: FileDescription[];
  /** Number of the latest attempt; 0 before the first. */
  attempt: number;
  /** Attempts that began and failed since it was queued by its run or a person; what `retry.attempts` counts. */
  failures: number;
  /** Of a queued task that failed before: not started again before this moment. */
  retryAt: number | null;
  /** What the submission of an on-demand task says about its failures; empty for a task of a run. */
  failurePolicy: TaskFailurePolicy;
  computer: string | null;
  /** Seconds; null inside a run. */
  allocationTimeout: number | null;
  meta: JsonObject;
  createdAt: number;
  queuedAt: number | null;
  startedAt: number | null;
  /** Seconds that it started later than the greatest lag after its dependencies allowed; null: in time, or no such lag. */
  lateByS: number | null;
  endedAt: number | null;
}

export interface AttemptRow {
  id: string;
  taskRunId: string;
  /** From 1 within the task run. */
  number: number;
  state: AttemptState;
  computer: string;
  /** Incarnation of the agent it was sent to. */
  inc: number;
  /** Epoch of the leader that sent it. */
  epoch: number;
  devices: Record<string, DeviceBinding>;
  /** Why it ended without success; of a running one why the service itself wants it to stop: its time, a stop of people. */
  reason: Reason | null;
  /** What it did to devices, as its agent said at the end; null: not known. */
  calls: AttemptCalls | null;
  /** When it is stopped and has failed, if it still runs; null: no limit. */
  deadlineAt: number | null;
  createdAt: number;
  endedAt: number | null;
}

/** The row of parameters of one run of a campaign with an optimizer; made before the run, and never for another one. */
export interface TrialRow extends Trial {
  /** {@link trialKey} */
  id: string;
  campaignId: string;
}

/** Something that only a person can settle. */
export interface AttentionRow {
  id: string;
  kind: AttentionKind;
  state: 'open' | 'resolved';
  /** Of a task. */
  taskRunId: string | null;
  attemptId: string | null;
  /** Of a device: `<lab>.<device>`. */
  device: string | null;
  computer: string | null;
  reason: Reason;
  /** What is known, for the person who decides. */
  known: JsonObject;
  openedAt: number;
  resolvedAt: number | null;
  /** Without an action: nobody had to decide any more. */
  resolution: { action: AttentionAction | null; by: string; note: string | null } | null;
}

/** A stop of people: of all dispatch (`queue`: a pause), of everything (`all`), of a `lab:<lab>` or a `device:<key>`. */
export interface HaltRow {
  id: string;
  scope: string;
  by: string;
  reason: string;
  at: number;
  /** Null while it is in force. */
  releasedAt: number | null;
  releasedBy: string | null;
}

/** An act of a person, kept for ever. */
export interface AuditRow {
  id: string;
  at: number;
  by: string;
  /** For example `attention.resolve`, `estop.engage`, `queue.pause`. */
  action: string;
  /** What it was done to. */
  subject: string;
  detail: JsonObject;
}

/** Work that is over and out of the lists, with all that belongs to it, or was until it was restored. */
export interface ArchiveRow {
  /** Of the campaign, of the run without one, or of the on-demand task. */
  id: string;
  kind: WorkKind;
  name: string;
  archivedAt: number;
  archivedBy: string;
  /** Null: it is archived. */
  restoredAt: number | null;
}

export type AllocationKind = 'device' | 'resource';

/** Who holds a device (`<lab>.<device>`) or a resource (`<name>`). The row outlives its owners, for the fence. */
export interface AllocationRow {
  kind: AllocationKind;
  key: string;
  /** Task run that uses it or used it last while the run holds it; null: free. */
  taskRunId: string | null;
  /** Run that keeps it between tasks; null when it is freed with the task. */
  heldByRunId: string | null;
  /** Rises by one with every claim. */
  fence: number;
  since: number | null;
}

export interface ResourceRow {
  name: string;
  type: string;
  lab: string;
  meta: JsonObject;
}

export interface AgentRow {
  computer: string;
  /** Rises by one with every new agent process of the computer. */
  inc: number;
  session: string;
}

export type DefinitionRow =
  | { hash: string; kind: 'protocol'; body: ProtocolSnapshot }
  | { hash: string; kind: 'task'; body: TaskSnapshot };

/** A fact for the outside, written in the transaction of the change it tells of. */
export interface OutboxRow {
  /** `<kind>/<id>`, of the kinds of events. */
  aggregate: string;
  /** From 1, without gaps within the aggregate; given by the store. */
  type: string;
  body: JsonObject;
  at: number;
}

/** Tables whose rows are inserted and updated by key. */
export interface Tables {
  campaigns: CampaignRow;
  protocolRuns: ProtocolRunRow;
  taskRuns: TaskRunRow;
  attempts: AttemptRow;
  trials: TrialRow;
}

/** One step of a decision. A decision is a list of changes that is committed whole or not at all. */
export type Change =
  | { op: 'insertCampaign'; row: CampaignRow }
  | { op: 'updateCampaign'; id: string; patch: Partial<Omit<CampaignRow, 'id' | 'name'>> }
  | { op: 'insertProtocolRun'; row: ProtocolRunRow }
  | { op: 'updateProtocolRun'; id: string; patch: Partial<Omit<ProtocolRunRow, 'id' | 'name'>> }
  | { op: 'insertTaskRun'; row: TaskRunRow }
  | { op: 'updateTaskRun'; id: string; patch: Partial<Omit<TaskRunRow, 'id' | 'name'>> }
  | { op: 'insertAttempt'; row: AttemptRow }
  | { op: 'updateAttempt'; id: string; patch: Partial<Omit<AttemptRow, 'id' | 'taskRunId' | 'number'>> }
  | { op: 'insertTrial'; row: TrialRow }
  | { op: 'updateTrial'; id: string; patch: Partial<Pick<TrialRow, 'state' | 'outputs' | 'additional'>> }
  /** Takes a free device or resource; its fence must be one above the stored one. A conflict if it is not free. */
  | { op: 'claim'; kind: AllocationKind; key: string; taskRunId: string; fence: number; at: number }
  /** Passes a held allocation from one task run of a run to the next. The fence rises as well. */
  | {
      op: 'pass';
      kind: AllocationKind;
      key: string;
      runId: string;
      taskRunId: string;
      fence: number;
      at: number;
    }
  /** Keeps the allocation for the run after the task ended. */
  | { op: 'hold'; kind: AllocationKind; key: string; taskRunId: string; runId: string }
  | { op: 'release'; kind: AllocationKind; key: string }
  | { op: 'putResource'; row: ResourceRow }
  | { op: 'putAgent'; row: AgentRow }
  /** Inserted, or written over the one of the same id. */
  | { op: 'putAttention'; row: AttentionRow }
  /** A conflict unless the work is over, belongs to nothing else and is not archived. */
  | { op: 'archive'; row: ArchiveRow }
  /** A conflict unless the work is archived. */
  | { op: 'restore'; id: string; at: number }
  /** Inserted, or written over the one of the same id. */
  | { op: 'putHalt'; row: HaltRow }
  | { op: 'audit'; row: AuditRow }
  /** Inserted when the hash is new. */
  | { op: 'putDefinition'; row: DefinitionRow }
  | { op: 'tell'; event: OutboxRow };
