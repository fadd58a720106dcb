import type { ReplyOf, Submitted, TaskSubmission, orchestratorRequests } from '@lab/contracts';
import type { Engine, TaskRunRow } from '@lab/engine';
import { acceptedTaskRecord } from '@lab/persistence';

/** Longest record in an answer, in characters. A longer one might exceed what the broker carries. */
const longestRecord = 65_536;

/** Submits a task. The answer has the record as it was committed, so that the gateway need not read it. */
export async function submittedTask(
  submissions: Engine['submissions'],
  { rights, ...submission }: Submitted<TaskSubmission>,
): Promise<ReplyOf<typeof orchestratorRequests.submitTask>> {
  let made: [task: TaskRunRow, codeHash: string | null] | undefined;
  const accepted = await submissions.task(submission, rights, (...committed) => (made = committed));
  // Made only now: the start of the task is on its way.
  const record = made === undefined ? undefined : acceptedTaskRecord(...made);
  const fits = record !== undefined && JSON.stringify(record).length <= longestRecord;
  return fits ? { ...accepted, record } : accepted;
}
