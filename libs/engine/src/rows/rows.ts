import type {
  AttemptState,
  DeviceBinding,
  DeviceReference,
  AttemptCalls,
  AttentionAction,
  AttentionKind,
  CodeRuntime,
  FileDescription,
  InputFile,
  RunFailureAction,
  TaskFailurePolicy,
  JsonObject,
  PrincipalKind,
  KeptOptimizer,
  Reason,
  ResourceValue,
  RolloutState,
  RolloutStepState,
  RunState,
  TaskParameters,
  TaskPlan,
  TaskRunState,
  Trial,
  WorkKind,
} from '@lab/contracts';
import type { ProtocolSnapshot, TaskSnapshot } from '@lab/definitions/model';
import type { DeletionRow, LegalHoldRow } from './deletion-rows.js';

/**
 * The rows that the engine decides about, one type per table. Times are milliseconds since 1970 by the engine's clock.
 * Rows are values: only {@link Change}s replace them.
 */

/** How a run or campaign will end as soon as its running tasks have stopped. */
export interface Ending {
  state: 'failed' | 'cancelled';
  reason: Reason;
  since: number;
}

/** What is stored of the optimizer of a campaign. It outlives the sessions of the optimizer. */
export interface OptimizerRow extends KeptOptimizer {
  /** Replace constructor arguments of the same names; secrets in them are sealed. */
  overrides: JsonObject;
  /** Rises with every change of the optimizer's definition. A session of an earlier revision is discarded. */
  revision: number;
}

/** The fields that a campaign, a protocol run and a task run have in common. */
interface WorkRow {
  id: string;
  /** A task run has its name within the run, or the name of the on-demand task. */
  name: string;
  owner: string;
  /** Id of the submission that made it; null: it is part of other work, or its submission had no id. */
  submissionId: string | null;
  priority: number;
  reason: Reason | null;
  definitionHash: string;
  meta: JsonObject;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

/** The fields that a campaign and a protocol run have in common. */
interface PausableRow extends WorkRow {
  state: RunState;
  ending: Ending | null;
  /** When a person or a failed run paused it; null: not paused. Work that needs attention may be paused too. */
  pausedAt: number | null;
  /** Task name to the failure policy of the submission. */
  failurePolicy: Record<string, TaskFailurePolicy>;
}

export interface CampaignRow extends PausableRow {
  protocol: string;
  /** 0: no limit. */
  maxProtocolRuns: number;
  maxConcurrentProtocolRuns: number;
  optimize: boolean;
  optimizerIp: string;
  /** Null if and only if `optimize` is false. */
  optimizer: OptimizerRow | null;
  globalParameters: TaskParameters;
  protocolRunParameters: TaskParameters[] | null;
  runsStarted: number;
  runsCompleted: number;
  runsFailed: number;
  onRunFailure: RunFailureAction;
  /** The campaign fails when more runs than this have failed; null: no limit. */
  maxFailures: number | null;
}

export interface ProtocolRunRow extends PausableRow {
  type: string;
  campaignId: string | null;
  parameters: TaskParameters;
}

/** Further fields that change together with the state of a row. */
export type PatchOf<Row> = Partial<Omit<Row, 'id' | 'name'>>;

/** The changing fields of a run that has not begun, or of a new campaign. */
export function unstarted() {
  return { ending: null, reason: null, pausedAt: null, startedAt: null, endedAt: null };
}

export interface TaskRunRow extends WorkRow {
  type: string;
  runId: string | null;
  state: TaskRunState;
  cancelRequestedAt: number | null;
  /** Device handle to the device that the task got; for an on-demand task, the device that it asks for. */
  devices: Record<string, DeviceReference>;
  /** The resource as the task gets it, by handle. For a queued on-demand task the name only, with empty meta. */
  resources: Record<string, ResourceValue>;
  /** As submitted while the task waits; resolved once it has started. */
  inputParameters: JsonObject;
  /** File handle to the input file. A task of a run gets its files when it starts. */
  inputFiles: Record<string, InputFile>;
  outputParameters: JsonObject | null;
  outputResources: Record<string, ResourceValue> | null;
  outputFiles: FileDescription[];
  /** Number of the latest attempt; 0 before the first. */
  attempt: number;
  /** Failed attempts since the run or a person queued the task. Counts towards `retry.attempts`. */
  failures: number;
  /** A queued task that has failed does not start before this moment. */
  retryAt: number | null;
  /** Failure policy of the submission of an on-demand task; empty for a task of a run. */
  failurePolicy: TaskFailurePolicy;
  computer: string | null;
  /** Seconds; null inside a run. */
  allocationTimeout: number | null;
  queuedAt: number | null;
  /** Seconds by which the task started after its greatest lag; null: it started in time, or has no such lag. */
  lateByS: number | null;
  /** The first plan that had the task; null: none has had it. No later plan and no resume changes it. */
  firstPlan: TaskPlan | null;
  /** The last plan before its latest start; null: it has not started, or no plan had it. */
  lastPlan: TaskPlan | null;
}

/** The fields of a task run that have no default. */
type GivenField = 'id' | 'name' | 'type' | 'runId' | 'owner' | 'priority' | 'definitionHash' | 'createdAt';

/** The fields that attempts and the end of a task run set, before its first attempt. A resume resets them. */
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
    lastPlan: null,
    endedAt: null,
  } satisfies Partial<TaskRunRow>;
}

