import {
  runStates,
  taskRunStates,
  waitCodes,
  type ExpectedDuration,
  type PlanRecord,
  type QueuedTask,
  type QueuePage,
  type QueueRecord,
  type ScheduledCampaign,
  type ScheduledRun,
  type ScheduledTask,
  type ScheduledUnit,
  type ScheduleRecord,
  type WaitCause,
} from '@lab/contracts';
import {
  choice,
  flag,
  integer,
  list,
  map,
  named,
  number,
  object,
  orNull,
  text,
  time,
  type SchemaObject,
} from './schema-of.js';

const campaign = orNull(text('Campaign that it belongs to, if any.', 'sweep'));
const priority = integer('Higher goes first when work contends.', 0);
const label = text('`<protocol run>/<task>`, or the on-demand task.', 'mix_1/mix_colors');
const unit = text('`<lab>.<device>` or the resource.', 'color_lab.station_1');
const runState = choice(runStates);

const plan = object<PlanRecord>(
  {
    made_at: time('When it was made.'),
    objective: number('What the policy minimises: weighted completion plus weighted makespan.', 61.5),
    weighted_completion: number(
      'Sum over protocol runs and on-demand tasks of weight x seconds until it is complete.',
      41.2,
    ),
    makespan: number('Seconds from `made_at` to the end of everything planned.', 20.3),
    lower_bound: orNull(number('No plan can have a lower objective; null: not known.', 58)),
    gap: orNull(number('`(objective - lower_bound) / objective`; null: not known.', 0.057)),
    provenance: object<PlanRecord['provenance']>({
      engine: text('What found it: `repair`, `list`, `search` or `cp-sat`.', 'search'),
      seed: orNull(integer('Seed of what found it.', 1)),
      ms: orNull(number('Milliseconds that it took.', 840)),
      reproducible: flag('With the same seed the same plan would be found.'),
    }),
  },
  { description: 'How good the plan is, and where it comes from.' },
);

const duration = object<ExpectedDuration>(
  {
    expected: orNull(number('Seconds that the plan counts on; null: nothing is known.', 0.83)),
    declared: orNull(number('Seconds, as declared in the protocol; null: not declared.', 0.8)),
    learned: orNull(
      number('Seconds: the median of the latest completed attempts; null: fewer than 3 are known.', 0.83),
    ),
    samples: integer('How many completed attempts are known, at most 32.', 12),
  },
  { description: 'How long a task is expected to take.' },
);

const task = object<ScheduledTask>(
  {
    id: text('Id of the task run.'),
    label,
    name: text('Name in the protocol, or of the on-demand task.', 'mix_colors'),
    type: text('Task type.', 'mix_colors'),
    protocol_run: orNull(text('Protocol run it belongs to; null for an on-demand task.', 'mix_1')),
    campaign,
    priority,
    state: choice(taskRunStates),
    planned_start: orNull(time('When the plan starts it; null: not planned.')),
    planned_end: orNull(time('When it is expected to end; null: not planned.')),
    started_at: orNull(time('When it started.')),
    ended_at: orNull(time('When it ended.')),
    late_by_s: orNull(
      number('Seconds later than the greatest lag after its dependencies allowed; null: not late.'),
    ),
    duration,
    devices: map(unit, 'Device handle to the device it has or had, else to the one that is planned.'),
    resources: map(text('Resource.', 'beaker_1'), 'Resource handle to the resource, likewise.'),
    waits_for: list(
      named<WaitCause>('WaitCause'),
      'Why it has not started; empty when it has started or is over.',
    ),
  },
  { description: 'A task that runs or waits, or has ended in a run that goes on.' },
);

const cause = object<WaitCause>(
  {
    code: choice(
      waitCodes,
      '`dependency`: `tasks` have not completed. `lag`: a least time after a dependency is over at `until`. `group`: it starts at the end of `tasks`. `device`, `resource`: `unit` is in the hands of `held_by` until `until`. `lower_priority`: `tasks` go first on `unit`. `no_eligible_device`, `no_eligible_resource`: nothing can fill `slot`, and `candidates` says why. `computer_away`: its computer is not connected. `paused`: people paused its run, its campaign or the queue. `attention`: its run waits for a person. `emergency_stop`: people stopped everything. `retry_pause`: it is tried again at `until`. `campaign_limit`: its campaign has as many runs under way as it may. `hold_order`: started now, its run could come to keep what another run needs and wait for what that one keeps. `planned`: it could start, and the plan starts it at `until`. `beyond_horizon`: the plan does not reach so far. `unplanned`: the plan has no place for it, as `message` says.',
    ),
    message: text('In words.', 'color_lab.robot_arm is in use by mix_2/retrieve_container'),
    tasks: list(label, 'The tasks that it waits for.'),
    unit,
    slot: text('Handle that could not be filled.', 'station'),
    held_by: text('Task that uses the unit, or protocol run that keeps it.', 'mix_2/retrieve_container'),
    until: orNull(time('When that is expected to be over; null: nobody can know.')),
    candidates: list(
      object<NonNullable<WaitCause['candidates']>[number]>({
        unit,
        why: text('Why it is out.', 'faulted'),
      }),
      'Every unit that fits the slot; empty when no loaded laboratory has one.',
    ),
  },
  {
    optional: ['tasks', 'unit', 'slot', 'held_by', 'until', 'candidates'],
    description: 'One reason why a task has not started.',
  },
);

