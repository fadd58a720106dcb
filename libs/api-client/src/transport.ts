import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, UnreachableError } from './errors.js';
import type { Problem } from './generated.js';

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** How long the head of the answer may take, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Before the second try, in milliseconds; doubled before each further one. */
const firstPauseMs = 200;
/** A service that asks to be left alone for longer than this is not waited for. */
const longestPauseMs = 10_000;

/**
 * Sends a request that may arrive twice, again where that may help: when the connection was refused or lost, or the answer
 * is 503 or has `Retry-After`.
 *
 * @param retries tries after the first
 * @returns an answer of success; its body is not read yet
 * @throws ProblemError, UnreachableError; what `signal` was aborted with
 */
export async function send(sent: Sent, retries: number): Promise<Response> {
  for (let tried = 0; ; tried += 1) {
    const pauseMs = firstPauseMs * 2 ** tried * (0.5 + Math.random() / 2);
    try {
      return await once(sent);
    } catch (error) {
      const wait = tried < retries ? waitAfter(error) : undefined;
      if (wait === undefined || wait > longestPauseMs) throw error;
      await delay(
        Math.max(wait, pauseMs),
        undefined,
        sent.signal === undefined ? {} : { signal: sent.signal },
      );
    }
  }
}

/** In how many milliseconds another try makes sense at the earliest; undefined: not at all. */
function waitAfter(error: unknown): number | undefined {
  if (error instanceof UnreachableError)
    return error.reason === 'refused' || error.reason === 'lost' ? 0 : undefined;
  if (!(error instanceof RefusedError)) return undefined;
  if (error.retryAfterS !== undefined) return error.retryAfterS * 1_000;
  return error.status === 503 ? 0 : undefined;
}

/** With what the header says of another try. */
class RefusedError extends ProblemError {
  constructor(
    problem: Problem,
    /** The service says so only when nothing was done. */
    readonly retryAfterS: number | undefined,
  ) {
    super(problem);
  }
}

async function once({ method, url, headers, body, timeoutMs, signal }: Sent): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    });
    if (!response.ok) throw await refusal(response);
    return response;
  } catch (error) {
    if (error instanceof ProblemError || error instanceof UnreachableError) throw error;
    signal?.throwIfAborted();
    if (late.signal.aborted || causesOf(error).includes('UND_ERR_HEADERS_TIMEOUT'))
      throw new UnreachableError('timeout', `no answer from ${originOf(url)} in time`, { cause: error });
    throw unreachable(error, url);
  } finally {
    clearTimeout(timer);
  }
}

/** What a failure of `fetch`, or of reading its answer, means. */
export function unreachable(error: unknown, url: string): UnreachableError {
  const refused = causesOf(error).some((code) =>
    ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code),
  );
  return refused
    ? new UnreachableError('refused', `nothing answers at ${originOf(url)}`, { cause: error })
    : new UnreachableError('lost', `the connection to ${originOf(url)} was lost`, { cause: error });
}

/** Codes of an error and of those that it comes from; a name with several addresses fails with one for each. */
function causesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code } = error as NodeJS.ErrnoException;
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...causesOf(error.cause),
    ...(error instanceof AggregateError ? error.errors.flatMap(causesOf) : []),
  ];
}

async function refusal(response: Response): Promise<Error> {
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json'))
    return new UnreachableError(
      'foreign',
      `what answers at ${originOf(response.url)} is not the service: status ${response.status}`,
    );
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return new RefusedError(JSON.parse(text) as Problem, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

function originOf(url: string): string {
  return new URL(url).origin;
}
