import { errorCatalogue, isServiceError, ServiceError, type ErrorCode, type Problem } from '@lab/contracts';

export const problemMediaType = 'application/problem+json';

export interface ProblemContext {
  /** Path of the request. */
  instance: string;
  /** True for requests that may act: their problems state the known effect. */
  acting: boolean;
  /** Id of the request in the log. */
  requestId: string;
}

const codeByStatus: Record<number, ErrorCode> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  422: 'invalid',
  429: 'too_many_requests',
  503: 'service_unavailable',
};

const ownWords: Partial<Record<ErrorCode, string>> = {
  payload_too_large: 'The body is larger than the 1 MB that a request may have.',
  unsupported_media_type: 'The body must be JSON, sent with the header Content-Type: application/json.',
};

/**
 * Turns any thrown value into an error of the catalogue: errors of the HTTP layer by their status, everything unknown into
 * `internal`, with the original as cause.
 */
export function asServiceError(thrown: unknown): ServiceError {
  if (isServiceError(thrown)) return thrown;
  const status = statusOf(thrown);
  const message = thrown instanceof Error ? thrown.message : '';
  if (status !== undefined && (status < 500 || status === 503)) {
    const code = codeByStatus[status] ?? 'bad_request';
    return new ServiceError(code, ownWords[code] ?? message, { cause: thrown });
  }
  return new ServiceError('internal', 'unexpected error', { effect: 'maybe', cause: thrown });
}

function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if ('getStatus' in thrown && typeof thrown.getStatus === 'function') return Number(thrown.getStatus());
  if ('statusCode' in thrown && typeof thrown.statusCode === 'number') return thrown.statusCode;
  return undefined;
}

/** The problem document of an error. For a defect of the service it contains only the id to find it in the log. */
export function problemOf(error: ServiceError, context: ProblemContext): Problem {
  const entry = errorCatalogue[error.code];
  return {
    type: `urn:svc:error:${error.code}`,
    title: entry.title,
    status: entry.status,
    detail:
      error.code === 'internal'
        ? `The service failed at this request. Its log has the reason under request ${context.requestId}.`
        : error.message,
    code: error.code,
    ...(context.acting ? { effect: error.effect } : {}),
    ...(error.faults.length === 0 ? {} : { errors: error.faults.map((fault) => ({ ...fault })) }),
    ...(error.authorStack === undefined ? {} : { author_stack: error.authorStack }),
    instance: context.instance,
  };
}
