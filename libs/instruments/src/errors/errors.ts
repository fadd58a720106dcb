import { NotBegun } from '@lab/sdk';

/**
 * A request failed after it may have left. Nobody knows whether the instrument carried it out. The opposite is `NotBegun` of
 * `@lab/sdk`: nothing has left this computer, so the instrument cannot have acted.
 */
export class ExchangeError extends Error {
  override readonly name: string = 'ExchangeError';
}

/** An error that says what is known of the effect of a request. */
export type Failure = NotBegun | ExchangeError;

export function isFailure(error: unknown): error is Failure {
  return error instanceof NotBegun || error instanceof ExchangeError;
}

/** @param hasLeft whether anything of the request may have left this computer */
export function failure(message: string, hasLeft: boolean, options?: ErrorOptions): Failure {
  return hasLeft ? new ExchangeError(message, options) : new NotBegun(message, options);
}

/** An error as a text that is not empty. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error.message === '' ? error.name : error.message;
}
