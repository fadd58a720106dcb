import type { Fault } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { FunctionParameter } from '../messages/function-parameter.js';
import type { KeptOptimizer, Trial } from '../messages/optimizer.js';
import type { AttemptCalls, DeviceDoubt } from '../messages/work.js';
import type { AttemptState, DeviceState, RunState, TaskRunState } from '../states.js';
import type { RunFailureAction, TaskFailurePolicy } from './failure-policy.js';
import type { LogLine } from './logs.js';
import type { AttentionRecord, EmergencyStopRecord } from './operations.js';
import type { DeviceReference, TaskParameters } from './submissions.js';
import type { DeliveryRecord, WebhookRecord } from './webhooks.js';

/** Why a record is in the state it is in; absent where the state needs no reason. */
export interface Reason {
  /** Stable identifier, for example `task_failed`, `allocation_timeout`, `cancelled_by_request`. */
  code: string;
  message: string;
  /** Stack of the author's code, with paths inside the package only. */
  stack?: string;
}

/** A file that a task produced. */
export interface FileRecord {
  name: string;
  /** Bytes. */
  size: number;
  /** SHA-256, hexadecimal. */
  sha256: string;
  /** Media type that the ending of its name stands for; `application/octet-stream` when it stands for none known. */
  media_type: string;
}

/** A file that a task got from another one. */
export interface InputFileRecord extends FileRecord {
  /** `<task run>/<attempt>/<file name>`, with the id of the task run that produced it. */
  id: string;
}

/** A resource as a task got it or left it. */
export interface ResourceValue {
  name: string;
  type: string;
  meta: JsonObject;
}

/** A task inside a protocol run, or an on-demand one. Times are ISO 8601 in UTC. */
export interface TaskRunRecord {
  id: string;
  name: string;
  type: string;
  /** Name of the protocol run it belongs to; null for an on-demand task. */
  protocol_run: string | null;
  owner: string;
  priority: number;
  state: TaskRunState;
  reason: Reason | null;
  /** Set when a cancel was asked for and the task has not stopped yet. */
  cancel_requested_at: string | null;
  devices: Record<string, DeviceReference>;
  input_parameters: JsonObject;
  input_resources: Record<string, ResourceValue>;
  /** File handle to the file it got; of a task of a run, once it has started. */
  input_files: Record<string, InputFileRecord>;
  output_parameters: JsonObject | null;
  output_resources: Record<string, ResourceValue> | null;
  output_files: FileRecord[];
  /** Number of the latest attempt, from 1; 0 before the first. */
  attempt: number;
  /** Attempts that began and failed since it was last queued by its run or by a person. */
  failures: number;
  /** Of a queued task that failed before: not started again before this moment. */
  retry_at: string | null;
  /** Seconds that it started later than `max_lag` after its dependencies allowed; null: in time, or no such lag. */
  late_by_s: number | null;
  /** Computer that the latest attempt ran on. */
  computer: string | null;
  /** Content hash of the definitions it was accepted with: of its protocol, or of the task type of an on-demand task. */
  definition_hash: string;
  /** Content hash of the code it runs; null when that is not known. */
  code_hash: string | null;
  allocation_timeout: number | null;
  /** What the submission of an on-demand task says about its failures; empty for a task of a run. */
  failure_policy: TaskFailurePolicy;
  meta: JsonObject;
  created_at: string;
  queued_at: string | null;
  started_at: string | null;
  ended_at: string | null;
  /** Since when it, or what it belongs to, is archived; null: it is not. */
  archived_at: string | null;
}

/** One execution of a task run. Attempts are numbered from 1 and never deleted. Times are ISO 8601 in UTC. */
export interface AttemptRecord {
  id: string;
  /** Id of the task run. */
  task_run_id: string;
  /** Name of the task run. */
  task: string;
  /** Name of the protocol run it belongs to; null for an on-demand task. */
  protocol_run: string | null;
  number: number;
  state: AttemptState;
  /** Why it did not complete; null while it runs and when it completed. */
  reason: Reason | null;
  computer: string;
  devices: Record<string, DeviceReference>;
  /** What it did to devices, as its agent said at the end; null: not known. */
  calls: AttemptCalls | null;
  /** When it is stopped and has failed, if it still runs; null: no limit. */
  deadline_at: string | null;
  created_at: string;
  ended_at: string | null;
}