/** A task run in the state `created`, with the default of every field that is not given. */
export function newTaskRun(given: Pick<TaskRunRow, GivenField> & Partial<TaskRunRow>): TaskRunRow {
  return {
    ...unbegun(),
    submissionId: null,
    state: 'created',
    inputParameters: {},
    outputResources: null,
    attempt: 0,
    firstPlan: null,
    failurePolicy: {},
    allocationTimeout: null,
    meta: {},
    ...given,
  };
}

export interface AttemptRow {
  id: string;
  taskRunId: string;
  /** From 1 within the task run. */
  number: number;
  state: AttemptState;
  computer: string;
  /** Incarnation of the agent that got the attempt. */
  inc: number;
  /** Epoch of the leader that sent the attempt. */
  epoch: number;
  devices: Record<string, DeviceBinding>;
  /** Why an ended attempt did not succeed, or why the service stops a running one: timeout or emergency stop. */
  reason: Reason | null;
  /** Calls of the attempt on devices, as its agent reported at the end; null: not known. */
  calls: AttemptCalls | null;
  /** What executed its code, as its agent reported at the end; null: not known. */
  runtime: CodeRuntime | null;
  /** When a running attempt is stopped and counts as failed; null: no limit. */
  deadlineAt: number | null;
  createdAt: number;
  /** When its process ended; null: it has not ended, or nobody knows when. */
  endedAt: number | null;
}

/** The parameters of one run of a campaign with an optimizer. Made before the run and never used for another run. */
export interface TrialRow extends Omit<Trial, 'durations'> {
  /** {@link trialKey} */
  id: string;
  campaignId: string;
  /** Seconds that each completed task of its run took; null: the run has not completed. */
  durations: Record<string, number> | null;
}

/** The fields of a trial that the end of its run sets. */
type TrialResult = Pick<TrialRow, 'state' | 'outputs' | 'additional' | 'durations'>;

/** A decision that only a person can make. */
export interface AttentionRow {
  id: string;
  kind: AttentionKind;
  state: 'open' | 'resolved';
  /** Null unless the item is about a task. */
  taskRunId: string | null;
  attemptId: string | null;
  /** `<lab>.<device>`; null unless the item is about a device. */
  device: string | null;
  computer: string | null;
  reason: Reason;
  /** Facts for the person who decides. */
  known: JsonObject;
  openedAt: number;
  resolvedAt: number | null;
  /** Without an action: the cause went away, and nobody had to decide. */
  resolution: { action: AttentionAction | null; by: string; note: string | null } | null;
  /** Who said last that they are deciding, also when `until` is past. Times are milliseconds since 1970. */
  claim: { by: string; since: number; until: number } | null;
}

