import { Described, Field, Optional, free, integer, map, orNull, text, time } from '../fields/field.js';
import { by, definedName, type TaskParameters } from '../fields/inputs.js';
import type { FieldType } from '../fields/field.js';
import type { JsonObject } from '../../json.js';
import { TaskFailurePolicy } from './failure-policy.js';

/** Pieces that the records of task runs, protocol runs and campaigns share. Times are ISO 8601 in UTC. */

@Described('Why a record is in its state.')
export class Reason {
  /** For example `task_failed`, `allocation_timeout`, `cancelled_by_request`. */
  @Field(text('Stable identifier.', 'task_failed')) code!: string;
  @Field(text('The reason in words.')) message!: string;
  @Optional(text("Stack of the author's code. It has paths inside the package only.")) stack?: string;
}

/** Which device of which laboratory. */
export class DeviceReference {
  @Field(definedName(undefined, 'color_lab')) lab_name!: string;
  @Field(definedName(undefined, 'station_1')) name!: string;
}

/** What every record of work has. */
export class WorkRecord {
  @Field(text('Unique identifier of the record.')) id!: string;
  @Field(text('Label of the owner of the work.', 'ada')) owner!: string;
  @Field(integer('When work competes, the higher priority goes first.', 0)) priority!: number;
  @Field(orNull(Reason)) reason!: Reason | null;
  @Field(free<JsonObject>('Free object kept with the record.')) meta!: JsonObject;
  @Field(text('Content hash of the definitions that the work was accepted with.')) definition_hash!: string;
  @Field(orNull(time('When a person asked to cancel the work that has not stopped yet; else null.')))
  cancel_requested_at!: string | null;
  @Field(time('When the service accepted the work.')) created_at!: string;
  @Field(orNull(time('When the first part of the work started.'))) started_at!: string | null;
  @Field(orNull(time('When the work reached its last state.'))) ended_at!: string | null;
  @Field(
    orNull(time('When the work, or the work that it belongs to, was archived; null: it is not archived.')),
  )
  archived_at!: string | null;
}

/** What protocol runs and campaigns have besides. */
export class RunRecord extends WorkRecord {
  @Field(
    map(
      TaskFailurePolicy,
      'Task name to what the submission says about its failures. It overrides the protocol.',
    ),
  )
  failure_policy!: Record<string, TaskFailurePolicy>;
  /** Separate from the state, because a run that needs attention may be paused as well. */
  @Field(orNull(time('When a person or a failed run paused it; null: it is not paused.')))
  paused_at!: string | null;
  /** As the leading orchestrator calculates it. */
  @Field(orNull(time('When the work is expected to end; null: not known, or the work has ended.')))
  estimated_completion!: string | null;
}

export const parametersByTask = (): FieldType<TaskParameters> =>
  map(free<JsonObject>(), 'Task name to parameter name to value.');

/** Who pauses or resumes, for the audit. */
export class OperatorNote {
  @Optional(by()) by?: string;
}

/** What can be archived. What belongs to it is archived with it. */
export const workKinds = ['campaign', 'protocol_run', 'task_run'] as const;

/** A campaign, a protocol run that belongs to no campaign, or an on-demand task. */
export type WorkKind = (typeof workKinds)[number];

/** The term for each kind of work in texts. */
export const workWords: Readonly<Record<WorkKind, string>> = {
  campaign: 'campaign',
  protocol_run: 'protocol run',
  task_run: 'on-demand task',
};
