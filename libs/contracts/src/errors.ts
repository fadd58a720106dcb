import type { Fault } from './rest/fault.js';

/**
 * The error catalogue: every code that the service can answer, its HTTP status, and whether the unchanged request may
 * succeed later. Codes are stable; texts are not.
 */
export const errorCatalogue = {
  malformed_json: { status: 400, retryable: false, title: 'The body is not valid JSON' },
  bad_request: { status: 400, retryable: false, title: 'The request is malformed' },
  unauthorized: { status: 401, retryable: false, title: 'Authentication is required' },
  forbidden: { status: 403, retryable: false, title: 'Not allowed' },
  not_found: { status: 404, retryable: false, title: 'Not found' },
  unknown_lab: { status: 404, retryable: false, title: 'No such laboratory' },
  unknown_device: { status: 404, retryable: false, title: 'No such device' },
  unknown_function: { status: 404, retryable: false, title: 'The device has no such function' },
  duplicate_name: { status: 409, retryable: false, title: 'The name is taken' },
  device_in_use: { status: 409, retryable: false, title: 'A task uses the device' },
  wrong_state: { status: 409, retryable: false, title: 'Not possible in the current state' },
  events_pruned: { status: 410, retryable: false, title: 'The requested data has been removed' },
  idempotency_key_in_progress: {
    status: 409,
    retryable: true,
    title: 'A request with this key is in progress',
  },
  idempotency_key_reused: { status: 422, retryable: false, title: 'The key belongs to another request' },
  outcome_unknown: {
    status: 409,
    retryable: false,
    title: 'It is not known whether the request was carried out',
  },
  answer_not_kept: {
    status: 409,
    retryable: false,
    title: 'The request was carried out, and its answer was not kept',
  },
  payload_too_large: { status: 413, retryable: false, title: 'The body is too large' },
  uri_too_long: { status: 414, retryable: false, title: 'The address is too long' },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The media type of the body is not supported',
  },
  range_not_satisfiable: { status: 416, retryable: false, title: 'The file does not have these bytes' },
  invalid: { status: 422, retryable: false, title: 'The request is well-formed but invalid' },
  unknown_protocol: { status: 422, retryable: false, title: 'No such protocol' },
  unknown_task_type: { status: 422, retryable: false, title: 'No such task type' },
  backlog_full: { status: 429, retryable: true, title: 'Too much work is waiting' },
  too_many_requests: { status: 429, retryable: true, title: 'Too many requests' },
  device_error: { status: 502, retryable: false, title: 'The device function failed' },
  optimizer_error: { status: 502, retryable: false, title: 'The optimizer failed' },
  optimizer_unavailable: {
    status: 503,
    retryable: true,
    title: 'No optimizer worker answers at this address',
  },
  device_unavailable: { status: 503, retryable: true, title: 'The device cannot be used now' },
  agent_unreachable: { status: 503, retryable: true, title: 'The computer of the device does not answer' },
  service_unavailable: { status: 503, retryable: true, title: 'A part of the service does not answer' },
  store_unavailable: { status: 503, retryable: true, title: 'The database does not answer' },
  stale_message: {
    status: 409,
    retryable: false,
    title: 'The message comes from an earlier leader or owner',
  },
  late_message: { status: 503, retryable: true, title: 'The message was delayed for too long' },
  deadline_exceeded: { status: 504, retryable: false, title: 'No answer within the time limit' },
  disconnected: { status: 503, retryable: true, title: 'The connection to the broker was lost' },
  aborted: { status: 409, retryable: false, title: 'The call was aborted' },
  internal: { status: 500, retryable: false, title: 'A defect of the service' },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/**
 * What is known about the physical effect of a request that ended in an error. A machine may repeat a request only when
 * it is `none`.
 */
export const effects = ['none', 'maybe', 'done'] as const;
export type Effect = (typeof effects)[number];

export interface ServiceErrorOptions {
  effect?: Effect;
  faults?: readonly Fault[];
  /** Stack of author code, with paths inside the package only. Never a stack of the service. */
  authorStack?: string;
  /** Seconds after which a repeated request makes sense. */
  retryAfterS?: number;
  cause?: unknown;
}

/** Every error that crosses a boundary of the service. Another process recognises it by its code. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly effect: Effect;
  readonly faults: readonly Fault[];
  readonly authorStack: string | undefined;
  /** Seconds; undefined: not known. */
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.effect = options.effect ?? 'none';
    this.faults = options.faults ?? [];
    this.authorStack = options.authorStack;
    this.retryAfterS = options.retryAfterS;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }

  get retryable(): boolean {
    return errorCatalogue[this.code].retryable && this.effect === 'none';
  }
}

/** True for a {@link ServiceError}, even if another copy of this module made it. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError' && 'code' in error && 'effect' in error;
}

/**
 * Turns any thrown value into a {@link ServiceError}. Another value becomes `internal`, with the original as its cause.
 *
 * @param effect what is known about the effect of the failed work
 */
export function toServiceError(error: unknown, effect: Effect = 'maybe'): ServiceError {
  if (isServiceError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ServiceError('internal', message, { effect, cause: error });
}