/** An emergency stop. */
export interface EmergencyStopRow {
  id: string;
  /** `all`, `lab:<lab>` or `device:<lab>.<device>`. */
  scope: string;
  by: string;
  reason: string;
  at: number;
  /** Null while the stop is in force. */
  releasedAt: number | null;
  releasedBy: string | null;
}

/** A pause of the queue: no queued task starts. */
export interface QueuePauseRow {
  id: string;
  by: string;
  at: number;
  /** Null while the queue is paused. */
  resumedAt: number | null;
  resumedBy: string | null;
}

/** A drain: no protocol run and no on-demand task begins. Those that have begun go on to their end. */
export interface DrainRow {
  id: string;
  /** Null: the drain is of all work. */
  campaignId: string | null;
  by: string;
  at: number;
  /** Null while the drain is in force. */
  endedAt: number | null;
  endedBy: string | null;
}

/**
 * A device that a person took out of service, or a computer that a person drains: no task starts on the device, or on any
 * device of the computer. Each has one row, that of its latest outage. A rollout that updates a computer drains it too, in
 * a row of its own.
 */
export interface OutageRow {
  /** `<lab>.<device>`, `computer:<name>`, or `rollout:<name>`. */
  device: string;
  by: string;
  reason: string;
  at: number;
  /** When the device comes back by itself; null: when a person puts it back. */
  until: number | null;
  /** Null while the device is out of service. */
  endedAt: number | null;
  endedBy: string | null;
}

/** How far a rollout is with one computer. */
export interface RolloutStepRow {
  computer: string;
  /** From 1. */
  ring: number;
  platform: string;
  versionBefore: string;
  state: RolloutStepState;
  /** Since when it has this state. */
  since: number;
  /** When its agent was first asked to update in the present try; null: it was not. */
  askedAt: number | null;
  /** Incarnation of the agent that was asked. */
  inc: number | null;
  /** The devices of the computer that were usable before, as `<lab>.<device>`. */
  usable: string[];
  /** Why it failed. */
  failure: string | null;
}

/** An update of the agents of several computers, ring by ring. Only the latest may be open. */
export interface RolloutRow {
  id: string;
  version: string;
  state: RolloutState;
  by: string;
  reason: string;
  /** Between two rings. */
  settleMs: number;
  at: number;
  /** When a person last resumed it. */
  resumedAt: number | null;
  /** Why it is halted; null: it is not. */
  halt: { computer: string; reason: string; at: number } | null;
  /** By ring and name. */
  steps: RolloutStepRow[];
  /** Computers that it does not update, each with the reason. */
  leftOut: { computer: string; reason: string }[];
  endedAt: number | null;
  endedBy: string | null;
}

/** A device or resource that a person has reserved for a time: only tasks of this person start on it then. */
export interface ReservationRow {
  id: string;
  kind: AllocationKind;
  /** `<lab>.<device>`, or the name of the resource. */
  key: string;
  lab: string;
  by: string;
  reason: string;
  at: number;
  /** The reserved time: from this moment, and until just before `toAt`. */
  fromAt: number;
  toAt: number;
  /** Null until its time is over or a person ends it. */
  endedAt: number | null;
  endedBy: string | null;
}

/** An act of a person, kept for ever. */
export interface AuditRow {
  id: string;
  at: number;
  by: string;
  /** For example `attention.resolve`, `estop.engage`, `queue.pause`. */
  action: string;
  /** The record that was acted on, as `<kind>/<id>`. */
  subject: string;
  detail: JsonObject;
  /** How the gateway authenticated the caller. This field and the next two are absent in entries of the engine itself. */
  kind?: PrincipalKind | null;
  /** Id of the request in the log of the gateway. */
  requestId?: string | null;
  /** IP address of the caller. */
  ip?: string | null;
}

/** Archived work with all that belongs to it, hidden from lists. The row stays after a restore. */
export interface ArchiveRow {
  /** Id of the campaign, of the run without a campaign, or of the on-demand task. */
  id: string;
  kind: WorkKind;
  name: string;
  archivedAt: number;
  archivedBy: string;
  /** Null while the work is archived. */
  restoredAt: number | null;
}

