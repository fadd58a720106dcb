import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsIP,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { JSONSchema } from 'class-validator-jsonschema';
import type { JsonObject } from '../json.js';
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

const priority = 'Higher goes first when work contends. Default 0.';
const owner = 'Label of who the work belongs to. Default empty.';
const taskParameters = { additionalProperties: { type: 'object' } } as const;

/** One execution of a protocol (`POST /api/protocols`). */
export class ProtocolRunSubmission {
  @JSONSchema({ description: 'Unique name of the protocol run.', example: 'mix_1' })
  @IsWellFormedName()
  name!: string;

  @JSONSchema({ description: 'Type name of the protocol.', example: 'color_mixing' })
  @IsString()
  @Length(1, 200)
  type!: string;

  @JSONSchema({ description: owner, example: 'ada' })
  @IsOptional()
  @IsString()
  @Length(0, 200)
  owner?: string;

  @JSONSchema({ description: priority, example: 0 })
  @IsOptional()
  @IsInt()
  @Min(-1_000_000)
  @Max(1_000_000)
  priority?: number;

  @JSONSchema({
    ...taskParameters,
    description:
      'Task name to parameter name to value: at least every `svc_dynamic` parameter of the protocol.',
    example: { mix_colors: { cyan_volume: 2.5 } },
  })
  @IsOptional()
  @IsMapOf('object')
  @IsInline({ entries: true })
  parameters?: TaskParameters;

  @JSONSchema({
    description: 'Task name to what is done about its failures, over what the protocol says.',
    additionalProperties: { $ref: '#/components/schemas/TaskFailurePolicy' },
    example: { mix_colors: { timeout: 600, on_failure: 'ask' } },
  })
  @IsOptional()
  @IsMapOf(TaskFailurePolicy)
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

  @JSONSchema({ description: 'Type name of the protocol to run.', example: 'color_mixing' })
  @IsString()
  @Length(1, 200)
  protocol!: string;

  @JSONSchema({ description: owner, example: 'ada' })
  @IsOptional()
  @IsString()
  @Length(0, 200)
  owner?: string;

  @JSONSchema({ description: priority, example: 0 })
  @IsOptional()
  @IsInt()
  @Min(-1_000_000)
  @Max(1_000_000)
  priority?: number;

  @JSONSchema({ description: 'Number of protocol runs; 0: no limit.', example: 12 })
  @IsInt()
  @Min(0)
  @Max(100_000)
  max_protocol_runs!: number;

  @JSONSchema({ description: 'Cap on simultaneous protocol runs. Default 1.', example: 3 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(10_000)
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

  @JSONSchema({ ...taskParameters, description: 'Parameters of every run.' })
  @IsOptional()
  @IsMapOf('object')
  @IsInline({ entries: true })
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

  @JSONSchema({
    description: 'Task name to what is done about its failures, over what the protocol says.',
    additionalProperties: { $ref: '#/components/schemas/TaskFailurePolicy' },
    example: { mix_colors: { timeout: 600, on_failure: 'ask' } },
  })
  @IsOptional()
  @IsMapOf(TaskFailurePolicy)
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

  @JSONSchema({
    description: 'The campaign fails when more runs than this have failed. Default: no limit.',
    example: 3,
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100_000)
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

/** Which device of which laboratory. */
export class DeviceReference {
  @JSONSchema({ example: 'color_lab' })
  @IsString()
  @Length(1, 200)
  lab_name!: string;

  @JSONSchema({ example: 'station_1' })
  @IsString()
  @Length(1, 200)
  name!: string;
}

/** A single task outside any protocol run (`POST /api/tasks`). */
export class TaskSubmission {
  @JSONSchema({ description: 'Unique among queued and running on-demand tasks.', example: 'rinse_1' })
  @IsWellFormedName()
  name!: string;

  @JSONSchema({ description: 'Type name of the task.', example: 'clean_beaker' })
  @IsString()
  @Length(1, 200)
  type!: string;

  @JSONSchema({ description: owner, example: 'ada' })
  @IsOptional()
  @IsString()
  @Length(0, 200)
  owner?: string;

  @JSONSchema({
    description: 'Device handle of the task to the device it shall use.',
    additionalProperties: { $ref: '#/components/schemas/DeviceReference' },
    example: { cleaner: { lab_name: 'color_lab', name: 'cleaning_station' } },
  })
  @IsOptional()
  @IsMapOf(DeviceReference)
  devices?: Record<string, DeviceReference>;

  @JSONSchema({ description: 'Parameter name to value.', additionalProperties: true })
  @IsOptional()
  @IsObject()
  @IsInline()
  input_parameters?: JsonObject;

  @JSONSchema({
    description: 'Resource handle of the task to the name of the resource it shall use.',
    additionalProperties: { type: 'string' },
    example: { beaker: 'beaker_1' },
  })
  @IsOptional()
  @IsMapOf('string')
  input_resources?: Record<string, string>;

  @JSONSchema({ description: priority, example: 0 })
  @IsOptional()
  @IsInt()
  @Min(-1_000_000)
  @Max(1_000_000)
  priority?: number;

  @JSONSchema({
    description: 'Seconds within which the task must start, else it is recorded as failed. Default 600.',
    example: 600,
  })
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(31_536_000)
  allocation_timeout?: number;

  @JSONSchema({
    description: 'Seconds that one attempt may run; then it is stopped and has failed. Default: no limit.',
    example: 600,
  })
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0.001)
  @Max(longestPolicyTimeS)
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
