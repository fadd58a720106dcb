import type { JsonObject, JsonValue } from '@lab/contracts';

/** Longest value in a brief text, in characters of JSON. */
const longestBrief = 200;
/** Longest arguments, and longest result, that are kept whole, in characters of JSON. */
const longestKept = 4_096;

/** Arguments for a list, with long values cut. */
export function briefArguments(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cut(value, longestBrief)]));
}

/** Arguments for a record: whole, or with long values cut. */
export function keptArguments(values: JsonObject): JsonObject {
  return JSON.stringify(values).length <= longestKept ? values : briefArguments(values);
}

/** A result for a record: whole, or the beginning of its text. */
export function briefValue(value: JsonValue): JsonValue {
  return cut(value, longestKept);
}

function cut(value: JsonValue, longest: number): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= longest ? value : `${text.slice(0, longest)}…`;
}
