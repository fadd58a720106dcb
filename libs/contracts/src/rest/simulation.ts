import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { runStates, taskRunStates, type RunState, type TaskRunState } from '../states.js';
import {
  Described,
  Field,
  Optional,
  choice,
  integer,
  list,
  make,
  map,
  number,
  object,
  orNull,
  text,
  time,
  type FieldType,
  type TypeOf,
} from './fields/field.js';
import {
  amount,
  bodies,
  definedName,
  line,
  mostRunsAtOnce,
  nested,
  oneOf,
  priority,
  resourcesOfTask,
  ruled,
  taskParameters,
  values,
  whole,
  yesNo,
  type TaskParameters,
} from './fields/inputs.js';
import { devicesOfTask } from './work/tasks.js';
import type { DeviceReference } from './work/work.js';
import { schedulerTypes, type SchedulerType } from '../vocabulary.js';

/** Longest time that is simulated, in seconds of the laboratory: a year. */
export const longestSimulationS = 31_536_000;

const seconds = (description: string, example?: number): FieldType<number> =>
  amount([0, longestSimulationS], description, example);
const at = 'Seconds from the beginning to the first arrival. Default: 0.';
const every = 'Seconds from one arrival to the next. Default: 0, all arrive at once.';

/** The scheduling policy of a simulation. */
export class SimulatedScheduler {
  @Optional(oneOf(schedulerTypes, 'Scheduling policy. Default: `greedy`.', 'cpsat')) type?: SchedulerType;
  @Optional(whole([0, 2_147_483_647], 'Random seed of the searches of `cpsat`. Default: 1.', 1))
  seed?: number;
  @Optional(amount([0.001, 3_600], 'Seconds of one tick of `cpsat`. Default: 0.1.', 0.1)) resolution?: number;
  @Optional(amount([0, 86_400], 'Seconds within which `cpsat` no longer moves a start. Default: 30.', 30))
  frozen_window?: number;
  @Optional(
    whole(
      [0, 1_000_000],
      'Rounds of one search of `cpsat`. They replace the time limit, so that the same seed gives the same report. Default: depends on the size of the plan.',
      200,
    ),
  )
  rounds?: number;
}

/** Protocol runs that arrive one after the other. */
export class SimulatedRuns {
  @Field(definedName('Type name of the protocol.', 'color_mixing')) type!: string;
  @Optional(whole([1, 100_000], 'Number of runs. Default: 1.', 20)) iterations?: number;
  @Optional(whole([1, 100_000], 'Most of these runs that may run at the same time. Default: no limit.', 4))
  max_concurrent?: number;
  @Optional(priority()) priority?: number;
  @Optional(seconds(at, 0)) at?: number;
  @Optional(seconds(every, 60)) every?: number;
  @Optional(
    taskParameters(
      'Parameters as in a submission. The simulation chooses a valid value for a dynamic parameter that is absent.',
    ),
  )
  parameters?: TaskParameters;
}

/** A campaign, as it would be submitted. */
export class SimulatedCampaign {
  @Field(definedName('Type name of the protocol to run.', 'color_mixing')) protocol!: string;
  @Field(whole([1, 100_000], 'Number of protocol runs.', 12)) max_protocol_runs!: number;
  @Optional(mostRunsAtOnce()) max_concurrent_protocol_runs?: number;
  @Optional(priority()) priority?: number;
  @Optional(seconds('Seconds from the beginning to its arrival. Default: 0.', 0)) at?: number;
  @Optional(
    taskParameters(
      'Parameters of every run. The simulation chooses a valid value for a parameter that is absent.',
    ),
  )
  global_parameters?: TaskParameters;
}

/** On-demand tasks that arrive one after the other. */
export class SimulatedTasks {
  @Field(definedName('Type name of the task.', 'clean_container')) type!: string;
  @Optional(whole([1, 100_000], 'Number of tasks. Default: 1.', 3)) count?: number;
  @Optional(seconds(at, 0)) at?: number;
  @Optional(seconds(every, 600)) every?: number;
  @Optional(seconds('Seconds that one task takes. Default: 1.', 30)) duration?: number;
  @Optional(priority(5)) priority?: number;
  @Optional(devicesOfTask()) devices?: Record<string, DeviceReference>;
  @Optional(resourcesOfTask()) input_resources?: Record<string, string>;
  @Optional(
    values('Parameter name to value. The simulation chooses a valid value for a parameter that is absent.'),
  )
  input_parameters?: JsonObject;
  @Optional(seconds('Seconds within which one task must start, as in a submission. Default: 600.'))
  allocation_timeout?: number;
}