export type AllocationKind = 'device' | 'resource';

/**
 * The owner of a device (`<lab>.<device>`) or resource (`<name>`). The row stays, because the fence must keep rising.
 */
export interface AllocationRow {
  kind: AllocationKind;
  key: string;
  /** The task run that uses the unit, or used it last while the run holds it; null: free. */
  taskRunId: string | null;
  /** The run that keeps the unit between its tasks; null: it is freed with the task. */
  heldByRunId: string | null;
  /** Rises by one with every claim and every pass. */
  fence: number;
  /** When the task got the unit; of a free unit, when it became free. Null: no task had it. */
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

/** An event for the outside, stored in the transaction of the change that it reports. */
export interface OutboxRow {
  /** `<kind>/<id>`, with a kind of event. */
  aggregate: string;
  type: string;
  body: JsonObject;
  at: number;
}

/** One step of a decision. A decision is a list of changes that is committed whole or not at all. */
export type Change =
  | { op: 'insertCampaign'; row: CampaignRow }
  | { op: 'updateCampaign'; id: string; patch: PatchOf<CampaignRow> }
  | { op: 'insertProtocolRun'; row: ProtocolRunRow }
  | { op: 'updateProtocolRun'; id: string; patch: PatchOf<ProtocolRunRow> }
  | { op: 'insertTaskRun'; row: TaskRunRow }
  | { op: 'updateTaskRun'; id: string; patch: PatchOf<TaskRunRow> }
  /** Gives first plans to those of these task runs that have none. */
  | { op: 'notePlans'; plans: { id: string; plan: TaskPlan }[] }
  | { op: 'insertAttempt'; row: AttemptRow }
  | { op: 'updateAttempt'; id: string; patch: Partial<Omit<AttemptRow, 'id' | 'taskRunId' | 'number'>> }
  | { op: 'insertTrial'; row: TrialRow }
  | { op: 'updateTrial'; id: string; patch: Partial<TrialResult> }
  /** Takes a free device or resource. The fence must be one above the stored one. Fails when the unit is not free. */
  | { op: 'claim'; kind: AllocationKind; key: string; taskRunId: string; fence: number; at: number }
  /** Passes a held unit from one task run of a run to the next. The fence rises as well. */
  | {
      op: 'pass';
      kind: AllocationKind;
      key: string;
      runId: string;
      taskRunId: string;
      fence: number;
      at: number;
    }
  /** Keeps the unit for the run after the task has ended. */
  | { op: 'hold'; kind: AllocationKind; key: string; taskRunId: string; runId: string }
  | { op: 'release'; kind: AllocationKind; key: string; at: number }
  | { op: 'putResource'; row: ResourceRow }
  | { op: 'putAgent'; row: AgentRow }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putAttention'; row: AttentionRow }
  /** Replaces the row, of which only the claim is new. */
  | { op: 'claimAttention'; row: AttentionRow; by: string }
  /** Fails unless the work is over, belongs to no other work and is not archived. */
  | { op: 'archive'; row: ArchiveRow }
  /** Fails unless the work is archived. */
  | { op: 'restore'; id: string; at: number }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putDeletion'; row: DeletionRow }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putLegalHold'; row: LegalHoldRow }
  /** Inserted, or written over the one of the same id. */
  | { op: 'putEmergencyStop'; row: EmergencyStopRow }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putQueuePause'; row: QueuePauseRow }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putDrain'; row: DrainRow }
  /** Inserts the row, or replaces the row of the same device. */
  | { op: 'putOutage'; row: OutageRow }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putReservation'; row: ReservationRow }
  /** Inserts the row, or replaces the row of the same id. */
  | { op: 'putRollout'; row: RolloutRow }
  | { op: 'audit'; row: AuditRow }
  /** Inserts the definition if its hash is new. */
  | { op: 'putDefinition'; row: DefinitionRow }
  | { op: 'tell'; event: OutboxRow };