const queueFields = {
  paused: flag('True: nothing starts until the queue is resumed.'),
  paused_by: orNull(text('Who paused it.', 'ada')),
  paused_at: orNull(time('When it was paused.')),
  queued: integer('Task runs that wait for nothing but to start: not those that wait for other tasks.', 3),
  running: integer('Task runs that run.', 2),
};

const queuedTask = object<QueuedTask>(
  {
    position: integer('From 1, among all tasks that wait.', 1),
    id: text('Id of the task run.'),
    label,
    name: text('Name in the protocol, or of the on-demand task.', 'mix_colors'),
    type: text('Task type.', 'mix_colors'),
    protocol_run: orNull(text('Protocol run it belongs to; null for an on-demand task.', 'mix_2')),
    campaign,
    owner: text('Who the work belongs to.', 'ada'),
    state: choice(taskRunStates, '`created`: it waits for other tasks. `queued`: it waits to start.'),
    priority,
    effective_priority: integer('The priority with what waiting has added to it.', 1),
    waiting_since: time('Since when it waits for no other task, or else since when it is there.'),
    waited: number('Seconds since then.', 662.5),
    planned_start: orNull(time('When the plan starts it; null: not planned.')),
    waits_for: list(named<WaitCause>('WaitCause'), 'Why it has not started.'),
  },
  { description: 'A task that waits, at its place in the queue.' },
);

const queuePage = object<QueuePage>({
  ...queueFields,
  items: list(named<QueuedTask>('QueuedTask'), 'What waits, in its order.'),
  next_cursor: orNull(text('Leads to the page behind this one; null: this is the last one.')),
});

const scheduledUnit = object<ScheduledUnit>(
  {
    kind: choice(['device', 'resource'] as const),
    name: unit,
    usable: flag('It may be given to a task at present.'),
    unusable_because: orNull(text('Why not; null when it may.')),
    used_by: orNull(text('Task that uses it at present.', 'mix_1/mix_colors')),
    held_by: orNull(text('Protocol run that keeps it.', 'mix_1')),
    free_at: orNull(time('When it is expected to be free for others; null: it is free, or nobody can know.')),
    timeline: list(
      object<ScheduledUnit['timeline'][number]>({
        task: text('Id of the task run.'),
        label,
        start: time('When it started or is to start.'),
        end: orNull(time('When it ended or is expected to end; null: nobody can know.')),
        planned: flag('True: it has not started.'),
      }),
      'Tasks on it in the order of their starts: those that ran or run, then those that are planned.',
    ),
  },
  { description: 'A device or a resource, and who has it when.' },
);

const run = object<ScheduledRun>({
  id: text('Id of the protocol run.'),
  name: text('Protocol run.', 'mix_1'),
  campaign,
  state: runState,
  priority,
  tasks_total: integer('Tasks that it has.', 7),
  tasks_ended: integer('Tasks of it that are over.', 2),
  estimated_completion: orNull(
    time('When its last task is expected to end; null: not planned, paused, or waiting for a person.'),
  ),
});

const scheduledCampaign = object<ScheduledCampaign>({
  id: text('Id of the campaign.'),
  name: text('Campaign.', 'sweep'),
  state: runState,
  runs_total: integer('Protocol runs that it is to have.', 12),
  runs_started: integer('Protocol runs that have begun.', 5),
  runs_completed: integer('Protocol runs that have completed.', 2),
  runs_failed: integer('Protocol runs that have failed.', 0),
  estimated_completion: orNull(time('When its last run is expected to end; null: not known.')),
});

/** Schemas of the schedule, by name; each is held to its interface by the compiler. */
export const scheduleSchemas: Record<string, SchemaObject> = {
  QueueRecord: object<QueueRecord>(queueFields).schema,
  QueuePage: queuePage.schema,
  QueuedTask: queuedTask.schema,
  ScheduleRecord: object<ScheduleRecord>({
    policy: choice(['greedy', 'cpsat'] as const, 'The scheduling policy that decides.'),
    at: time('The moment that all of this describes.'),
    plan: orNull(named<PlanRecord>('PlanRecord')),
    tasks: list(
      named<ScheduledTask>('ScheduledTask'),
      'Those that run, then those that wait, in the order of their planned starts or else of the queue, then those that have ended.',
    ),
    tasks_total: integer('How many tasks there are, listed or not.', 7),
    units: list(named<ScheduledUnit>('ScheduledUnit'), 'Devices and resources, by kind and name.'),
    protocol_runs: list(named<ScheduledRun>('ScheduledRun')),
    campaigns: list(named<ScheduledCampaign>('ScheduledCampaign')),
  }).schema,
  PlanRecord: plan.schema,
  ScheduledTask: task.schema,
  WaitCause: cause.schema,
  ScheduledUnit: scheduledUnit.schema,
  ScheduledRun: run.schema,
  ScheduledCampaign: scheduledCampaign.schema,
};
