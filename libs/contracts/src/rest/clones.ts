import type { CampaignSubmission, ProtocolRunSubmission, TaskSubmission } from './submissions.js';

/** What something was submitted with, to be submitted again (`GET …/clone`). */
export interface Clone<Submission> {
  /** Can be posted as it is, unless something was left out that is needed. Its name is one that is free. */
  submission: Submission;
  /** Paths of secrets, which nobody can read and whoever submits it gives again, and of files, which only a protocol gives. */
  left_out: string[];
}

export type TaskClone = Clone<TaskSubmission>;
export type ProtocolRunClone = Clone<ProtocolRunSubmission>;
export type CampaignClone = Clone<CampaignSubmission>;
