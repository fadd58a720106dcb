import { ArrayMaxSize, IsArray, IsObject, IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { JsonObject } from '../json.js';
import { MostRunsAtOnce, OptionalWhole, ParametersOfTasks } from './fields.js';
import { IsInline, IsMapOf } from './rules.js';
import type { TaskParameters } from './submissions.js';

const ChangedPriority = (): PropertyDecorator =>
  OptionalWhole(
    {
      description:
        'Higher goes first when work contends; counts from the next decision of the scheduler. What runs is not interrupted.',
      example: 5,
    },
    -1_000_000,
    1_000_000,
  );

/** What is to be different of a task (`PATCH /api/tasks/{task_name}`). Fields that are left out stay. */
export class TaskChange {
  @ChangedPriority()
  priority?: number;

  @JSONSchema({
    description:
      'Parameter name to value; those that are not named stay. Only of a task no attempt of which has begun, and in a protocol run only dynamic parameters.',
    additionalProperties: true,
    example: { duration: 3 },
  })
  @IsOptional()
  @IsObject()
  @IsInline()
  input_parameters?: JsonObject;
}

/** What is to be different of a protocol run (`PATCH /api/protocols/{protocol_run_name}`). Fields that are left out stay. */
export class ProtocolRunChange {
  @ChangedPriority()
  priority?: number;

  @ParametersOfTasks({
    description:
      'Task name to parameter name to value; those that are not named stay. Only of tasks no attempt of which has begun.',
    example: { mix_colors: { cyan_volume: 2.5 } },
  })
  parameters?: TaskParameters;
}

/** What is to be different of a campaign (`PATCH /api/campaigns/{campaign_name}`). Fields that are left out stay. */
export class CampaignChange {
  @ChangedPriority()
  priority?: number;

  @OptionalWhole(
    {
      description:
        'Number of protocol runs in all; not less than have begun. 0: no limit, unless `protocol_run_parameters` lists them.',
      example: 20,
    },
    0,
    100_000,
  )
  max_protocol_runs?: number;

  @MostRunsAtOnce()
  max_concurrent_protocol_runs?: number;

  @ParametersOfTasks({
    description:
      'Parameters of every run that has not begun: task name to parameter name to value; those that are not named stay.',
  })
  global_parameters?: TaskParameters;

  @JSONSchema({
    description:
      'The whole list, run by run, in place of the one there is. The entries of runs that have begun must be what they were, and an optimizer must take the others.',
    items: { type: 'object', additionalProperties: { type: 'object' } },
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100_000)
  @IsMapOf('object', { each: true })
  @IsInline({ entries: true, each: true })
  protocol_run_parameters?: TaskParameters[];
}
