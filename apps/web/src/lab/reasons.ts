import { ProblemError, UnreachableError } from '@lab/api-client';

/** A sentence for people about why something failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail;
  if (error instanceof UnreachableError) return `${error.message}.`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether the service refused what was asked, so that it would refuse it again. */
export const isRefusal = (error: unknown): boolean => error instanceof ProblemError && error.status < 500;

/** Whether the service asks who sends the request. */
export const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && error.status === 401;
