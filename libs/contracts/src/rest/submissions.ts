import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsIP,
  IsObject,
  IsOptional,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { JSONSchema } from 'class-validator-jsonschema';
import type { JsonObject } from '../json.js';
import {
  DefinedName,
  DevicesOfTask,
  FailurePolicyOfTasks,
  MostRunsAtOnce,
  OptionalAmount,
  OptionalWhole,
  Owner,
  ParametersOfTasks,
  Priority,
  ResourcesOfTask,
} from './fields.js';
import {
  runFailureActions,
  RetryPolicy,
  TaskFailurePolicy,
  longestPolicyTimeS,
  type RunFailureAction,
} from './failure-policy.js';
import { IsInline, IsMapOf, IsWellFormedName } from './rules.js';

/** Task name to parameter name to value. */
export type TaskParameters = Record<string, JsonObject>;

const taskParameters = { additionalProperties: { type: 'object' } } as const;

/** One execution of a protocol (`POST /api/protocols`). */
export class ProtocolRunSubmission {
  @JSONSchema({ description: 'Unique name of the protocol run.', example: 'mix_1' })
  @IsWellFormedName()
  name!: string;

  @DefinedName({ description: 'Type name of the protocol.', example: 'color_mixing' })
  type!: string;

  @Owner()
  owner?: string;

  @Priority()
  priority?: number;

  @ParametersOfTasks({
    description:
      'Task name to parameter name to value: at least every `svc_dynamic` parameter of the protocol.',
    example: { mix_colors: { cyan_volume: 2.5 } },
  })
  parameters?: TaskParameters;

  @FailurePolicyOfTasks()
  failure_policy?: Record<string, TaskFailurePolicy>;

  @JSONSchema({
    description:
      'True: a protocol run of this name that failed or was cancelled goes on where it stopped, with what it was submitted with; completed tasks are kept. Default false.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  resume?: boolean;

  @JSONSchema({ description: 'Free object kept with the record.' })
  @IsOptional()
  @IsObject()
  @IsInline()
  meta?: JsonObject;
}

/** A protocol run many times (`POST /api/campaigns`). */
export class CampaignSubmission {
  @JSONSchema({ description: 'Unique name of the campaign.', example: 'sweep' })
  @IsWellFormedName()
  name!: string;

  @DefinedName({ description: 'Type name of the protocol to run.', example: 'color_mixing' })
  protocol!: string;

  @Owner()
  owner?: string;

  @Priority()
  priority?: number;

  @JSONSchema({ description: 'Number of protocol runs; 0: no limit.', example: 12 })
  @IsInt()
  @Min(0)
  @Max(100_000)
  max_protocol_runs!: number;

  @MostRunsAtOnce()
  max_concurrent_protocol_runs?: number;

  @JSONSchema({
    description:
      'True: the optimizer of the protocol proposes dynamic parameters, run by run, over those given here. Default false.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  optimize?: boolean;

  @JSONSchema({ description: 'Computer of the optimizer. Default 127.0.0.1.', example: '127.0.0.1' })
  @IsOptional()
  @IsIP()
  optimizer_ip?: string;

  @ParametersOfTasks({ description: 'Parameters of every run.' })
  global_parameters?: TaskParameters;

  @JSONSchema({
    description:
      'Parameters run by run; they override the global ones. Exactly max_protocol_runs entries; with optimize at most so many, and an entry with all inputs of the optimizer is the trial of its run.',
    items: { type: 'object', ...taskParameters },
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100_000)
  @IsMapOf('object', { each: true })
  @IsInline({ entries: true, each: true })
  protocol_run_parameters?: TaskParameters[];

  @FailurePolicyOfTasks()
  failure_policy?: Record<string, TaskFailurePolicy>;

  @JSONSchema({
    description:
      'True: a campaign of this name that failed or was cancelled goes on where it stopped, with what it was submitted with; completed tasks are kept. Default false.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  resume?: boolean;

  @JSONSchema({
    description:
      'When a run has failed: `stop` fails the campaign, `continue` goes on with the next run, `pause` waits for a person. Default stop.',
    enum: [...runFailureActions],
    example: 'continue',
  })
  @IsOptional()
  @IsIn(runFailureActions)
  on_run_failure?: RunFailureAction;

  @OptionalWhole(
    {
      description: 'The campaign fails when more runs than this have failed. Default: no limit.',
      example: 3,
    },
    0,
    100_000,
  )
  max_failures?: number;

  @JSONSchema({
    description:
      'Free object. `optimizer_overrides` is laid over the arguments and runtime parameters of the optimizer; given again when a campaign is resumed, it wins over what was set before.',
  })
  @IsOptional()
  @IsObject()
  @IsInline()
  meta?: JsonObject;
}

/** Parameters run by run, as the submission of a campaign takes them. */
export interface ParameterRows {
  protocol_run_parameters: TaskParameters[];
}

/** Which device of which laboratory. */
export class DeviceReference {
  @DefinedName({ example: 'color_lab' })
  lab_name!: string;

  @DefinedName({ example: 'station_1' })
  name!: string;
}

/** A single task outside any protocol run (`POST /api/tasks`). */
export class TaskSubmission {
  @JSONSchema({ description: 'Unique among queued and running on-demand tasks.', example: 'rinse_1' })
  @IsWellFormedName()
  name!: string;

  @DefinedName({ description: 'Type name of the task.', example: 'clean_beaker' })
  type!: string;

  @Owner()
  owner?: string;

  @DevicesOfTask(DeviceReference)
  devices?: Record<string, DeviceReference>;

  @JSONSchema({ description: 'Parameter name to value.', additionalProperties: true })
  @IsOptional()
  @IsObject()
  @IsInline()
  input_parameters?: JsonObject;

  @ResourcesOfTask()
  input_resources?: Record<string, string>;

  @Priority()
  priority?: number;

  @OptionalAmount(
    {
      description: 'Seconds within which the task must start, else it is recorded as failed. Default 600.',
      example: 600,
    },
    0,
    31_536_000,
  )
  allocation_timeout?: number;

  @OptionalAmount(
    {
      description: 'Seconds that one attempt may run; then it is stopped and has failed. Default: no limit.',
      example: 600,
    },
    0.001,
    longestPolicyTimeS,
  )
  timeout?: number;

  @JSONSchema({ description: 'Tries again after a failure, under the same condition as in a protocol.' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => RetryPolicy)
  retry?: RetryPolicy;

  @JSONSchema({ description: 'Free object kept with the record.' })
  @IsOptional()
  @IsObject()
  @IsInline()
  meta?: JsonObject;
}
