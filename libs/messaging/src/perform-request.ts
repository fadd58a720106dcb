import { isServiceError, ServiceError, type AnyRequest, type RequestOf } from '@lab/contracts';
import type { BusLog, MessageContext, RequestHandler } from './bus.js';
import { encodeFailure, encodeSuccess } from './codec.js';

export interface ReplyLimits {
  log: BusLog;
  /** The largest reply that the broker allows, in bytes. */
  maxPayload: number;
}

/** Longest text of an error that was too large for a reply, in characters. */
const shortened = 1_000;

/** Never rejects. Work for an HTTP request is logged at debug level. @returns the bytes of the reply or error */
export async function performRequest<D extends AnyRequest>(
  definition: D,
  handler: RequestHandler<D>,
  body: RequestOf<D>,
  context: MessageContext<D>,
  { log, maxPayload }: ReplyLimits,
): Promise<Uint8Array> {
  const { name } = definition;
  const { id, request } = context.envelope;
  const about = { kind: name, id, ...(request === undefined ? {} : { request_id: request }) };
  const handled = (outcome: string): void => {
    if (request !== undefined && log.enabled?.('debug') !== false)
      log.debug('request handled', { ...about, ...context.tokens, outcome });
  };
  let result: unknown;
  try {
    result = await handler(body, context);
    handled('done');
  } catch (error) {
    handled(isServiceError(error) ? error.code : 'internal');
    if (isServiceError(error)) return failureReply(error, maxPayload);
    log.error('handler failed', { ...about, error });
    // The text of an unexpected error may contain secrets, so it stays in the log of this process.
    const internal = new ServiceError('internal', `${name} failed unexpectedly (message ${id})`, {
      effect: 'maybe',
    });
    return failureReply(internal, maxPayload);
  }
  try {
    const data = encodeSuccess(result);
    if (data.length <= maxPayload) return data;
    const text = `${name} was done, but its reply has ${data.length} bytes and the broker allows ${maxPayload}`;
    return failureReply(new ServiceError('payload_too_large', text, { effect: 'done' }), maxPayload);
  } catch (error) {
    log.error('reply cannot be written as JSON', { ...about, error });
    const text = `${name} was done, but its reply cannot be written as JSON`;
    return failureReply(new ServiceError('internal', text, { effect: 'done' }), maxPayload);
  }
}

/** Encodes an error. If it is too large, it keeps its code, its effect and the beginning of its text. */
export function failureReply(error: ServiceError, maxPayload: number): Uint8Array {
  const data = encodeFailure(error);
  if (data.length <= maxPayload) return data;
  const { code, effect, message } = error;
  return encodeFailure(new ServiceError(code, `${message.slice(0, shortened)} (shortened)`, { effect }));
}
