import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { JSONSchema } from 'class-validator-jsonschema';
import type { JsonObject } from '../json.js';
import {
  Amount,
  DefinedName,
  DevicesOfTask,
  MostRunsAtOnce,
  OptionalAmount,
  OptionalList,
  OptionalWhole,
  ParametersOfTasks,
  Priority,
  ResourcesOfTask,
} from './fields.js';
import type { RunState, TaskRunState } from '../states.js';
import { IsInline, IsNumbers } from './rules.js';
import { DeviceReference, type TaskParameters } from './submissions.js';

/** Longest time that is simulated, in seconds of the laboratory: a year. */
export const longestSimulationS = 31_536_000;

export const schedulerTypes = ['greedy', 'cpsat'] as const;
export type SchedulerType = (typeof schedulerTypes)[number];

const at = 'Seconds from the beginning at which the first one arrives. Default 0.';
const every = 'Seconds from one arrival to the next. Default 0: all arrive at once.';

/** The scheduling policy of a simulation. */
export class SimulatedScheduler {
  @JSONSchema({ description: 'Policy. Default greedy.', enum: [...schedulerTypes], example: 'cpsat' })
  @IsOptional()
  @IsIn(schedulerTypes)
  type?: SchedulerType;

  @OptionalWhole(
    { description: 'Chance of the searches of `cpsat`. Default 1.', example: 1 },
    0,
    2_147_483_647,
  )
  seed?: number;

  @OptionalAmount({ description: 'Seconds of one tick of `cpsat`. Default 0.1.', example: 0.1 }, 0.001, 3_600)
  resolution?: number;

  @OptionalAmount(
    {
      description: 'Seconds within which `cpsat` moves no start any more. Default 30.',
      example: 30,
    },
    0,
    86_400,
  )
  frozen_window?: number;

  @OptionalWhole(
    {
      description:
        'Rounds of one search of `cpsat`, in place of a limit of time, so that the same seed gives the same report. Default: by the size of the plan.',
      example: 200,
    },
    0,
    1_000_000,
  )
  rounds?: number;
}

/** Protocol runs that arrive one after the other. */
export class SimulatedRuns {
  @DefinedName({ description: 'Type name of the protocol.', example: 'color_mixing' })
  type!: string;

  @OptionalWhole({ description: 'How many runs. Default 1.', example: 20 }, 1, 100_000)
  iterations?: number;

  @OptionalWhole(
    { description: 'Runs of these under way at a time. Default: no limit.', example: 4 },
    1,
    100_000,
  )
  max_concurrent?: number;

  @Priority()
  priority?: number;

  @OptionalAmount({ description: at, example: 0 }, 0, longestSimulationS)
  at?: number;

  @OptionalAmount({ description: every, example: 60 }, 0, longestSimulationS)
  every?: number;

  @ParametersOfTasks({
    description: 'As in a submission; a dynamic parameter that is left out gets a value that fits it.',
  })
  parameters?: TaskParameters;
}

/** A campaign, as it would be submitted. */
export class SimulatedCampaign {
  @DefinedName({ description: 'Type name of the protocol to run.', example: 'color_mixing' })
  protocol!: string;

  @JSONSchema({ description: 'Number of protocol runs.', example: 12 })
  @IsInt()
  @Min(1)
  @Max(100_000)
  max_protocol_runs!: number;

  @MostRunsAtOnce()
  max_concurrent_protocol_runs?: number;

  @Priority()
  priority?: number;

  @OptionalAmount(
    { description: 'Seconds from the beginning at which it arrives. Default 0.', example: 0 },
    0,
    longestSimulationS,
  )
  at?: number;

  @ParametersOfTasks({
    description: 'Parameters of every run; one that is left out gets a value that fits it.',
  })
  global_parameters?: TaskParameters;
}

/** On-demand tasks that arrive one after the other. */
export class SimulatedTasks {
  @DefinedName({ description: 'Type name of the task.', example: 'clean_container' })
  type!: string;

  @OptionalWhole({ description: 'How many. Default 1.', example: 3 }, 1, 100_000)
  count?: number;

  @OptionalAmount({ description: at, example: 0 }, 0, longestSimulationS)
  at?: number;

  @OptionalAmount({ description: every, example: 600 }, 0, longestSimulationS)
  every?: number;