/** A protocol run as lists show it: without its tasks. */
export interface ProtocolRunSummary {
  id: string;
  name: string;
  type: string;
  owner: string;
  priority: number;
  /** Name of the campaign it belongs to, if any. */
  campaign: string | null;
  parameters: TaskParameters;
  /** Task name to what the submission says about its failures, over what the protocol says. */
  failure_policy: Record<string, TaskFailurePolicy>;
  meta: JsonObject;
  state: RunState;
  reason: Reason | null;
  cancel_requested_at: string | null;
  /** Since when it is paused; null: it is not. Beside the state, for a run that needs attention may be paused too. */
  paused_at: string | null;
  /** Content hash of the definitions it was accepted with. */
  definition_hash: string;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** Since when it, or what it belongs to, is archived; null: it is not. */
  archived_at: string | null;
  /** When it is expected to be over, as the leading orchestrator counts; null: not known, or it is over. */
  estimated_completion: string | null;
}

/** A protocol run with its tasks in the order of the protocol. */
export interface ProtocolRunRecord extends ProtocolRunSummary {
  tasks: TaskRunRecord[];
}

/** A campaign as lists show it. Its protocol runs are a list of their own. */
export interface CampaignSummary {
  id: string;
  name: string;
  protocol: string;
  owner: string;
  priority: number;
  state: RunState;
  reason: Reason | null;
  cancel_requested_at: string | null;
  /** Since when it is paused, by a person or by a failed run; null: it is not. */
  paused_at: string | null;
  /** 0: no limit. */
  max_protocol_runs: number;
  max_concurrent_protocol_runs: number;
  optimize: boolean;
  optimizer_ip: string;
  /** What is kept of its optimizer, without secrets; null: it has none. */
  optimizer: KeptOptimizer | null;
  global_parameters: TaskParameters;
  /** Task name to what the submission says about its failures, over what the protocol says. */
  failure_policy: Record<string, TaskFailurePolicy>;
  on_run_failure: RunFailureAction;
  /** More failed runs than this fail the campaign; null: no limit. */
  max_failures: number | null;
  meta: JsonObject;
  protocol_runs_started: number;
  protocol_runs_completed: number;
  protocol_runs_failed: number;
  definition_hash: string;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** Since when it, or what it belongs to, is archived; null: it is not. */
  archived_at: string | null;
  /** When it is expected to be over, as the leading orchestrator counts; null: not known, or it is over. */
  estimated_completion: string | null;
}

/** A campaign with the parameters that were submitted run by run. */
export interface CampaignRecord extends CampaignSummary {
  protocol_run_parameters: TaskParameters[] | null;
}

/** A file with where it comes from. */
export interface TaskFileRecord extends FileRecord {
  /** Id and name of the task run that produced it. */
  task_run_id: string;
  task: string;
  type: string;
  /** Name of the protocol run; null for an on-demand task. */
  protocol_run: string | null;
  campaign: string | null;
  owner: string;
  /** Number of the attempt that produced it. */
  attempt: number;
  /** When its task was created. */
  created_at: string;
}

/** A resource as it is at this moment: a beaker, a plate, a sample. */
export interface ResourceRecord extends ResourceValue {
  lab: string;
  /** The task run that uses it, as `<protocol run>/<task>` or the name of the on-demand task; null: none. */
  used_by: string | null;
  /** Name of the protocol run that keeps it between its tasks; null: none. */
  held_by: string | null;
  /** Since when the present task or run has it; null: it is free. */
  since: string | null;
}

