import type { JsonValue } from '@lab/contracts';
import type { ParameterBinding } from './types.js';

/** The exact value that leaves a parameter open until a run is submitted. */
export const dynamicMarker = 'svc_dynamic';

/** `task.name` as its two parts, split at the first dot; undefined when the text has no dot or an empty part. */
export function splitReference(text: string): { task: string; name: string } | undefined {
  const dot = text.indexOf('.');
  if (dot <= 0 || dot === text.length - 1) return undefined;
  return { task: text.slice(0, dot), name: text.slice(dot + 1) };
}

/**
 * Interprets a parameter entry of a protocol. A string is a reference only if the word before its first dot is the
 * name of a task of the protocol; every other string is a literal.
 *
 * A backslash before `svc_dynamic` or before a reference makes it a literal, without the backslash: `\mix.volume` is
 * the text `mix.volume`. Of several backslashes one is removed. Before any other text a backslash is an ordinary
 * character.
 */
export function readBinding(entry: JsonValue, taskNames: ReadonlySet<string>): ParameterBinding {
  if (typeof entry !== 'string') return { kind: 'literal', value: entry };
  const bare = entry.replace(/^\\+/, '');
  const reference = splitReference(bare);
  const isReference = reference !== undefined && taskNames.has(reference.task);
  if (!isReference && bare !== dynamicMarker) return { kind: 'literal', value: entry };
  if (bare !== entry) return { kind: 'literal', value: entry.slice(1) };
  return isReference
    ? { kind: 'reference', task: reference.task, parameter: reference.name }
    : { kind: 'dynamic' };
}
