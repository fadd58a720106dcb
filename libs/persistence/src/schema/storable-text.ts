import type { JsonValue } from '@lab/contracts';

/** True for text that PostgreSQL can hold: no U+0000 and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The same text, with U+2400 (the picture of U+0000) and U+FFFD in place of the characters that cannot be stored. */
export function asStorable(text: string): string {
  return text.replaceAll('\u0000', '\u2400').toWellFormed();
}

/** A value of JSON with {@link asStorable} text everywhere in it. */
export function asStorableJson<Value extends JsonValue>(value: Value): Value {
  return storable(value) as Value;
}

function storable(value: JsonValue): JsonValue {
  if (typeof value === 'string') return asStorable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(storable);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [asStorable(name), storable(each)]));
}
