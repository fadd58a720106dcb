/**
 * An error of a call of an instrument, with what is known of its effect.
 *
 * `none`: nothing of the call left this computer, so the instrument cannot have acted. `maybe`: something left, or could have
 * left.
 */
export class InstrumentError extends Error {
  /** The host tells by this name that a call did not begin. */
  override readonly name: 'NotBegun' | 'InstrumentError';

  constructor(
    message: string,
    readonly effect: 'none' | 'maybe',
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = effect === 'none' ? 'NotBegun' : 'InstrumentError';
  }
}

/** True for an error that says that nothing left this computer. */
export const sentNothing = (error: unknown): boolean =>
  error instanceof InstrumentError && error.effect === 'none';

/** An error as an {@link InstrumentError}. An error of another class has effect `maybe`. */
export function asInstrumentError(error: unknown): InstrumentError {
  if (error instanceof InstrumentError) return error;
  return new InstrumentError(messageOf(error), 'maybe', { cause: error });
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error.message === '' ? error.name : error.message;
}
