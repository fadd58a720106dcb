import {
  errorCatalogue,
  isServiceError,
  ServiceError,
  toServiceError,
  type AuthorError,
  type ErrorCode,
  type FunctionKind,
} from '@lab/contracts';

interface NamedCall {
  kind: FunctionKind;
  name: string;
  /** How long the call may take from its beginning, in milliseconds. */
  runMs: number;
  /** How long the caller waits for the beginning, in milliseconds. */
  patienceMs: number;
}

/** What a device process answers in place of a value. */
export interface CallFailure {
  code: string;
  error: AuthorError;
  /** The device knows that nothing happened. */
  effect?: 'none' | undefined;
}

/** The errors with which calls of one device end. Only an effect that may have begun has effect maybe. */
export class CallErrors {
  readonly #device: string;

  /** @param label `<lab>.<device>` */
  constructor(label: string) {
    this.#device = `device ${label}`;
  }

  unavailable(why: string): ServiceError {
    return new ServiceError('device_unavailable', `${this.#device} ${why}`);
  }

  withdrawn({ name }: NamedCall): ServiceError {
    return new ServiceError('aborted', `${name} of ${this.#device} was withdrawn before it began`);
  }

  notBegunInTime({ name, patienceMs }: NamedCall): ServiceError {
    return new ServiceError(
      'deadline_exceeded',
      `${name} of ${this.#device} did not begin within ${patienceMs / 1000} s`,
    );
  }

  overdue({ kind, name, runMs }: NamedCall): ServiceError {
    return new ServiceError(
      'deadline_exceeded',
      `${name} of ${this.#device} did not end within ${runMs / 1000} s`,
      { effect: kind === 'query' ? 'none' : 'maybe' },
    );
  }

  /** @param how the process ended, for people */
  processEnded({ kind, name }: NamedCall, how: string): ServiceError {
    return new ServiceError('device_error', `the process of ${this.#device} ended during ${name} (${how})`, {
      effect: kind === 'query' ? 'none' : 'maybe',
    });
  }

  unrecorded({ name }: NamedCall, cause: unknown): ServiceError {
    // If the records know this very call, their own error says more: the call may have been made before.
    if (isServiceError(cause)) return cause;
    return new ServiceError(
      'service_unavailable',
      `${name} of ${this.#device} was not begun, because it could not be recorded: ${toServiceError(cause).message}`,
      { cause },
    );
  }
}

/** The codes with which the host says that it did not begin a call. */
const notBegun: readonly string[] = ['unknown_function', 'device_unavailable', 'bad_request', 'invalid'];

export function errorOf({ kind }: NamedCall, { code, error, effect }: CallFailure): ServiceError {
  const known = Object.hasOwn(errorCatalogue, code);
  return new ServiceError(known ? (code as ErrorCode) : 'device_error', error.message, {
    effect: kind === 'query' || effect === 'none' || notBegun.includes(code) ? 'none' : 'maybe',
    ...(error.stack === undefined ? {} : { authorStack: error.stack }),
  });
}
