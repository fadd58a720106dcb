import { ProblemError, UnreachableError } from './errors.js';
import { pause } from './pause.js';
import type { Problem } from './generated.js';

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** Milliseconds until the head of the answer must arrive. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Sends the request. */
  fetch: typeof fetch;
}

/** Milliseconds before the second attempt. The pause doubles before each further attempt. */
const firstPauseMs = 200;
/** The client does not wait when the service demands a longer pause than this, in milliseconds. */
const longestPauseMs = 10_000;
/**
 * Milliseconds for which the client asks for the answer to an earlier attempt that is in progress. The service says so for up to
 * 15 s after an attempt whose outcome it does not know, and then finds out.
 */
const longestInProgressMs = 20_000;

/**
 * Sends a request that may safely arrive twice. It repeats the request when the connection was refused or lost, or
 * when the answer is 503 or has `Retry-After`.
 *
 * @param retries most attempts after the first. Unless this is 0, attempts that find an earlier one in progress do not count.
 * @returns a successful answer whose body is not read yet
 * @throws ProblemError, UnreachableError, or the reason with which `signal` was aborted
 */
export async function send(sent: Sent, retries: number): Promise<Response> {
  let answerBy: number | undefined;
  for (let tried = 0; ;) {
    const pauseMs = firstPauseMs * 2 ** tried * (0.5 + Math.random() / 2);
    try {
      return await once(sent);
    } catch (error) {
      const wait = waitAfter(error);
      if (retries === 0 || wait === undefined || wait > longestPauseMs) throw error;
      if (error instanceof RefusedError && error.code === 'idempotency_key_in_progress') {
        answerBy ??= performance.now() + longestInProgressMs;
        if (performance.now() > answerBy) throw error;
      } else if (tried === retries) throw error;
      else tried += 1;
      await pause(Math.max(wait, pauseMs), sent.signal);
    }
  }
}

/** Milliseconds before another attempt makes sense; undefined: none does. */
function waitAfter(error: unknown): number | undefined {
  if (error instanceof UnreachableError)
    return error.reason === 'refused' || error.reason === 'lost' ? 0 : undefined;
  if (!(error instanceof RefusedError)) return undefined;
  // The key of a request settles what became of its record, but a device may have moved and would move again.
  if (error.problem.code === 'device_unavailable' && (error.problem.effect ?? 'none') !== 'none')
    return undefined;
  if (error.retryAfterS !== undefined) return error.retryAfterS * 1_000;
  return error.status === 503 ? 0 : undefined;
}

/** A refusal with its `Retry-After`. */
class RefusedError extends ProblemError {
  constructor(
    problem: Problem,
    /** Seconds. The service sends it only when the request had no effect. */
    readonly retryAfterS: number | undefined,
  ) {
    super(problem);
  }
}

async function once({ method, url, headers, body, timeoutMs, signal, fetch }: Sent): Promise<Response> {
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
    if (late.signal.aborted || causesOf(error).some(({ code }) => code === 'UND_ERR_HEADERS_TIMEOUT'))
      throw new UnreachableError('timeout', `no answer from ${originOf(url)} in time`, { cause: error });
    throw unreachable(error, url);
  } finally {
    clearTimeout(timer);
  }
}

/** Codes of `node:tls` for a certificate that proves nothing to this computer. */
const untrustedCodes =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/** The meaning of a failure of `fetch` or of reading its answer. */
export function unreachable(error: unknown, url: string): UnreachableError {
  const causes = causesOf(error);
  const origin = originOf(url);
  const untrusted = causes.find(({ code = '' }) => untrustedCodes.test(code));
  if (untrusted !== undefined)
    return new UnreachableError(
      'untrusted',
      `the certificate of ${origin} is not trusted here: ${untrusted.message}`,
      { cause: error },
    );
  const refused = causes.some(({ code = '' }) =>
    ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code),
  );
  return refused
    ? new UnreachableError('refused', `nothing answers at ${origin}`, { cause: error })
    : new UnreachableError('lost', `the connection to ${origin} was lost`, { cause: error });
}

/** An error of Node has a code, one of a browser has none. */
type MaybeCoded = Error & { code?: string };

/** An error and its causes. A name with several addresses fails with one error for each. */
function causesOf(error: unknown): MaybeCoded[] {
  if (!(error instanceof Error)) return [];
  return [
    error,
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
