import { runStates, taskRunStates, type RunState, type TaskRunState } from '../states.js';
import {
  Described,
  Field,
  Optional,
  choice,
  flag,
  integer,
  list,
  map,
  number,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from './fields/field.js';

/**
 * The schedule: what runs, what is planned, and why each queued task has not started. Moments are ISO 8601 in UTC,
 * durations seconds.
 */

/** Most tasks that one answer lists, so that it fits into one message. */
export const longestSchedule = 1_000;

/** Most tasks of a window of time, which the gateway puts together from several messages and from the database. */
export const longestScheduleWindow = 10_000;

export const taskLabel = text('`<protocol run>/<task>`, or the on-demand task.', 'mix_1/mix_colors');
export const campaignName = orNull(text('Campaign that the work belongs to, if any.', 'sweep'));
export const workPriority = integer('When work competes, the higher priority goes first.', 0);
const unit = text('`<lab>.<device>` or the resource.', 'color_lab.station_1');
const runState = choice(runStates);

const provenance = object({
  engine: text('What found the plan: `repair`, `list`, `search` or `cp-sat`.', 'search'),
  seed: orNull(integer('Random seed of the search.', 1)),
  ms: orNull(number('Milliseconds that the search took.', 840)),
  reproducible: flag('True: the same seed gives the same plan.'),
});

@Described('How good the plan is, and how it was found.')
export class PlanRecord {
  @Field(time('When the plan was made.')) made_at!: string;
  @Field(number('The value that the policy minimises: weighted completion plus weighted makespan.', 61.5))
  objective!: number;
  @Field(
    number(
      'Sum over protocol runs and on-demand tasks of weight x seconds from `made_at` to their completion.',
      41.2,
    ),
  )
  weighted_completion!: number;
  @Field(number('Seconds from `made_at` to the end of all planned work.', 20.3)) makespan!: number;
  @Field(orNull(number('No plan can have a lower objective; null: not known.', 58)))
  lower_bound!: number | null;
  @Field(orNull(number('`(objective - lower_bound) / objective`; null: not known.', 0.057))) gap!:
    number | null;
  @Field(provenance) provenance!: TypeOf<typeof provenance>;
}

export const waitCodes = [
  'dependency',
  'lag',
  'group',
  'device',
  'resource',
  'lower_priority',
  'no_eligible_device',
  'no_eligible_resource',
  'out_of_service',
  'reserved',
  'computer_away',
  'paused',
  'attention',
  'emergency_stop',
  'retry_pause',
  'campaign_limit',
  'hold_order',
  'planned',
  'beyond_horizon',
  'unplanned',
] as const;
export type WaitCode = (typeof waitCodes)[number];

const candidate = object({ unit, why: text('Why the unit cannot be used.', 'faulted') });

@Described('One reason why a task has not started.')
export class WaitCause {
  @Field(
    choice(
      waitCodes,
      '`dependency`: `tasks` have not completed. `lag`: the least time after a dependency ends at `until`. `group`: the task starts at the end of `tasks`. `device`, `resource`: `held_by` has `unit` until `until`. `lower_priority`: `tasks` go first on `unit`. `no_eligible_device`, `no_eligible_resource`: nothing can fill `slot`; `candidates` says why. `out_of_service`: a person took `unit` out of service, or drains its computer, until `until`. `reserved`: `held_by` has reserved `unit` from `from` to `until`, and the task would run in this time. `computer_away`: the computer of the task is not connected. `paused`: a person paused the run, the campaign or the queue, or drains it and the work has not begun. `attention`: the run waits for a person. `emergency_stop`: an emergency stop is in force. `retry_pause`: the task is tried again at `until`. `campaign_limit`: the campaign has as many runs under way as it may have. `hold_order`: if the task started now, its run could come to keep a unit that another run needs while it waits for a unit that the other run keeps. `planned`: the task could start, and the plan starts it at `until`. `beyond_horizon`: the task is beyond the horizon of the plan. `unplanned`: the plan has no place for the task; `message` says why.',
    ),
  )
  code!: WaitCode;
  @Field(text('The reason in words.', 'color_lab.robot_arm is in use by mix_2/retrieve_container'))
  message!: string;
  @Optional(list(taskLabel, 'The tasks that the task waits for.')) tasks?: string[];
  @Optional(unit) unit?: string;
  @Optional(text('Handle that could not be filled.', 'station')) slot?: string;
  @Optional(
    text(
      'Task that uses the unit, protocol run that keeps it between two tasks, or person who has reserved it.',
      'mix_2/retrieve_container',
    ),
  )
  held_by?: string;
  @Optional(time('When the reservation of the unit begins.')) from?: string;
  @Optional(orNull(time('When the cause is expected to end; null: not known.'))) until?: string | null;
  @Optional(list(candidate, 'Every unit that fits the slot; empty when no loaded laboratory has one.'))
  candidates?: TypeOf<typeof candidate>[];
}

const duration = object(
  {
    expected: orNull(number('Seconds that the plan assumes; null: nothing is known.', 0.83)),
    declared: orNull(number('Seconds that the protocol declares; null: not declared.', 0.8)),
    learned: orNull(
      number('Median of the latest completed attempts in seconds; null: fewer than 3 are known.', 0.83),
    ),
    samples: integer('Number of completed attempts that are known, at most 32.', 12),
  },
  'How long the task is expected to take. Null and 0 for a task of work that has ended.',
);
export type ExpectedDuration = TypeOf<typeof duration>;

const planOfTask = (description: string) =>
  object(
    {
      start: time('When the plan starts the task.'),
      end: time('When the plan ends the task.'),
      at: time('When the plan was made.'),
      devices: map(unit, 'Device handle to the planned device.'),
    },
    description,
  );
const firstPlan = planOfTask(
  'The plan when the task was first planned. It never changes. Null: no plan has had the task.',
);
const lastPlan = planOfTask(
  'The last plan before the task started. A retry replaces it. Null: it has not started, or no plan had it.',
);
/** The place of one task in a plan. */
export type TaskPlan = TypeOf<typeof firstPlan>;

@Described('A task that runs, waits or has ended.')
export class ScheduledTask {
  @Field(text('Id of the task run.')) id!: string;
  @Field(taskLabel) label!: string;
  @Field(text('Name in the protocol, or name of the on-demand task.', 'mix_colors')) name!: string;
  @Field(text('Task type.', 'mix_colors')) type!: string;
  @Field(orNull(text('Protocol run that the task belongs to; null for an on-demand task.', 'mix_1')))
  protocol_run!: string | null;
  @Field(campaignName) campaign!: string | null;
  @Field(workPriority) priority!: number;
  @Field(choice(taskRunStates)) state!: TaskRunState;
  @Field(orNull(time('When the plan starts the task; null: not planned.'))) planned_start!: string | null;
  @Field(orNull(time('When the task is expected to end; null: not planned.'))) planned_end!: string | null;
  @Field(orNull(firstPlan)) first_plan!: TaskPlan | null;
  @Field(orNull(lastPlan)) last_plan!: TaskPlan | null;
  @Field(orNull(time('When the task started.'))) started_at!: string | null;
  @Field(orNull(time('When the task ended.'))) ended_at!: string | null;
  @Field(
    orNull(number('Seconds later than the greatest lag after its dependencies allowed; null: not late.')),
  )
  late_by_s!: number | null;
  @Field(duration) duration!: ExpectedDuration;
  @Field(map(unit, 'Device handle to the device that the task has or had, else to the planned device.'))
  devices!: Record<string, string>;
  @Field(
    map(
      text('Resource.', 'beaker_1'),
      'Resource handle to the resource that the task has or had, else to the planned resource.',
    ),
  )
  resources!: Record<string, string>;
  @Field(list(WaitCause, 'Why the task has not started; empty when it has started or has ended.'))
  waits_for!: WaitCause[];
}

const occupation = object({
  task: text('Id of the task run.'),
  label: taskLabel,
  start: time('When the task started or is planned to start.'),
  end: orNull(time('When the task ended or is expected to end; null: not known.')),
  planned: flag('True: the task has not started.'),
});

@Described('A device or a resource, and the tasks that use it.')
export class ScheduledUnit {
  @Field(choice(['device', 'resource'])) kind!: 'device' | 'resource';
  @Field(unit) name!: string;
  @Field(flag('True: the unit may be given to a task at present.')) usable!: boolean;
  @Field(orNull(text('Why the unit may not be given to a task; null when it may.')))
  unusable_because!: string | null;
  @Field(orNull(text('Task that uses the unit at present.', 'mix_1/mix_colors'))) used_by!: string | null;
  @Field(orNull(text('Protocol run that keeps the unit.', 'mix_1'))) held_by!: string | null;
  @Field(orNull(time('When the unit is expected to be free for other work; null: it is free, or not known.')))
  free_at!: string | null;
  @Field(
    list(
      occupation,
      'Tasks on the unit in the order of their starts: first those that started, then those that are planned.',
    ),
  )
  timeline!: TypeOf<typeof occupation>[];
}

export class ScheduledRun {
  @Field(text('Id of the protocol run.')) id!: string;
  @Field(text('Protocol run.', 'mix_1')) name!: string;
  @Field(campaignName) campaign!: string | null;
  @Field(runState) state!: RunState;
  @Field(workPriority) priority!: number;
  @Field(integer('Number of tasks of the run.', 7)) tasks_total!: number;
  @Field(integer('Number of tasks of the run that have ended.', 2)) tasks_ended!: number;
  @Field(
    orNull(
      time('When the last task is expected to end; null: not planned, paused, or waiting for a person.'),
    ),
  )
  estimated_completion!: string | null;
}

export class ScheduledCampaign {
  @Field(text('Id of the campaign.')) id!: string;
  @Field(text('Campaign.', 'sweep')) name!: string;
  @Field(runState) state!: RunState;
  @Field(integer('Number of protocol runs of the campaign; 0: no limit.', 12)) runs_total!: number;
  @Field(integer('Protocol runs that have begun.', 5)) runs_started!: number;
  @Field(integer('Protocol runs that have completed.', 2)) runs_completed!: number;
  @Field(integer('Protocol runs that have failed.', 0)) runs_failed!: number;
  @Field(orNull(time('When the last run is expected to end; null: not known.')))
  estimated_completion!: string | null;
}

/** The plan, and the reason why each queued task has not started (`GET /api/schedule`). */
export class ScheduleRecord {
  @Field(choice(['greedy', 'cpsat'], 'The scheduling policy.')) policy!: 'greedy' | 'cpsat';
  @Field(time('The moment that the schedule describes.')) at!: string;
  /** Null for a policy that does not plan ahead, and before the first plan. */
  @Field(orNull(PlanRecord)) plan!: PlanRecord | null;
  @Field(
    list(
      ScheduledTask,
      'First the tasks that run, then those that wait, in the order of their planned starts or else of the queue, then those that have ended. With `from` and `to`: in the order of their actual or planned starts.',
    ),
  )
  tasks!: ScheduledTask[];
  @Field(integer('Number of tasks, listed or not. With `from` and `to`, the number of listed tasks.', 7))
  tasks_total!: number;
  @Field(flag('True: there are more tasks than `limit`, which are not listed.')) truncated!: boolean;
  @Field(list(ScheduledUnit, 'Devices and resources of the loaded laboratories, by kind and name.'))
  units!: ScheduledUnit[];
  @Field(list(ScheduledRun)) protocol_runs!: ScheduledRun[];
  @Field(list(ScheduledCampaign)) campaigns!: ScheduledCampaign[];
}
