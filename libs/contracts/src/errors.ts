import type { Fault } from './rest/fault.js';

interface ErrorKind {
  status: number;
  retryable: boolean;
  title: string;
}
const permanent = (status: number, title: string): ErrorKind => ({ status, retryable: false, title });
const temporary = (status: number, title: string): ErrorKind => ({ status, retryable: true, title });

/**
 * The error catalogue: every code that the service can answer, its HTTP status, and whether the unchanged request may
 * succeed later (`temporary`). Codes are stable; texts are not.
 */
export const errorCatalogue = {
  malformed_json: permanent(400, 'The body is not valid JSON'),
  bad_request: permanent(400, 'The request is malformed'),
  unauthorized: permanent(401, 'Authentication is required'),
  forbidden: permanent(403, 'Not allowed'),
  not_found: permanent(404, 'Not found'),
  unknown_lab: permanent(404, 'No such laboratory'),
  unknown_device: permanent(404, 'No such device'),
  unknown_function: permanent(404, 'The device has no such function'),
  duplicate_name: permanent(409, 'The name is taken'),
  device_in_use: permanent(409, 'A task uses the device'),
  wrong_state: permanent(409, 'Not possible in the current state'),
  quota_exceeded: permanent(409, 'A quota has no room'),
  events_pruned: permanent(410, 'The requested data has been removed'),
  idempotency_key_in_progress: temporary(409, 'A request with this key is in progress'),
  idempotency_key_reused: permanent(422, 'The key belongs to another request'),
  outcome_unknown: permanent(409, 'It is not known whether the request was carried out'),
  answer_not_kept: permanent(409, 'The request was carried out, and its answer was not kept'),
  payload_too_large: permanent(413, 'The body is too large'),
  uri_too_long: permanent(414, 'The address is too long'),
  unsupported_media_type: permanent(415, 'The media type of the body is not supported'),
  range_not_satisfiable: permanent(416, 'The file does not have these bytes'),
  misdirected: permanent(421, 'The service is not known by this name'),
  upgrade_required: permanent(426, 'The releases of agent and service do not fit'),
  invalid: permanent(422, 'The request is well-formed but invalid'),
  unknown_protocol: permanent(422, 'No such protocol'),
  unknown_task_type: permanent(422, 'No such task type'),
  backlog_full: temporary(429, 'Too much work is waiting'),
  too_many_requests: temporary(429, 'Too many requests'),
  device_error: permanent(502, 'The device function failed'),
  optimizer_error: permanent(502, 'The optimizer failed'),
  optimizer_unavailable: temporary(503, 'No optimizer worker answers at this address'),
  device_unavailable: temporary(503, 'The device cannot be used now'),
  agent_unreachable: temporary(503, 'The computer of the device does not answer'),
  service_unavailable: temporary(503, 'A part of the service does not answer'),
  store_unavailable: temporary(503, 'The database does not answer'),
  stale_message: permanent(409, 'The message comes from an earlier leader or owner'),
  late_message: temporary(503, 'The message was delayed for too long'),
  deadline_exceeded: permanent(504, 'No answer within the time limit'),
  disconnected: temporary(503, 'The connection to the broker was lost'),
  aborted: permanent(409, 'The call was aborted'),
  internal: permanent(500, 'A defect of the service'),
};

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
