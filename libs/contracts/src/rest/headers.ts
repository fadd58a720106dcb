/**
 * Version of the REST interface. Every answer carries it in `SVC-API-Version`, and the document has it as
 * `info.version`.
 * It rises when something that clients rely on is removed or changes its meaning. Additions leave it as it is.
 */
export const apiVersion = '1';

/** Header of every answer that names {@link apiVersion}. */
export const apiVersionHeader = 'SVC-API-Version';

/** Header that names a request. Every answer has it, and a client may choose its value. */
export const requestIdHeader = 'X-Request-Id';

/** True for a text that may name a request: 8 to 64 letters, digits, `-`, `_` or `.`. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && /^[\w.-]{8,64}$/.test(text);
}
