import type { JsonObject } from '../../json.js';
import { runStates, type RunState } from '../../states.js';
import { Field, Optional, choice, list, orNull, text } from '../fields/field.js';
import {
  changedPriority,
  definedName,
  freeObject,
  owner,
  priority,
  recordName,
  taskParameters,
  yesNo,
  type TaskParameters,
} from '../fields/inputs.js';
import { failurePolicyOfTasks, type TaskFailurePolicy } from './failure-policy.js';
import { TaskRunRecord } from './tasks.js';
import { parametersByTask, RunRecord } from './work.js';

/** One execution of a protocol (`POST /api/protocols`). */
export class ProtocolRunSubmission {
  @Field(recordName('Unique name of the protocol run.', 'mix_1')) name!: string;
  @Field(definedName('Type name of the protocol.', 'color_mixing')) type!: string;
  @Optional(owner()) owner?: string;
  @Optional(priority()) priority?: number;
  @Optional(
    taskParameters(
      'Task name to parameter name to value. Every `svc_dynamic` parameter of the protocol needs a value.',
      { mix_colors: { cyan_volume: 2.5 } },
    ),
  )
  parameters?: TaskParameters;
  @Optional(failurePolicyOfTasks()) failure_policy?: Record<string, TaskFailurePolicy>;
  @Optional(
    yesNo(
      'True: resumes the protocol run of this name that failed or was cancelled. It keeps its first submission and its completed tasks. Default: false.',
      false,
    ),
  )
  resume?: boolean;
  @Optional(freeObject()) meta?: JsonObject;
}

/**
 * What changes about a protocol run (`PATCH /api/protocols/{protocol_run_name}`). A field that is absent stays as it
 * is.
 */
export class ProtocolRunChange {
  @Optional(changedPriority()) priority?: number;
  @Optional(
    taskParameters(
      'Task name to parameter name to value. Parameters that are not named stay as they are. Allowed for tasks whose first attempt has not begun.',
      { mix_colors: { cyan_volume: 2.5 } },
    ),
  )
  parameters?: TaskParameters;
}

/** A protocol run as lists show it: without its tasks. */
export class ProtocolRunSummary extends RunRecord {
  @Field(text('Unique name.', 'mix_1')) name!: string;
  @Field(text('Protocol type.', 'color_mixing')) type!: string;
  @Field(orNull(text('Campaign that the protocol run belongs to, if any.', 'sweep'))) campaign!:
    string | null;
  @Field(parametersByTask()) parameters!: TaskParameters;
  @Field(choice(runStates)) state!: RunState;
}

export class ProtocolRunRecord extends ProtocolRunSummary {
  @Field(list(TaskRunRecord, 'The tasks, in the order of the protocol.')) tasks!: TaskRunRecord[];
}
