import type { JsonValue } from '@lab/sdk';

/** A JSON value with each text and each number in it changed. Keys stay as they are. */
export function withLeaves<Value>(value: Value, change: (leaf: string | number) => JsonValue): Value {
  if (typeof value === 'string' || typeof value === 'number') return change(value) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => withLeaves(each, change)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [key, withLeaves(each, change)]),
  ) as Value;
}
