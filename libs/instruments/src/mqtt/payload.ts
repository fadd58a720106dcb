import type { JsonValue } from '@lab/sdk';

/** A text as it is, everything else as JSON. */
export const encodePayload = (payload: JsonValue): string =>
  typeof payload === 'string' ? payload : JSON.stringify(payload);

/** JSON as its value, else the text; bytes that are no text as `{ base64 }`. */
export function decodePayload(bytes: Uint8Array): JsonValue {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { base64: Buffer.from(bytes).toString('base64') };
    throw error;
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
