import {
  envelopeVersion,
  replyEnvelope,
  ServiceError,
  envelope as envelopeSchema,
  type Envelope,
  type Fault,
  type WireError,
} from '@lab/contracts';

/** Conversion between bytes (JSON in UTF-8) and checked envelopes. */

export type Decoded = { ok: true; envelope: Envelope } | { ok: false; fault: Fault };

export function encode(message: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/** Reads and checks the envelope of a request or event of the definition `name`. */
export function decodeEnvelope(data: Uint8Array, name: string): Decoded {
  const message = parse(data);
  if (message === undefined) {
    return { ok: false, fault: { path: '', code: 'json', message: 'the message is not JSON' } };
  }
  const checked = envelopeSchema.safeParse(message);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const { code = 'envelope', message: text = 'the envelope is malformed' } = issue ?? {};
    const path = issue?.path.join('.') ?? '';
    const hint = path === 'v' ? { hint: `this process speaks version ${envelopeVersion}` } : {};
    return { ok: false, fault: { path, code, message: text, ...hint } };
  }
  if (checked.data.kind !== name) {
    const fault = { path: 'kind', code: 'kind', message: `must be ${name}, not ${checked.data.kind}` };
    return { ok: false, fault };
  }
  return { ok: true, envelope: checked.data };
}

export function encodeSuccess(body: unknown): Uint8Array {
  return encode({ ok: true, body });
}

/** Encodes an error for the caller. Its stack and cause stay in this process; only the author's stack travels. */
export function encodeFailure(error: ServiceError): Uint8Array {
  const travelling: WireError = {
    code: error.code,
    message: error.message,
    retryable: error.retryable,
    effect: error.effect,
    ...(error.faults.length === 0 ? {} : { faults: [...error.faults] }),
    ...(error.authorStack === undefined ? {} : { author_stack: error.authorStack }),
    ...(error.retryAfterS === undefined ? {} : { retry_after_s: error.retryAfterS }),
  };
  return encode({ ok: false, error: travelling });
}

/** @throws ServiceError as the server answered; `internal` (effect maybe) when the reply cannot be read */
export function decodeReply(data: Uint8Array, name: string): unknown {
  const message = parse(data);
  if (isSuccess(message)) return message.body;
  const checked = replyEnvelope.safeParse(message);
  if (!checked.success || checked.data.ok) {
    throw new ServiceError('internal', `the reply to ${name} cannot be read`, { effect: 'maybe' });
  }
  const { code, message: text, effect, faults } = checked.data.error;
  const { author_stack: authorStack, retry_after_s: retryAfterS } = checked.data.error;
  throw new ServiceError(code, text, {
    effect,
    ...(faults === undefined ? {} : { faults: faults.map(withoutUndefined) }),
    ...(authorStack === undefined ? {} : { authorStack }),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  });
}

type WireFault = NonNullable<WireError['faults']>[number];

function withoutUndefined({ path, code, message, ...others }: WireFault): Fault {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return { path, code, message, ...Object.fromEntries(given) };
}

function isSuccess(message: unknown): message is { ok: true; body?: unknown } {
  return typeof message === 'object' && message !== null && 'ok' in message && message.ok === true;
}

/** Parses JSON. `undefined`: the bytes are not JSON, which has no such value. */
function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as unknown;
  } catch {
    return undefined;
  }
}
