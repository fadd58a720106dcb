import { ApiClient, ProblemError, UnreachableError } from '@lab/api-client';

/** Requests to a gateway that may be dead, stopped or disconnected. */

export type Outcome<T> =
  | { ok: true; value: T }
  /** `status` 0: there was no response. */
  | { ok: false; status: number; code?: string; detail?: string };

/** Without retries: each caller decides itself whether to send again. */
export const chaosClient = (url: string): ApiClient => new ApiClient(url, { retries: 0 });

/** @throws only what is neither a refusal nor a missing response */
export async function outcomeOf<T>(request: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await request };
  } catch (error) {
    if (error instanceof UnreachableError) return { ok: false, status: 0 };
    if (!(error instanceof ProblemError)) throw error;
    return { ok: false, status: error.status, code: error.code, detail: error.problem.detail };
  }
}

/** The effect of the request is unknown: no response came, or the gateway got none itself, or says so of the first sending. */
export const isUnanswered = (outcome: Outcome<unknown>): boolean =>
  !outcome.ok && (outcome.status === 0 || outcome.status >= 500 || outcome.code === 'outcome_unknown');
