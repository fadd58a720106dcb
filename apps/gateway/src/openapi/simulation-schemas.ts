import {
  runStates,
  schedulerTypes,
  simulatedWaits,
  taskRunStates,
  type EstimatedTask,
  type SimulatedRunRecord,
  type SimulatedTaskRecord,
  type SimulatedUnitRecord,
  type SimulationRecord,
  type SubmissionEstimate,
  type WaitingTimes,
  type WhatIfRecord,
} from '@lab/contracts';
import {
  choice,
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
  type SchemaOf,
} from './schema-of.js';

const label = text(
  '`<protocol run>/<task>`, or the name of the on-demand task.',
  'color_mixing_001/mix_colors',
);
const devices = map(text(), 'Slot to `<lab>.<device>`.');
const resources = map(text(), 'Slot to the name of the resource.');
const moment = (what: string): SchemaOf<number | null> =>
  orNull(number(`${what}, in seconds from the beginning; null: never.`, 12.5));
const seconds = (what: string): SchemaOf<number> => number(`Seconds ${what}.`, 12.5);
const estimate = (what: string): SchemaOf<string | null> => orNull(time(`${what}; null: it would not.`));

/** Schemas of what simulations find, by name; each is held to its interface by the compiler. */
export const simulationSchemas: Record<string, SchemaObject> = {
  WaitingTimes: object<WaitingTimes>(
    {
      dependency: seconds('in which tasks that it needs had not ended'),
      busy: seconds('in which what it needs was in use by tasks that had begun before it could start'),
      priority: seconds('in which what it needs was given to others after it could have started'),
      held: seconds('in which what it needs was kept by another protocol run'),
      no_device: seconds('in which every device that fits was out of order'),
      planned: seconds('in which all was free: for a lag, a pause, or because the plan keeps it free'),
    } satisfies Record<(typeof simulatedWaits)[number], SchemaOf<number>>,
    { description: 'Seconds by what was waited for.' },
  ).schema,
  SimulatedTaskRecord: object<SimulatedTaskRecord>({
    label,
    type: text('Task type.', 'mix_colors'),
    protocol_run: orNull(text('Null for an on-demand task.')),
    priority: integer('Its priority.', 0),
    state: choice(taskRunStates),
    attempts: integer('Attempts in all.', 1),
    ready: moment('When nothing but devices and resources was missing'),
    start: moment('Start of the latest attempt'),
    end: moment('End of the latest attempt'),
    devices,
    resources,
    waited: named<WaitingTimes>('WaitingTimes'),
  }).schema,
  SimulatedRunRecord: object<SimulatedRunRecord>({
    name: text('Name of the protocol run.', 'color_mixing_001'),
    type: text('Type of the protocol.', 'color_mixing'),
    campaign: orNull(text('Campaign that it belongs to.')),
    priority: integer('Its priority.', 0),
    state: choice(runStates),
    submitted: seconds('from the beginning to its arrival'),
    start: moment('Start of its first task'),
    end: moment('Its end'),
  }).schema,
  SimulatedUnitRecord: object<SimulatedUnitRecord>({
    kind: choice(['device', 'resource']),
    name: text('`<lab>.<device>` or the name of the resource.', 'color_lab.robot_arm'),
    busy: seconds('of use'),
    held: seconds('in which a protocol run kept it between two tasks'),
    out: seconds('out of order'),
    utilisation: number('Share of the makespan in which it was in use.', 0.75),
    timeline: list(
      object<SimulatedUnitRecord['timeline'][number]>({
        what: choice(['use', 'hold', 'out']),
        by: orNull(text('Task that used it, or protocol run that kept it.')),
        start: seconds('from the beginning'),
        end: seconds('from the beginning'),
      }),
      'In the order of time.',
    ),
  }).schema,
  SimulationRecord: object<SimulationRecord>({
    scheduler: choice(schedulerTypes),
    jitter: number('As asked for.', 0.1),
    seed: integer('As asked for.', 42),
    outcome: choice(
      ['completed', 'stuck', 'horizon'],
      'All work is over, what is left waits for ever, or the time was over.',
    ),
    makespan: seconds('from the first start of a task to the end of the last one'),
    end: seconds('from the beginning to the end of the last task'),
    parallelism: object<SimulationRecord['parallelism']>({
      max: integer('Tasks at the same time, at most.', 3),
      average: number('Tasks at the same time, on average.', 1.9),
    }),
    tasks_total: integer('How many tasks there were.', 42),
    tasks_by_state: map(integer('How many tasks ended so.', 42), 'State to number of tasks.') as SchemaOf<
      SimulationRecord['tasks_by_state']
    >,
    waiting: named<WaitingTimes>('WaitingTimes'),
    protocol_runs: list(named<SimulatedRunRecord>('SimulatedRunRecord')),
    tasks: list(named<SimulatedTaskRecord>('SimulatedTaskRecord')),
    units: list(
      named<SimulatedUnitRecord>('SimulatedUnitRecord'),
      'Devices and resources, by kind and name.',
    ),
    stuck: list(
      object<SimulationRecord['stuck'][number]>({ task: label, waits_for: list(text()) }),
      'Tasks that could never start, and why; of at most 100.',
    ),
    events: list(
      object<SimulationRecord['events'][number]>({
        at: seconds('from the beginning'),
        what: text('What happened.', 'device lost'),
        subject: text('To what.', 'color_lab.station_2'),
        detail: text('More of it; may be empty.'),
      }),
      'What did not go by the book, in the order of time.',
    ),
    planning: object<SimulationRecord['planning']>({
      plans: integer('How often the policy was asked for a plan.', 120),
      total_ms: number('Real milliseconds of all plans.', 2.1),
      max_ms: number('Real milliseconds of the longest.', 0.2),
    }),
  }).schema,
  WhatIfRecord: object<WhatIfRecord>({
    at: time('The moment that this describes.'),
    scheduler: choice(schedulerTypes),
    name: text('Name of the protocol run.', 'mix_1'),
    estimated_start: estimate('When its first task would start'),
    estimated_end: estimate('When it would be completed'),
    tasks: list(
      object<WhatIfRecord['tasks'][number]>({
        name: text('Name of the task.', 'mix_colors'),
        type: text('Task type.', 'mix_colors'),
        devices,
        resources,
        estimated_start: estimate('When it would start'),
        estimated_end: estimate('When it would end'),
      }),
    ),
    others: list(
      object<WhatIfRecord['others'][number]>({
        kind: choice(['campaign', 'protocol_run', 'task']),
        name: text('Its name.', 'sweep_run_3'),
        campaign: orNull(text('Campaign that the protocol run belongs to.')),
        without: estimate('When it would be completed without this run'),
        with: estimate('When it would be completed with this run'),
        delay: orNull(number('Seconds; negative: earlier; null: not known.', 3.5)),
      }),
      'Other work that is under way.',
    ),
    notes: list(text(), 'Why it would not end.'),
  }).schema,
  SubmissionEstimate: object<SubmissionEstimate>({
    at: time('The moment that this describes.'),
    scheduler: choice(schedulerTypes),
    starts_at: orNull(time('When its first task would start; null: it would not, or that is not known.')),
    ends_at: orNull(time('When all of it would be completed; null: it would not be, or that is not known.')),
    seconds_per_run: orNull(
      number('Seconds from the start of a run to its end, on average; of a task: of the task.', 2.3),
    ),
    runs: integer('How many runs were played through; of a task 0.', 1),
    tasks: list(
      object<EstimatedTask>({
        name: text('Name of the task.', 'mix_colors'),
        starts_at: estimate('When it would start'),
        ends_at: estimate('When it would end'),
        waited: named<WaitingTimes>('WaitingTimes'),
      }),
      'The tasks of the run, of the first run of the campaign, or the task itself.',
    ),
    reason: orNull(text('Why something of this is not known; null: all of it is.')),
  }).schema,
};