/** Which tasks an entry of a scenario is about. @param more further sentences, with a space before them */
const namedTask = (example: string, more = '') =>
  line(
    [1, 500],
    `Task type, \`<protocol>.<task>\`, or the label of one task: \`<protocol run>/<task>\`.${more}`,
    example,
  );

/** Attempts that fail. */
export class SimulatedFailure {
  @Field(namedTask('mix_colors')) task!: string;
  @Field(amount([0, 1], 'Probability that an attempt fails, from 0 to 1.', 0.05)) probability!: number;
  @Optional(
    yesNo(
      'True: a failed attempt has caused physical effects before it fails. The task is then repeated only where that is safe. Default: true.',
      false,
    ),
  )
  effects?: boolean;
}

/** What a task does with a device whose twin says how long it takes. */
export class SimulatedCall {
  @Field(namedTask('heat_sample', ' The calls of a task are made one after the other.')) task!: string;
  @Field(line([1, 200], 'Handle of the device in the task.', 'bath')) device!: string;
  @Field(line([1, 200], 'Function that `init_parameters.functions` of the device declares.', 'set_target'))
  function!: string;
  @Optional(values('Arguments. `{name}` is the input parameter of the task with this name.'))
  arguments?: JsonObject;
  @Optional(
    values('Values of the state of the twin, by name: the task waits after the call until all are reached.'),
  )
  until?: JsonObject;
  @Optional(line([1, 200], 'Output parameter of the task that gets the result.', 'temperature'))
  output?: string;
}

/** A duration that depends on a parameter: `base + each * parameter` seconds. */
export class SimulatedPace {
  @Field(namedTask('mix_colors')) task!: string;
  @Field(line([1, 500], 'Parameter of the task with a number.', 'mixing_time')) parameter!: string;
  @Field(seconds('Seconds for each unit of the parameter.', 0.02)) each!: number;
  @Optional(seconds('Seconds that the task takes in any case. Default: 0.', 0.4)) base?: number;
}

/** A device that is out of order for a while. */
export class SimulatedLoss {
  @Field(
    ruled(
      text('`<laboratory>.<device>`', 'color_lab.station_1'),
      { pattern: '^[^.]+\\..+$' },
      ({ IsString, Matches }) => [
        IsString(),
        Matches(/^[^.]+\..+$/, { message: 'device must be <laboratory>.<device>' }),
      ],
    ),
  )
  device!: string;
  @Field(seconds('Seconds from the beginning.', 60)) at!: number;
  @Optional(seconds('Seconds until the device can be used again. Default: for ever.', 120)) for?: number;
}

/**
 * What is to be simulated (`POST /api/simulations`, `svc sim`). Moments and durations are seconds of the laboratory.
 */
export class SimulationScenario {
  @Optional(
    ruled(
      list(text(), 'Names of laboratories. Default: all that are loaded.'),
      { maxItems: 1_000, example: ['color_lab'] },
      ({ IsArray, ArrayMaxSize, IsString }) => [IsArray(), ArrayMaxSize(1_000), IsString({ each: true })],
    ),
  )
  labs?: string[];
  @Optional(nested(SimulatedScheduler)) scheduler?: SimulatedScheduler;
  @Optional(
    amount(
      [0, 0.99],
      'Largest share by which a task takes longer or shorter than expected, from 0 to 0.99. Default: 0.',
      0.1,
    ),
  )
  jitter?: number;
  @Optional(
    whole(
      [0, 2_147_483_647],
      'Random seed of durations and failures. The same task draws the same values under every policy. Default: 1.',
      42,
    ),
  )
  seed?: number;
  @Optional(
    amount([1, longestSimulationS], 'Seconds after which the simulation ends. Default: 2592000, 30 days.'),
  )
  horizon?: number;
  @Optional(bodies(SimulatedRuns, 1_000, 'Protocol runs.')) protocols?: SimulatedRuns[];
  @Optional(bodies(SimulatedCampaign, 1_000, 'Campaigns.')) campaigns?: SimulatedCampaign[];
  @Optional(bodies(SimulatedTasks, 1_000, 'On-demand tasks.')) tasks?: SimulatedTasks[];
  @Optional(
    ruled(
      map(
        make({ type: 'number' }, () => z.number()),
        'Seconds that tasks really take. They replace the expected durations. The name is a task type, `<protocol>.<task>` or the label `<protocol run>/<task>`; the most specific name counts.',
      ),
      { example: { mix_colors: 45, 'color_mixing.mix_colors': 50 } },
      ({ IsNumbers }) => [IsNumbers({ min: 0, max: longestSimulationS })],
    ),
  )
  durations?: Record<string, number>;
  @Optional(
    bodies(
      SimulatedPace,
      1_000,
      'Durations that depend on a parameter. `durations` of the same task go first; otherwise the most specific name counts.',
    ),
  )
  paces?: SimulatedPace[];
  @Optional(bodies(SimulatedFailure, 1_000, 'Attempts that fail.')) failures?: SimulatedFailure[];
  @Optional(
    bodies(
      SimulatedCall,
      1_000,
      'Calls of devices with twins. A task with calls takes as long as they do, unless `durations` names it.',
    ),
  )
  calls?: SimulatedCall[];
  @Optional(bodies(SimulatedLoss, 1_000, 'Devices that are out of order for a while.'))
  losses?: SimulatedLoss[];
}

