import type { JsonObject } from '../json.js';
import { taskRunStates, type TaskRunState } from '../states.js';
import { Described, Field, Optional, choice, free, orNull, text, time } from './fields/field.js';
import { by, line, values, yesNo } from './fields/inputs.js';

/** A resource as a task got it or left it. */
export class ResourceValue {
  @Field(text('Name of the resource.', 'beaker_1')) name!: string;
  @Field(text('Resource type.', 'beaker')) type!: string;
  @Field(free<JsonObject>('Metadata, for example the capacity.')) meta!: JsonObject;
}

/** A resource as it is at this moment: a beaker, a plate, a sample. */
export class ResourceRecord extends ResourceValue {
  @Field(text('Laboratory.', 'color_lab')) lab!: string;
  @Field(
    orNull(
      text(
        'Task that uses the resource: `<protocol run>/<task>`, or an on-demand task; null: none.',
        'mix_1/mix_colors',
      ),
    ),
  )
  used_by!: string | null;
  @Field(orNull(text('Protocol run that keeps the resource between its tasks; null: none.', 'mix_1')))
  held_by!: string | null;
  @Field(orNull(time('Since when that task or run has the resource; null: the resource is free.')))
  since!: string | null;
}

/** Of an act of a person, the fields from `task_run_id` to `slot` are null. */
@Described('A use of a resource by a task, or a change of its data by a person.')
export class ResourceUse {
  @Field(
    choice(
      ['task', 'reset', 'set'],
      '`task`: a task used the resource. `reset`: a person reset its data to the lab file. `set`: a person changed its data.',
    ),
  )
  kind!: 'task' | 'reset' | 'set';
  @Field(
    orNull(text('Id of the task run. For an act of a person this field and those up to `slot` are null.')),
  )
  task_run_id!: string | null;
  @Field(orNull(text('Name of the task.', 'mix_colors'))) task!: string | null;
  @Field(orNull(text('Task type.', 'mix_colors'))) type!: string | null;
  @Field(orNull(text('Protocol run of the task; null for an on-demand task.', 'mix_1')))
  protocol_run!: string | null;
  @Field(orNull(text('Campaign of the protocol run, if any.', 'sweep'))) campaign!: string | null;
  @Field(orNull(choice(taskRunStates))) state!: TaskRunState | null;
  @Field(orNull(text('Resource handle of the task that the resource filled.', 'beaker'))) slot!:
    string | null;
  @Field(free<JsonObject>('Metadata when the task got the resource, or before the act of a person.'))
  taken!: JsonObject;
  @Field(
    orNull(
      free<JsonObject>(
        'Metadata after the task or the act of a person; null: the task has not reported any.',
      ),
    ),
  )
  left!: JsonObject | null;
  @Field(orNull(text('Person who reset or set the data; null for a task.', 'ada'))) by!: string | null;
  @Field(orNull(text('Reason of the person; null for a task.', 'washed by hand'))) reason!: string | null;
  @Field(time('When the task started, or when the person acted.')) started_at!: string;
  @Field(orNull(time('When the task ended, or when the person acted.'))) ended_at!: string | null;
}

/** Resets the data of a resource to the lab file (`POST /api/resources/{resource_name}/reset`). */
export class ResourceReset {
  @Optional(line([0, 2_000], 'Reason, for the history of the resource and for the audit.', 'washed by hand'))
  reason?: string;
  @Optional(
    yesNo(
      'True: resets the resource also while a task or a protocol run has it; this needs a reason. If a running task holds the resource, the values that the task reports when it ends replace the reset. Default: false.',
      false,
    ),
  )
  force?: boolean;
  @Optional(by()) by?: string;
}

/** Changes the data of a resource (`PATCH /api/resources/{resource_name}`). */
export class ResourceChange {
  @Field(
    values('Metadata to set, by name. A value replaces that of the same name; null removes it.', {
      ml: 12.5,
      label: null,
    }),
  )
  meta!: JsonObject;
  @Optional(line([0, 2_000], 'Reason, for the history of the resource and for the audit.', 'weighed by hand'))
  reason?: string;
  @Optional(
    yesNo(
      'True: changes the data also while a task or a protocol run has the resource; this needs a reason. Default: false.',
      false,
    ),
  )
  force?: boolean;
  @Optional(by()) by?: string;
}
