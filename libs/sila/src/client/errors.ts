import { status, type ServiceError } from '@grpc/grpc-js';
import { frameworkCodec, type Wire } from '../wire/index.js';

const errorCodec = frameworkCodec('SiLAError');
const binaryCodec = frameworkCodec('BinaryTransferError');

export type SilaErrorKind = 'validation' | 'defined' | 'undefined' | 'framework';

/**
 * The answer of a SiLA server that a call failed. `validation`: an argument is wrong, and nothing was done. `defined`: an error that the
 * feature declares, named by `identifier`. `undefined`: any other error of the instrument. `framework`: the call breaks a rule of SiLA.
 */
export class SilaError extends Error {
  override readonly name = 'SilaError';

  /**
   * @param identifier of a defined error, such as `ServerAlreadyLocked`, the full identifier of a parameter, or the type of a framework
   *   error, such as `INVALID_METADATA`; empty: it has none
   */
  constructor(
    readonly kind: SilaErrorKind,
    readonly identifier: string,
    message: string,
  ) {
    super(identifier === '' ? message : `${identifier}: ${message}`);
  }
}

/** The connection failed, so nobody knows whether the server carried the call out. */
export class SilaConnectionError extends Error {
  override readonly name = 'SilaConnectionError';

  /** @param code of gRPC, as in `UNAVAILABLE` */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The certificate of a server is not the expected one, or nobody has confirmed it. */
export class UntrustedServer extends Error {
  override readonly name = 'UntrustedServer';

  /** @param fingerprint SHA-256 of its certificate, as in `AB:CD:...` */
  constructor(
    readonly fingerprint: string,
    message: string,
  ) {
    super(message);
  }
}

export function isDefined(error: unknown, identifier: string): boolean {
  return error instanceof SilaError && error.kind === 'defined' && error.identifier === identifier;
}

export function isFramework(error: unknown, type: string): boolean {
  return error instanceof SilaError && error.kind === 'framework' && error.identifier === type;
}

/** @param where the server, for people */
export function errorOfCall(error: ServiceError, where: string): SilaError | SilaConnectionError {
  const sila = error.code === status.ABORTED ? decode(error.details) : undefined;
  if (sila !== undefined) return sila;
  const code = status[error.code] ?? String(error.code);
  return new SilaConnectionError(code, `${where} did not answer (${code}: ${error.details})`);
}

/** The same of a call that carries a binary. */
export function errorOfBinary(error: ServiceError, where: string): SilaError | SilaConnectionError {
  if (error.code !== status.ABORTED) return errorOfCall(error, where);
  const wire = binaryCodec.decode(Buffer.from(error.details, 'base64'));
  const type = (wire['errorType'] as string | undefined) ?? 'INVALID_BINARY_TRANSFER_UUID';
  return new SilaError(
    'framework',
    type,
    (wire['message'] as string | undefined) ?? 'the server says no more',
  );
}

function decode(details: string): SilaError | undefined {
  let wire: Wire;
  try {
    wire = errorCodec.decode(Buffer.from(details, 'base64'));
  } catch {
    return undefined;
  }
  const part = (name: string): Record<string, string> | undefined =>
    wire[name] as Record<string, string> | undefined;
  const validation = part('validationError');
  if (validation !== undefined)
    return new SilaError('validation', validation['parameter'] ?? '', messageOf(validation));
  const defined = part('definedExecutionError');
  if (defined !== undefined) {
    const identifier = (defined['errorIdentifier'] ?? '').split('/').at(-1) ?? '';
    return new SilaError('defined', identifier, messageOf(defined));
  }
  const other = part('undefinedExecutionError');
  if (other !== undefined) return new SilaError('undefined', '', messageOf(other));
  const framework = part('frameworkError');
  if (framework === undefined) return undefined;
  // The first type is the default, which the wire leaves out.
  return new SilaError(
    'framework',
    framework['errorType'] ?? 'COMMAND_EXECUTION_NOT_ACCEPTED',
    messageOf(framework),
  );
}

function messageOf(part: Record<string, string>): string {
  return part['message'] || 'the server says no more';
}