const label = text(
  '`<protocol run>/<task>`, or the name of the on-demand task.',
  'color_mixing_001/mix_colors',
);
const devices = map(text(), 'Device handle to `<lab>.<device>`.');
const resources = map(text(), 'Resource handle to the name of the resource.');
const moment = (what: string): FieldType<number | null> =>
  orNull(number(`${what}, in seconds from the beginning; null: never.`, 12.5));
const took = (what: string): FieldType<number> => number(`Seconds ${what}.`, 12.5);
const estimate = (what: string): FieldType<string | null> => orNull(time(`${what}; null: never.`));

export const simulatedWaits = ['dependency', 'busy', 'priority', 'held', 'no_device', 'planned'] as const;
export type SimulatedWait = (typeof simulatedWaits)[number];

@Described('Seconds that a task waited, by cause.')
export class WaitingTimes implements Record<SimulatedWait, number> {
  @Field(took('in which tasks that it depends on had not ended')) dependency!: number;
  @Field(took('in which units that it needs were used by tasks that had begun before it could start'))
  busy!: number;
  @Field(took('in which units that it needs were given to other tasks after it could have started'))
  priority!: number;
  @Field(took('in which another protocol run kept units that it needs')) held!: number;
  @Field(took('in which every device that fits was out of order')) no_device!: number;
  @Field(took('in which all units were free: for a lag, for a pause, or because the plan keeps a unit free'))
  planned!: number;
}

/** One task of a simulation. Moments are seconds from its beginning; null: never. */
export class SimulatedTaskRecord {
  @Field(label) label!: string;
  @Field(text('Task type.', 'mix_colors')) type!: string;
  @Field(orNull(text('Protocol run of the task; null for an on-demand task.'))) protocol_run!: string | null;
  @Field(integer('Priority of the task.', 0)) priority!: number;
  @Field(choice(taskRunStates)) state!: TaskRunState;
  @Field(integer('Number of attempts.', 1)) attempts!: number;
  @Field(moment('When only devices and resources were missing')) ready!: number | null;
  @Field(moment('Start of the latest attempt')) start!: number | null;
  @Field(moment('End of the latest attempt')) end!: number | null;
  @Field(devices) devices!: Record<string, string>;
  @Field(resources) resources!: Record<string, string>;
  @Field(WaitingTimes) waited!: WaitingTimes;
}

export class SimulatedRunRecord {
  @Field(text('Name of the protocol run.', 'color_mixing_001')) name!: string;
  @Field(text('Type of the protocol.', 'color_mixing')) type!: string;
  @Field(orNull(text('Campaign that the protocol run belongs to.'))) campaign!: string | null;
  @Field(integer('Priority of the protocol run.', 0)) priority!: number;
  @Field(choice(runStates)) state!: RunState;
  @Field(took('from the beginning to its arrival')) submitted!: number;
  @Field(moment('Start of its first task')) start!: number | null;
  @Field(moment('End of the protocol run')) end!: number | null;
}

const span = object({
  what: choice(['use', 'hold', 'out']),
  by: orNull(text('Task that used the unit, or protocol run that kept it; null: out of order.')),
  start: took('from the beginning'),
  end: took('from the beginning'),
});

