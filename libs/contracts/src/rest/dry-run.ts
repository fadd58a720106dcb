import type { SchedulerType, WaitingTimes } from './simulation.js';
import type { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from './submissions.js';

/** A submission of any kind. */
export type Submission =
  | { kind: 'protocol_run'; submission: ProtocolRunSubmission }
  | { kind: 'campaign'; submission: CampaignSubmission }
  | { kind: 'task'; submission: TaskSubmission };

/** One task of what was tried out. Moments are ISO 8601 in UTC. */
export interface EstimatedTask {
  name: string;
  /** Null: it would never start, or never end. */
  starts_at: string | null;
  ends_at: string | null;
  /** How long it would wait before that for what, in seconds. */
  waited: WaitingTimes;
}

/** When what was tried out would begin and end beside all that goes on. Moments are ISO 8601 in UTC. */
export interface SubmissionEstimate {
  /** The moment that this describes. */
  at: string;
  scheduler: SchedulerType;
  /** Null: it would never start, or that cannot be known. */
  starts_at: string | null;
  /** Null: it would never end well, or that cannot be known. Of a campaign with many runs: at the pace of the first. */
  ends_at: string | null;
  /** Seconds from the start of a run to its end, on average; null: no run would end. Of a task: of the task. */
  seconds_per_run: number | null;
  /** How many runs were played through; of a task 0. */
  runs: number;
  /** The tasks of the run, of the first run of the campaign, or the task itself. */
  tasks: EstimatedTask[];
  /** Why something of this is not known; null: all of it is. */
  reason: string | null;
}

/** What would be answered to a submission if it was meant (`dry_run=true`). Nothing was stored. */
export interface DryRunRecord<Resolved extends Submission['submission'] = Submission['submission']> {
  valid: true;
  dry_run: true;
  /** The submission with everything that it leaves out. Of one that resumes something: as it was given. */
  resolved: Resolved;
  estimate: SubmissionEstimate;
  /** What stands in the way of it, but is no reason to refuse it. */
  warnings: string[];
}
