import { IsBoolean, IsIn, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { JsonObject } from '../json.js';
import type { Reason, ResourceValue } from './records.js';
import { IsInline, IsMapOf } from './rules.js';

/** What only a person can settle: a task with an unknown outcome, a device in doubt, an agent that does not come back. */
export const attentionKinds = ['task', 'device', 'agent'] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/**
 * What a person may decide. Of a task: `completed` with its outputs, `failed`, or `retry` as a new attempt. Of a device:
 * `idle`, it stands still and is safe to be started anew. Of an agent: `lost`, it will not come back, so what ran there
 * is asked about task by task.
 */
export const attentionActions = ['completed', 'failed', 'retry', 'idle', 'lost'] as const;
export type AttentionAction = (typeof attentionActions)[number];

export const attentionStates = ['open', 'resolved'] as const;
export type AttentionState = (typeof attentionStates)[number];

/** What may be decided of each kind. */
export const attentionActionsOf: { readonly [K in AttentionKind]: readonly AttentionAction[] } = {
  task: ['completed', 'failed', 'retry'],
  device: ['idle'],
  agent: ['lost'],
};

/** Who is recorded when a person does not say who they are. */
export const unnamedPerson = 'unknown';

/** Something that only a person can settle. Times are ISO 8601 in UTC. */
export interface AttentionRecord {
  id: string;
  kind: AttentionKind;
  state: AttentionState;
  /** What it is about: `<protocol run>/<task>` or an on-demand task, `<lab>.<device>`, or a computer. */
  subject: string;
  reason: Reason;
  /** What may be decided of it; empty once it is resolved. */
  actions: AttentionAction[];
  protocol_run: string | null;
  task: string | null;
  /** Number of the attempt in question. */
  attempt: number | null;
  /** `<lab>.<device>`. */
  device: string | null;
  computer: string | null;
  /** What is known: devices, resources, the last confirmed call, calls in doubt, running tasks. */
  known: JsonObject;
  opened_at: string;
  resolved_at: string | null;
  /** Without an action: nobody had to decide any more, and the note says why. */
  resolution: { action: AttentionAction | null; by: string; note: string | null } | null;
}

const by = { description: `Who decides, for the audit. Default "${unnamedPerson}".`, example: 'ada' };

/** A person's decision (`POST /api/attention/{id}/resolve`). */
export class AttentionResolution {
  @JSONSchema({ description: 'What is decided.', enum: [...attentionActions], example: 'completed' })
  @IsIn(attentionActions)
  action!: AttentionAction;

  @JSONSchema(by)
  @IsOptional()
  @IsString()
  @Length(0, 200)
  by?: string;

  @JSONSchema({ description: 'Why, for the audit.', example: 'looked at the beaker: the dose is in' })
  @IsOptional()
  @IsString()
  @Length(0, 2000)
  note?: string;

  @JSONSchema({
    description: 'Of a completed task: its output parameters, checked against its task type.',
    additionalProperties: true,
  })
  @IsOptional()
  @IsObject()
  @IsInline()
  output_parameters?: JsonObject;

  @JSONSchema({
    description: 'Of a completed task: what it left in its resources; one left out is as the task got it.',
    additionalProperties: { type: 'object' },
  })
  @IsOptional()
  @IsMapOf('object')
  @IsInline()
  output_resources?: Record<string, ResourceValue>;
}

/** A person's decision and what it is about. */
export class AttentionDecision extends AttentionResolution {
  @IsString()
  @Length(1, 200)
  id!: string;
}

/** Emergency stop (`POST /api/estop`): of a device, of a laboratory, or of everything. */
export class EmergencyStopRequest {
  @JSONSchema({ description: 'Laboratory to stop. Left out: all.', example: 'color_lab' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  lab_name?: string;

  @JSONSchema({ description: 'Device of that laboratory. Left out: all of it.', example: 'robot_arm' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  device_name?: string;

  @JSONSchema({ description: 'Why, shown wherever work is refused.', example: 'spill on the bench' })
  @IsOptional()
  @IsString()
  @Length(0, 2000)
  reason?: string;

  @JSONSchema(by)
  @IsOptional()
  @IsString()
  @Length(0, 200)
  by?: string;
}

/** Ends emergency stops (`POST /api/estop/release`). */
export class EmergencyStopRelease {
  @JSONSchema({ description: 'Which stop. Left out: every stop in force.' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  id?: string;

  @JSONSchema(by)
  @IsOptional()
  @IsString()
  @Length(0, 200)
  by?: string;
}

/** An emergency stop. Times are ISO 8601 in UTC. */
export interface EmergencyStopRecord {
  id: string;
  /** `all`, `lab:<lab>` or `device:<lab>.<device>`. */
  scope: string;
  reason: string;
  by: string;
  engaged_at: string;
  /** Null while it is in force. */
  released_at: string | null;
  released_by: string | null;
}

/** Puts the data of a resource back to what its lab file says (`POST /api/resources/{resource_name}/reset`). */
export class ResourceReset {
  @JSONSchema({
    description: 'Why, for the history of the resource and the audit.',
    example: 'washed by hand',
  })
  @IsOptional()
  @IsString()
  @Length(0, 2000)
  reason?: string;

  @JSONSchema({
    description:
      'True: also while a task or a protocol run has the resource; then with a reason. Default false.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  force?: boolean;

  @JSONSchema(by)
  @IsOptional()
  @IsString()
  @Length(0, 200)
  by?: string;
}

/** Who pauses or resumes, for the audit. */
export class OperatorNote {
  @JSONSchema(by)
  @IsOptional()
  @IsString()
  @Length(0, 200)
  by?: string;
}

/** What waits, and whether anything may start at present. */
export interface QueueRecord {
  /** True: nothing starts until the queue is resumed. */
  paused: boolean;
  paused_by: string | null;
  paused_at: string | null;
  /** Task runs that wait to start, and those that run. */
  queued: number;
  running: number;
}
