import { taskRunStates, type TaskRunState } from '../states.js';
import { Described, Field, choice, flag, integer, list, number, orNull, text, time } from './fields/field.js';
import type { Page } from './pages.js';
import { campaignName, taskLabel, WaitCause, workPriority } from './schedule.js';

/** Whether tasks may start at present, and how many tasks wait and run. */
export class QueueRecord {
  @Field(flag('True: no task starts until a person resumes the queue.')) paused!: boolean;
  @Field(orNull(text('Person who paused the queue.', 'ada'))) paused_by!: string | null;
  @Field(orNull(time('When the person paused the queue.'))) paused_at!: string | null;
  @Field(
    integer('Task runs that have not started: those ready to start and those that wait for other tasks.', 5),
  )
  waiting!: number;
  @Field(
    orNull(
      text(
        'Person who drains the queue: no protocol run and no on-demand task begins. Null: nobody does.',
        'ada',
      ),
    ),
  )
  drained_by!: string | null;
  @Field(orNull(time('When the person began to drain the queue.'))) drained_at!: string | null;
  @Field(integer('Task runs that are ready to start. Task runs that wait for other tasks do not count.', 3))
  queued!: number;
  @Field(integer('Task runs that run.', 2)) running!: number;
}

/** Moments are ISO 8601 in UTC, durations seconds. */
@Described('A task that waits, at its place in the queue.')
export class QueuedTask {
  /** In the order of the planned starts, then in the order of the policy. */
  @Field(integer('Place among all tasks that wait, from 1.', 1)) position!: number;
  @Field(text('Id of the task run.')) id!: string;
  @Field(taskLabel) label!: string;
  @Field(text('Name in the protocol, or name of the on-demand task.', 'mix_colors')) name!: string;
  @Field(text('Task type.', 'mix_colors')) type!: string;
  @Field(orNull(text('Protocol run that the task belongs to; null for an on-demand task.', 'mix_2')))
  protocol_run!: string | null;
  @Field(campaignName) campaign!: string | null;
  @Field(text('Owner of the work.', 'ada')) owner!: string;
  @Field(
    choice(taskRunStates, '`created`: the task waits for other tasks. `queued`: the task waits to start.'),
  )
  state!: TaskRunState;
  @Field(workPriority) priority!: number;
  /** The policy `greedy` decides by it which task goes first. */
  @Field(integer('The priority, raised by the time that the task has waited.', 1))
  effective_priority!: number;
  @Field(
    time(
      'When the last task that it depends on ended; for a task that still depends on others: when it was created.',
    ),
  )
  waiting_since!: string;
  @Field(number('Seconds since then.', 662.5)) waited!: number;
  @Field(orNull(time('When the plan starts the task; null: not planned.'))) planned_start!: string | null;
  @Field(list(WaitCause, 'Why the task has not started.')) waits_for!: WaitCause[];
}

/** Whether tasks may start, and the tasks that wait, in their order (`GET /api/queue`). */
export class QueuePage extends QueueRecord implements Page<QueuedTask> {
  @Field(list(QueuedTask, 'The tasks that wait, in their order.')) items!: QueuedTask[];
  @Field(orNull(text('Leads to the next page; null: this is the last page.'))) next_cursor!: string | null;
}
