import type { JsonObject } from '../../json.js';
import { attemptStates, taskRunStates, type AttemptState, type TaskRunState } from '../../states.js';
import {
  Described,
  Field,
  Optional,
  choice,
  free,
  integer,
  list,
  map,
  number,
  object,
  optional,
  orNull,
  text,
  time,
  type TypeOf,
} from '../fields/field.js';
import {
  amount,
  bodiesByName,
  changedPriority,
  definedName,
  freeObject,
  nested,
  owner,
  priority,
  recordName,
  resourcesOfTask,
  values,
} from '../fields/inputs.js';
import { FileRecord, InputFileRecord } from '../files.js';
import { ResourceValue } from '../resources.js';
import { codeRuntime, type CodeRuntime } from './code-runtime.js';
import { attemptTimeout, RetryPolicy, TaskFailurePolicy } from './failure-policy.js';
import { DeviceReference, Reason, WorkRecord } from './work.js';
import type { FieldType } from '../fields/field.js';

/** Device handle of a task to a device. */
export const devicesOfTask = (): FieldType<Record<string, DeviceReference>> =>
  bodiesByName(DeviceReference, 'Device handle of the task to the device that the task uses.', {
    cleaner: { lab_name: 'color_lab', name: 'cleaning_station' },
  });

/** A single task outside any protocol run (`POST /api/tasks`). */
export class TaskSubmission {
  @Field(recordName('Name, unique among queued and running on-demand tasks.', 'rinse_1')) name!: string;
  @Field(definedName('Type name of the task.', 'clean_beaker')) type!: string;
  @Optional(owner()) owner?: string;
  @Optional(devicesOfTask()) devices?: Record<string, DeviceReference>;
  @Optional(values('Parameter name to value.')) input_parameters?: JsonObject;
  @Optional(resourcesOfTask()) input_resources?: Record<string, string>;
  @Optional(priority()) priority?: number;
  @Optional(
    amount(
      [0, 31_536_000],
      'Seconds within which the task must start. After that the service records the task as failed. Default: 600.',
      600,
    ),
  )
  allocation_timeout?: number;
  @Optional(attemptTimeout()) timeout?: number;
  @Optional(
    nested(RetryPolicy, 'Tries the task again after a failure, under the same conditions as in a protocol.'),
  )
  retry?: RetryPolicy;
  @Optional(freeObject()) meta?: JsonObject;
}

/** What changes about a task (`PATCH /api/tasks/{task_name}`). A field that is absent stays as it is. */
export class TaskChange {
  @Optional(changedPriority()) priority?: number;
  @Optional(
    values(
      'Parameter name to value. Parameters that are not named stay as they are. Allowed until the first attempt of the task begins; in a protocol run only for dynamic parameters.',
      { duration: 3 },
    ),
  )
  input_parameters?: JsonObject;
}

