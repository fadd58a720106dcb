/** Most bytes of JSON for values that travel in a message. Larger data belongs in files. */
export const maxInlineBytes = 65_536;

/** True for a value with at most {@link maxInlineBytes} as JSON in UTF-8. */
export function isInline(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  // A UTF-16 unit takes one to three bytes, so most values need no encoding.
  if (text.length > maxInlineBytes) return false;
  return text.length * 3 <= maxInlineBytes || new TextEncoder().encode(text).length <= maxInlineBytes;
}
