/** True for text that PostgreSQL can hold: no U+0000 and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The same text, with U+2400 (the picture of U+0000) and U+FFFD in place of the characters that cannot be stored. */
export function asStorable(text: string): string {
  return text.replaceAll('\u0000', '\u2400').toWellFormed();
}
