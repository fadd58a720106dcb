import { ApiClient, ProblemError, UnreachableError } from '@lab/api-client';

/** Tells the service that a request comes from its own page. */
const headers = { 'x-svc-page': '1' };

/** The service that this page came from. */
export const client = new ApiClient(location.origin, { headers });

/** Exchanges an access token for a session, whose cookie no script can read. @throws as the client does */
export async function beginSession(token: string): Promise<void> {
  await new ApiClient(location.origin, { headers, token, retries: 0 }).post('/api/sessions');
}

/** A sentence for people about why something failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail;
  if (error instanceof UnreachableError) return `${error.message}.`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether the service asks who sends the request. */
export const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && error.status === 401;
