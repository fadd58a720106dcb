import type { JsonValue } from '@lab/contracts';
import { sha256 } from '../code/index.js';

/** JSON with sorted keys in every object: equal values have equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${entries.join(',')}}`;
}

/** SHA-256 of the canonical JSON of a definition. Undefined fields do not count. */
export function contentHash(definition: object): string {
  return sha256(canonicalJson(JSON.parse(JSON.stringify(definition)) as JsonValue));
}