  @OptionalAmount({ description: 'Seconds that one takes. Default 1.', example: 30 }, 0, longestSimulationS)
  duration?: number;

  @Priority(5)
  priority?: number;

  @DevicesOfTask(DeviceReference)
  devices?: Record<string, DeviceReference>;

  @ResourcesOfTask()
  input_resources?: Record<string, string>;

  @JSONSchema({
    description: 'Parameter name to value; a parameter that is left out gets a value that fits it.',
    additionalProperties: true,
  })
  @IsOptional()
  @IsObject()
  @IsInline()
  input_parameters?: JsonObject;

  @OptionalAmount(
    { description: 'Seconds within which one must start, as in a submission. Default 600.' },
    0,
    longestSimulationS,
  )
  allocation_timeout?: number;
}

/** Attempts that fail. */
export class SimulatedFailure {
  @JSONSchema({
    description: 'Task type, `<protocol>.<task>`, or the label of one task: `<protocol run>/<task>`.',
    example: 'mix_colors',
  })
  @IsString()
  @Length(1, 500)
  task!: string;

  @Amount({ description: 'Chance of each attempt to fail, from 0 to 1.', example: 0.05 }, 0, 1)
  probability!: number;

  @JSONSchema({
    description:
      'Whether a failed attempt has moved anything by then: then it is repeated only where that is safe. Default true.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  effects?: boolean;
}

/** A device that is out of order for a while. */
export class SimulatedLoss {
  @JSONSchema({ description: '`<laboratory>.<device>`', example: 'color_lab.station_1' })
  @IsString()
  @Matches(/^[^.]+\..+$/, { message: 'device must be <laboratory>.<device>' })
  device!: string;

  @Amount({ description: 'Seconds from the beginning.', example: 60 }, 0, longestSimulationS)
  at!: number;

  @OptionalAmount(
    { description: 'Seconds until it can be used again. Default: for good.', example: 120 },
    0,
    longestSimulationS,
  )
  for?: number;
}

/** What is to be simulated (`POST /api/simulations`, `svc sim`). Moments and durations are seconds of the laboratory. */
export class SimulationScenario {
  @JSONSchema({ description: 'Names of laboratories. Default: all that are loaded.', example: ['color_lab'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true })
  labs?: string[];

  @JSONSchema({ $ref: '#/components/schemas/SimulatedScheduler' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SimulatedScheduler)
  scheduler?: SimulatedScheduler;

  @OptionalAmount(
    {
      description: 'Tasks take up to this share longer or shorter than expected, from 0 to 0.99. Default 0.',
      example: 0.1,
    },
    0,
    0.99,
  )
  jitter?: number;

  @OptionalWhole(
    {
      description:
        'Chance of durations and failures. The same task has the same luck under every policy. Default 1.',
      example: 42,
    },
    0,
    2_147_483_647,
  )
  seed?: number;

  @OptionalAmount(
    { description: 'Seconds after which the simulation ends. Default 2592000: 30 days.' },
    1,
    longestSimulationS,
  )
  horizon?: number;

  @OptionalList(SimulatedRuns, 'Protocol runs.')
  protocols?: SimulatedRuns[];

  @OptionalList(SimulatedCampaign, 'Campaigns.')
  campaigns?: SimulatedCampaign[];

  @OptionalList(SimulatedTasks, 'On-demand tasks.')
  tasks?: SimulatedTasks[];

  @JSONSchema({
    description:
      'Seconds that tasks really take, in place of what is expected of them: by task type, `<protocol>.<task>` or the label `<protocol run>/<task>`; the most exact one counts.',
    additionalProperties: { type: 'number' },
    example: { mix_colors: 45, 'color_mixing.mix_colors': 50 },
  })
  @IsOptional()
  @IsNumbers({ min: 0, max: longestSimulationS })
  durations?: Record<string, number>;

  @OptionalList(SimulatedFailure, 'Attempts that fail.')
  failures?: SimulatedFailure[];

  @OptionalList(SimulatedLoss, 'Devices that are out of order for a while.')
  losses?: SimulatedLoss[];
}

export const simulatedWaits = ['dependency', 'busy', 'priority', 'held', 'no_device', 'planned'] as const;

/**
 * - `dependency`: tasks that it needs had not ended
 * - `busy`: what it needs was in use by tasks that had begun before it could start
 * - `priority`: what it needs was given to others after it could have started
 * - `held`: what it needs was kept by another protocol run between two of its tasks
 * - `no_device`: every device that fits was out of order
 * - `planned`: all that it needs was free, and it was started later all the same: for a lag, a pause before a retry, or
 *   because the plan keeps something free for others
 */
export type SimulatedWait = (typeof simulatedWaits)[number];

/** Seconds by what was waited for. */
export type WaitingTimes = Record<SimulatedWait, number>;

/** One task of a simulation. Moments are seconds from its beginning; null: that never came. */
export interface SimulatedTaskRecord {
  /** `<protocol run>/<task>`, or the name of the on-demand task. */
  label: string;
  type: string;
  protocol_run: string | null;
  priority: number;
  state: TaskRunState;
  attempts: number;
  /** When nothing but devices and resources was missing. */
  ready: number | null;
  /** Of the latest attempt. */
  start: number | null;
  end: number | null;
  /** Slot to `<lab>.<device>`. */
  devices: Record<string, string>;
  /** Slot to the name of the resource. */
  resources: Record<string, string>;
  waited: WaitingTimes;
}

export interface SimulatedRunRecord {
  name: string;
  type: string;
  campaign: string | null;
  priority: number;
  state: RunState;
  submitted: number;
  start: number | null;
  end: number | null;
}

/** A device or resource, and what it was at. */
export interface SimulatedUnitRecord {
  kind: 'device' | 'resource';
  /** `<lab>.<device>` or the name of the resource. */
  name: string;
  /** Seconds of use, seconds kept by runs between tasks, seconds out of order. */
  busy: number;
  held: number;
  out: number;
  /** Share of the makespan in which it was in use. */
  utilisation: number;
  /** In the order of time. `task`: label of what used it; of a hold the name of the run; null: it was out of order. */
  timeline: { what: 'use' | 'hold' | 'out'; by: string | null; start: number; end: number }[];
}

/** What a simulation found. The same scenario with the same seeds gives the same record, but for `planning`. */
export interface SimulationRecord {
  scheduler: SchedulerType;
  jitter: number;
  seed: number;
  /**
   * - `completed`: all work is over, well or not
   * - `stuck`: what is left waits for ever; `stuck` says for what
   * - `horizon`: the time was over before the work was
   */
  outcome: 'completed' | 'stuck' | 'horizon';
  /** Seconds from the first start of a task to the end of the last one. */
  makespan: number;
  /** Seconds from the beginning to the end of the last task. */
  end: number;
  parallelism: { max: number; average: number };
  tasks_total: number;
  tasks_by_state: Partial<Record<TaskRunState, number>>;
  /** Seconds, of all tasks together. */
  waiting: WaitingTimes;
  protocol_runs: SimulatedRunRecord[];
  tasks: SimulatedTaskRecord[];
  units: SimulatedUnitRecord[];
  /** Tasks that could never start, and why; of at most 100. */
  stuck: { task: string; waits_for: string[] }[];
  /** What did not go by the book, in the order of time. */
  events: { at: number; what: string; subject: string; detail: string }[];
  /** How often the policy was asked for a plan, and how long that took, in milliseconds. */
  planning: { plans: number; total_ms: number; max_ms: number };
}

/** What would become of a protocol run if it was submitted now (`POST /api/protocols/simulate`). Moments are ISO 8601 in UTC. */
export interface WhatIfRecord {
  /** The moment that this describes. */
  at: string;
  scheduler: SchedulerType;
  name: string;
  /** Null: it would never start, or never end. */
  estimated_start: string | null;
  estimated_end: string | null;
  tasks: {
    name: string;
    type: string;
    devices: Record<string, string>;
    resources: Record<string, string>;
    estimated_start: string | null;
    estimated_end: string | null;
  }[];
  /** Other work that is under way: when it is expected to be over without this run and with it. */
  others: {
    kind: 'campaign' | 'protocol_run' | 'task';
    name: string;
    campaign: string | null;
    without: string | null;
    with: string | null;
    /** Seconds; negative: earlier; null: not known. */
    delay: number | null;
  }[];
  /** Why it would not end, and what is not in the estimate. */
  notes: string[];
}