/** A task of a protocol run, or an on-demand task. Times are ISO 8601 in UTC. */
export class TaskRunRecord extends WorkRecord {
  @Field(text('Name in the protocol, or name of the on-demand task.', 'mix_colors')) name!: string;
  @Field(text('Task type.', 'mix_colors')) type!: string;
  @Field(orNull(text('Protocol run that the task belongs to; null for an on-demand task.', 'mix_1')))
  protocol_run!: string | null;
  @Field(choice(taskRunStates)) state!: TaskRunState;
  @Field(map(DeviceReference, 'Device handle to the device that the task got.'))
  devices!: Record<string, DeviceReference>;
  @Field(free<JsonObject>('Parameter name to value.')) input_parameters!: JsonObject;
  @Field(map(ResourceValue, 'Resource handle to the resource as the task got it.'))
  input_resources!: Record<string, ResourceValue>;
  @Field(
    map(
      InputFileRecord,
      'File handle to the file that the task got from another task. A task of a protocol run has files once it has started.',
    ),
  )
  input_files!: Record<string, InputFileRecord>;
  @Field(orNull(free<JsonObject>('Parameter name to value; null until the task has completed.')))
  output_parameters!: JsonObject | null;
  @Field(orNull(map(ResourceValue, 'Resource handle to the resource as the task left it.')))
  output_resources!: Record<string, ResourceValue> | null;
  @Field(list(FileRecord, 'Files that the task produced.')) output_files!: FileRecord[];
  @Field(integer('Number of the latest attempt, from 1; 0 before the first attempt.', 1)) attempt!: number;
  @Field(
    integer('Attempts that began and failed since the protocol run or a person last queued the task.', 0),
  )
  failures!: number;
  @Field(
    orNull(time('For a task that waits after a failure: the task does not start again before this moment.')),
  )
  retry_at!: string | null;
  @Field(
    orNull(
      number(
        'Seconds that the task started later than `max_lag` after its dependencies; null: in time, or no such lag.',
        2.5,
      ),
    ),
  )
  late_by_s!: number | null;
  @Field(orNull(text('Computer that the latest attempt ran on.', 'svc_computer'))) computer!: string | null;
  @Field(orNull(text('Content hash of the code of the task; null: not known.'))) code_hash!: string | null;
  /** Of the latest attempt. Null until the attempt has ended. */
  @Field(orNull(codeRuntime)) runtime!: CodeRuntime | null;
  @Field(orNull(number('Seconds within which an on-demand task must start.', 600)))
  allocation_timeout!: number | null;
  /** What the submission of an on-demand task says; empty for a task of a run. */
  @Field(TaskFailurePolicy) failure_policy!: TaskFailurePolicy;
  @Field(orNull(time('When all tasks that this task depends on were done.'))) queued_at!: string | null;
}

const deviceCall = {
  device: text('`<lab>.<device>`.', 'color_lab.station_1'),
  function: text('Function of the device.', 'mix'),
  call_id: text('Unique identifier of the call.'),
};

/**
 * What an attempt did to devices, as its agent recorded it: the last call that is known to have ended, and a call
 * that is not.
 */
export const attemptCalls = object(
  {
    effects: integer('Number of calls of kind `effect` that began.', 2, 0),
    last_confirmed: orNull(object(deviceCall)),
    in_doubt: orNull(
      object({
        ...deviceCall,
        arguments: optional(
          free<JsonObject>(
            'Arguments of the call. A secret one is masked, and long ones are cut. Absent: not recorded.',
          ),
        ),
      }),
    ),
  },
  'What the attempt did to devices, as its agent reported at the end; null: not known.',
);
export type AttemptCalls = TypeOf<typeof attemptCalls>;

/** Attempts are numbered from 1 and never deleted. Times are ISO 8601 in UTC. */
@Described('One execution of a task.')
export class AttemptRecord {
  @Field(text('Unique identifier of the attempt.')) id!: string;
  @Field(text('Id of the task run.')) task_run_id!: string;
  @Field(text('Name of the task.', 'mix_colors')) task!: string;
  @Field(orNull(text('Protocol run that the task belongs to; null for an on-demand task.', 'mix_1')))
  protocol_run!: string | null;
  @Field(integer('Number of the attempt within the task, from 1.', 1)) number!: number;
  @Field(choice(attemptStates)) state!: AttemptState;
  @Field(orNull(Reason)) reason!: Reason | null;
  @Field(text('Computer that the attempt was sent to.', 'svc_computer')) computer!: string;
  @Field(map(DeviceReference, 'Device handle to the device that the attempt had.'))
  devices!: Record<string, DeviceReference>;
  @Field(orNull(attemptCalls)) calls!: AttemptCalls | null;
  /** Null until the attempt has ended. */
  @Field(orNull(codeRuntime)) runtime!: CodeRuntime | null;
  @Field(
    orNull(time('When the service stops the attempt, and the attempt has failed; null: there is no limit.')),
  )
  deadline_at!: string | null;
  @Field(time('When the orchestrator decided to start the attempt.')) created_at!: string;
  @Field(orNull(time('When its process ended, by its agent; null: it has not ended, or nobody knows when.')))
  ended_at!: string | null;
}
