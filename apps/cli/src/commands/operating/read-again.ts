import { ProblemError } from '@lab/api-client';

/**
 * Reads a record again, for a command that waits. It returns the last record while the service does not answer, because the
 * service may be starting again.
 *
 * @throws ProblemError when the service refuses the question
 */
export async function readAgain<Answer>(read: () => Promise<Answer>, last: Answer): Promise<Answer> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status < 500) throw error;
    return last;
  }
}
