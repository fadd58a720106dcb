import { status, type ServerErrorResponse } from '@grpc/grpc-js';
import { frameworkCodec, type Wire } from '../wire/index.js';

const codec = frameworkCodec('SiLAError');

/** An error that a client of our server gets as SiLA says. */
export class ServedError extends Error {
  constructor(
    private readonly wire: Wire,
    message: string,
  ) {
    super(message);
  }

  /** @param identifier full identifier of an error that the feature declares */
  static defined(identifier: string, message: string): ServedError {
    return new ServedError({ definedExecutionError: { errorIdentifier: identifier, message } }, message);
  }

  /** @param parameter full identifier of the parameter */
  static validation(parameter: string, message: string): ServedError {
    return new ServedError({ validationError: { parameter, message } }, message);
  }

  static framework(
    errorType:
      | 'COMMAND_EXECUTION_NOT_ACCEPTED'
      | 'INVALID_COMMAND_EXECUTION_UUID'
      | 'COMMAND_EXECUTION_NOT_FINISHED'
      | 'INVALID_METADATA'
      | 'NO_METADATA_ALLOWED',
    message: string,
  ): ServedError {
    return new ServedError({ frameworkError: { errorType, message } }, message);
  }

  static undefined(message: string): ServedError {
    return new ServedError({ undefinedExecutionError: { message } }, message);
  }

  get status(): Partial<ServerErrorResponse> {
    return { code: status.ABORTED, details: codec.encode(this.wire).toString('base64') };
  }
}

export function servedError(error: unknown): ServedError {
  return error instanceof ServedError
    ? error
    : ServedError.undefined(error instanceof Error ? error.message : String(error));
}
