import { isServiceError, ServiceError, type AnyRequest, type RequestOf } from '@lab/contracts';
import type { BusLog, MessageContext, RequestHandler } from './bus.js';
import { encodeFailure, encodeSuccess } from './codec.js';

export interface ReplyLimits {
  log: BusLog;
  /** The largest reply the broker takes, in bytes. */
  maxPayload: number;
}

/** Longest text of an error that did not fit into a reply as it was, in characters. */
const shortened = 1_000;

/**
 * Runs a handler and gives the bytes of its reply, whatever happens. Never rejects. Of what is done for a request over HTTP
 * the log has a line at debug level.
 */
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
    if (request !== undefined) log.debug('request handled', { ...about, ...context.tokens, outcome });
  };
  let result: unknown;
  try {
    result = await handler(body, context);
    handled('done');
  } catch (error) {
    handled(isServiceError(error) ? error.code : 'internal');
    if (isServiceError(error)) return failureReply(error, maxPayload);
    log.error('handler failed', { ...about, error });
    // The text of an unexpected error may hold anything; it stays in the log of this process.
    const internal = new ServiceError('internal', `${name} failed unexpectedly (message ${id})`, {
      effect: 'maybe',
    });
    return failureReply(internal, maxPayload);
  }
  try {
    const checked = definition.reply.check(result);
    if (!checked.ok) {
      log.error('handler gave a malformed reply', { ...about, faults: checked.faults });
      const text = `${name} was done, but its reply is malformed`;
      return failureReply(
        new ServiceError('internal', text, { effect: 'done', faults: checked.faults }),
        maxPayload,
      );
    }
    const data = encodeSuccess(checked.value);
    if (data.length <= maxPayload) return data;
    const text = `${name} was done, but its reply has ${data.length} bytes and the broker takes ${maxPayload}`;
    return failureReply(new ServiceError('payload_too_large', text, { effect: 'done' }), maxPayload);
  } catch (error) {
    log.error('reply cannot be written as JSON', { ...about, error });
    const text = `${name} was done, but its reply cannot be written as JSON`;
    return failureReply(new ServiceError('internal', text, { effect: 'done' }), maxPayload);
  }
}

/** The bytes of an error; one that is too large keeps its code and effect and the beginning of its text. */
export function failureReply(error: ServiceError, maxPayload: number): Uint8Array {
  const data = encodeFailure(error);
  if (data.length <= maxPayload) return data;
  const { code, effect, message } = error;
  return encodeFailure(new ServiceError(code, `${message.slice(0, shortened)} (shortened)`, { effect }));
}
