/** Header that names a request: every answer has it, and a client may choose it. */
export const requestIdHeader = 'X-Request-Id';

/** Whether a text may name a request: 8 to 64 letters, digits, `-`, `_` or `.`. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && /^[\w.-]{8,64}$/.test(text);
}
