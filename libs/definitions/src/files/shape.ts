import { isWellFormedName, type JsonObject, type JsonValue } from '@lab/contracts';
import { z, type ZodObject, type ZodRawShape } from 'zod';
import { hintFor } from '../model/index.js';
import type { Path, SourceDocument } from '../documents/index.js';

/** Parts of the shapes of definition files, and the only function that checks a shape. */

export const json = z.unknown().transform((value) => value as JsonValue);
export const mapping = z.record(z.string(), json);
/** A mapping that may be absent or empty. */
export const optionalMapping = mapping.nullish().transform((value): JsonObject => value ?? {});
export const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/**
 * Checks the value at a path of a document. Every fault is recorded in the document.
 *
 * @returns the well-formed keys, so that the rest can be checked in spite of a fault; undefined when the value is not
 *   a mapping
 */
export function readShape<S extends ZodRawShape>(
  source: SourceDocument,
  path: Path,
  value: JsonValue | undefined,
  schema: ZodObject<S>,
): Partial<z.infer<ZodObject<S>>> | undefined {
  if (!isMapping(value)) {
    source.fault(
      path,
      'wrong_type',
      `must be a mapping with ${Object.keys(schema.shape).join(', ')}, not ${kindOf(value)}`,
    );
    return undefined;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data as Partial<z.infer<ZodObject<S>>>;
  const faulty = new Set<string>();
  for (const issue of result.error.issues) {
    const inner = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        if (inner.length === 0) faulty.add(key);
        else faulty.add(String(inner[0]));
        source.fault([...path, ...inner, key], 'unknown_key', `there is no key "${key}" here`, {
          what: 'key',
          hint: inner.length === 0 ? hintFor(key, Object.keys(schema.shape)) : undefined,
        });
      }
      continue;
    }
    faulty.add(String(inner[0]));
    const found = valueAt(value, inner);
    if (found === undefined) {
      const name = String(inner.at(-1));
      source.fault([...path, ...inner], 'missing_key', `the key "${name}" is required`, { what: 'key' });
    } else if (issue.code === 'invalid_type') {
      const expected = expectedNames[issue.expected] ?? issue.expected;
      source.fault([...path, ...inner], 'wrong_type', `must be ${expected}, not ${kindOf(found)}`, {
        hint: expected === 'text' && typeof found !== 'object' ? `write "${String(found)}"` : undefined,
      });
    } else {
      source.fault([...path, ...inner], 'invalid_value', issue.message);
    }
  }
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !faulty.has(key)));
  const partial = schema.partial().safeParse(rest);
  return partial.success ? (partial.data as Partial<z.infer<ZodObject<S>>>) : {};
}

const expectedNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
};

/**
 * Checks the keys of a mapping of named things.
 *
 * @param dots false when references (`task.name`) use the names, where a dot would be ambiguous
 */
export function checkNames(source: SourceDocument, path: Path, of: object, dots = false): void {
  for (const name of Object.keys(of)) checkName(source, [...path, name], name, 'key', dots);
}

/** Checks one name; see {@link checkNames}. */
export function checkName(
  source: SourceDocument,
  path: Path,
  name: string,
  what: 'key' | 'value',
  dots = false,
): void {
  if (!isWellFormedName(name)) {
    source.fault(
      path,
      'bad_name',
      'a name has 1 to 200 visible characters, without control characters and spaces around it',
      { what },
    );
  } else if (name in Object.prototype) {
    source.fault(path, 'reserved_name', `"${name}" cannot be used as a name`, {
      what,
      hint: 'choose another name',
    });
  } else if (!dots && name.includes('.')) {
    source.fault(
      path,
      'bad_name',
      `the name "${name}" holds a dot, which separates the parts of a reference`,
      { what, hint: `write "${name.replaceAll('.', '_')}"` },
    );
  }
}

export function isMapping(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value)}`;
  return String(value);
}

function valueAt(value: JsonValue, path: readonly (string | number)[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const part of path) {
    if (Array.isArray(found)) found = found[Number(part)];
    else if (isMapping(found)) found = Object.hasOwn(found, part) ? found[part] : undefined;
    else return undefined;
  }
  return found;
}