/** What a task did with a resource, or that a person put its data back. Times are ISO 8601 in UTC. */
export interface ResourceUse {
  /** `task`: a task had it; `reset`: a person put its data back to what the lab file says. */
  kind: 'task' | 'reset';
  /** Of a reset this and all that follows up to `slot` is null. */
  task_run_id: string | null;
  task: string | null;
  type: string | null;
  protocol_run: string | null;
  campaign: string | null;
  state: TaskRunState | null;
  /** The slot of the task that it filled. */
  slot: string | null;
  /** As the task got it, or as it was before the reset. */
  taken: JsonObject;
  /** As the task or the reset left it; null: the task has not completed, or never said. */
  left: JsonObject | null;
  /** Who reset it, and why; null of a task. */
  by: string | null;
  reason: string | null;
  started_at: string;
  /** Of a reset the same moment. */
  ended_at: string | null;
}

/** An act of a person, kept for ever. The entries are a chain: none can be changed or removed unnoticed. */
export interface AuditRecord {
  id: string;
  /** From 1, without gaps. */
  seq: number;
  at: string;
  by: string;
  /** How they showed who they are; null: it did not come through the gateway. */
  kind: 'local' | 'token' | 'oidc' | null;
  /** For example `attention.resolve`, `estop.engage`, `queue.pause`. */
  action: string;
  /** What it was done to, for example `campaign/sweep`. */
  subject: string;
  detail: JsonObject;
  /** Under which the log has the request, and where that came from; null: it did not come through the gateway. */
  request_id: string | null;
  ip: string | null;
  /** SHA-256 over the hash of the entry before and this one, hexadecimal. */
  hash: string;
}

/** A device as it is at this moment. */
export interface DeviceRecord {
  lab_name: string;
  name: string;
  type: string;
  computer: string;
  state: DeviceState;
  /** What is wrong, in words; null when nothing is. */
  detail: string | null;
  /** The task run that holds it, as `<protocol run>/<task>` or the name of the on-demand task. */
  held_by: string | null;
  /** Stopped by people, with who and why: it takes no calls but queries until it is released; null: it is not. */
  halted: string | null;
  /** Of an uncertain device: what is known, for the person who is asked; null: it is in no doubt. */
  doubt: DeviceDoubt | null;
  functions: {
    name: string;
    kind: 'effect' | 'idempotent' | 'query';
    /** Seconds that a call may take; absent: 60. */
    timeout_s?: number | undefined;
    /** What it does, for people. */
    description?: string | undefined;
    /** By name; absent: not declared, so the arguments of a call are not checked. */
    parameters?: Record<string, FunctionParameter> | undefined;
  }[];
}

/** A function of a device, with nothing left to guess. */
export interface DeviceFunctionRecord {
  name: string;
  kind: 'effect' | 'idempotent' | 'query';
  /** Seconds that a call may take. */
  timeout_s: number;
  /** What it does; null when it does not say. */
  description: string | null;
  /** By name; null: not declared, so the arguments of a call are not checked. */
  parameters: Record<string, FunctionParameter> | null;
}

/** One device as it is at this moment, with what it can do. */
export interface DeviceDetail extends Omit<DeviceRecord, 'functions'> {
  functions: DeviceFunctionRecord[];
  /** What its `_report` returns at this moment; there when it was asked for. */
  report?: JsonObject | undefined;
}

/** RFC 9457 problem details. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  /** What is known about the physical effect of the request. */
  effect?: 'none' | 'maybe' | 'done';
  errors?: Fault[];
  instance?: string;
}

/** What each stored list consists of. */
export interface StoredItems {
  tasks: TaskRunRecord;
  protocol_runs: ProtocolRunSummary;
  campaign_runs: ProtocolRunSummary;
  campaigns: CampaignSummary;
  trials: Trial;
  attempts: AttemptRecord;
  task_attempts: AttemptRecord;
  attention: AttentionRecord;
  emergency_stops: EmergencyStopRecord;
  resources: ResourceRecord;
  resource_uses: ResourceUse;
  files: TaskFileRecord;
  logs: LogLine;
  audit: AuditRecord;
  webhooks: WebhookRecord;
  webhook_deliveries: DeliveryRecord;
}
