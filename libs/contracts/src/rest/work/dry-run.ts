import {
  Field,
  choice,
  integer,
  list,
  number,
  object,
  of,
  orNull,
  text,
  time,
  type TypeOf,
} from '../fields/field.js';
import { schedulerTypes, type SchedulerType } from '../../vocabulary.js';
import { WaitingTimes } from '../simulation.js';
import type { CampaignSubmission } from './campaigns.js';
import type { ProtocolRunSubmission } from './protocol-runs.js';
import type { TaskSubmission } from './tasks.js';

/** A submission of any kind. */
export type Submission =
  | { kind: 'protocol_run'; submission: ProtocolRunSubmission }
  | { kind: 'campaign'; submission: CampaignSubmission }
  | { kind: 'task'; submission: TaskSubmission };

const estimatedTask = object({
  name: text('Name of the task.', 'mix_colors'),
  starts_at: orNull(time('When the task would start; null: never.')),
  ends_at: orNull(time('When the task would end; null: never.')),
  waited: of(WaitingTimes),
});
export type EstimatedTask = TypeOf<typeof estimatedTask>;

/** When a submission would begin and end beside all other work. Moments are ISO 8601 in UTC. */
export class SubmissionEstimate {
  @Field(time('The moment that the estimate describes.')) at!: string;
  @Field(choice(schedulerTypes)) scheduler!: SchedulerType;
  @Field(orNull(time('When the first task would start; null: never, or not known.'))) starts_at!:
    string | null;
  /** Of a campaign with many runs: extrapolated from the first runs. */
  @Field(orNull(time('When all of the work would be completed; null: never, or not known.')))
  ends_at!: string | null;
  @Field(
    orNull(
      number(
        'Average seconds from the start of a run to its end, or seconds of the task; null: no run would end.',
        2.3,
      ),
    ),
  )
  seconds_per_run!: number | null;
  @Field(integer('Number of runs that were simulated; 0 for a task.', 1)) runs!: number;
  @Field(list(estimatedTask, 'The tasks of the run, of the first run of the campaign, or the task itself.'))
  tasks!: EstimatedTask[];
  @Field(orNull(text('Why a part of the estimate is not known; null: all of it is known.'))) reason!:
    string | null;
}

/** The answer to a submission with `dry_run=true`. Nothing was stored. */
export interface DryRunRecord<Resolved extends Submission['submission'] = Submission['submission']> {
  valid: true;
  dry_run: true;
  /** The submission with its defaults filled in. A submission that resumes work is as it was given. */
  resolved: Resolved;
  estimate: SubmissionEstimate;
  /** Obstacles that are no reason to refuse the submission. */
  warnings: string[];
}

/** What work was submitted with, to be submitted again (`GET …/clone`). */
export interface Clone<Submitted> {
  /** Can be posted as it is, unless a required value was left out. Its name is a free one. */
  submission: Submitted;
  /**
   * Paths of secrets, which nobody can read and which the next submission gives again, and of files, which only a
   * protocol gives.
   */
  left_out: string[];
}

export type TaskClone = Clone<TaskSubmission>;
export type ProtocolRunClone = Clone<ProtocolRunSubmission>;
export type CampaignClone = Clone<CampaignSubmission>;