/** A device or resource, and what it was used for. */
export class SimulatedUnitRecord {
  @Field(choice(['device', 'resource'])) kind!: 'device' | 'resource';
  @Field(text('`<lab>.<device>` or the name of the resource.', 'color_lab.robot_arm')) name!: string;
  @Field(took('of use')) busy!: number;
  @Field(took('in which a protocol run kept the unit between two tasks')) held!: number;
  @Field(took('out of order')) out!: number;
  @Field(number('Share of the makespan in which the unit was in use.', 0.75)) utilisation!: number;
  @Field(list(span, 'In the order of time.')) timeline!: TypeOf<typeof span>[];
}

const parallelism = object({
  max: integer('Most tasks at the same time.', 3),
  average: number('Average number of tasks at the same time.', 1.9),
});
const stuckTask = object({ task: label, waits_for: list(text()) });
const incident = object({
  at: took('from the beginning'),
  what: text('What happened.', 'device lost'),
  subject: text('Device or task that it happened to.', 'color_lab.station_2'),
  detail: text('Details; may be empty.'),
});
const planning = object({
  plans: integer('Number of plans that the policy made.', 120),
  total_ms: number('Real milliseconds of all plans.', 2.1),
  max_ms: number('Real milliseconds of the longest plan.', 0.2),
});

/** What a simulation found. The same scenario with the same seeds gives the same record, except for `planning`. */
export class SimulationRecord {
  @Field(choice(schedulerTypes)) scheduler!: SchedulerType;
  @Field(number('The jitter of the scenario.', 0.1)) jitter!: number;
  @Field(integer('The random seed of the scenario.', 42)) seed!: number;
  @Field(
    choice(
      ['completed', 'stuck', 'horizon'],
      '`completed`: all work has ended, well or not. `stuck`: the remaining tasks wait for ever. `horizon`: the time was over before the work was.',
    ),
  )
  outcome!: 'completed' | 'stuck' | 'horizon';
  @Field(took('from the first start of a task to the end of the last one')) makespan!: number;
  @Field(took('from the beginning to the end of the last task')) end!: number;
  @Field(parallelism) parallelism!: TypeOf<typeof parallelism>;
  @Field(integer('Number of tasks.', 42)) tasks_total!: number;
  @Field(
    map<number, TaskRunState>(
      integer('Number of tasks in this state at the end.', 42),
      'State to number of tasks.',
    ),
  )
  tasks_by_state!: Partial<Record<TaskRunState, number>>;
  @Field(WaitingTimes) waiting!: WaitingTimes;
  @Field(list(SimulatedRunRecord)) protocol_runs!: SimulatedRunRecord[];
  @Field(list(SimulatedTaskRecord)) tasks!: SimulatedTaskRecord[];
  @Field(list(SimulatedUnitRecord, 'Devices and resources, by kind and name.')) units!: SimulatedUnitRecord[];
  @Field(list(stuckTask, 'Tasks that could never start, and why; at most 100.'))
  stuck!: TypeOf<typeof stuckTask>[];
  @Field(list(incident, 'Failures, losses and other incidents, in the order of time.'))
  events!: TypeOf<typeof incident>[];
  @Field(planning) planning!: TypeOf<typeof planning>;
}

const plannedTask = object({
  name: text('Name of the task.', 'mix_colors'),
  type: text('Task type.', 'mix_colors'),
  devices,
  resources,
  estimated_start: estimate('When the task would start'),
  estimated_end: estimate('When the task would end'),
});
const otherWork = object({
  kind: choice(['campaign', 'protocol_run', 'task']),
  name: text('Name of the work.', 'sweep_run_3'),
  campaign: orNull(text('Campaign that the protocol run belongs to.')),
  without: estimate('When the work would be completed without this run'),
  with: estimate('When the work would be completed with this run'),
  delay: orNull(number('Seconds; negative: earlier; null: not known.', 3.5)),
});

/**
 * What would happen to a protocol run if it was submitted now (`POST /api/protocols/simulate`). Moments are ISO 8601
 * in UTC.
 */
export class WhatIfRecord {
  @Field(time('The moment that the estimate describes.')) at!: string;
  @Field(choice(schedulerTypes)) scheduler!: SchedulerType;
  @Field(text('Name of the protocol run.', 'mix_1')) name!: string;
  @Field(estimate('When the first task would start')) estimated_start!: string | null;
  @Field(estimate('When the run would be completed')) estimated_end!: string | null;
  @Field(list(plannedTask)) tasks!: TypeOf<typeof plannedTask>[];
  @Field(list(otherWork, 'Other work that is under way.')) others!: TypeOf<typeof otherWork>[];
  @Field(list(text(), 'Why the run would not end, and what the estimate does not include.')) notes!: string[];
}
