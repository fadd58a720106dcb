import type { JsonObject, JsonValue } from '@lab/contracts';

/** Largest value that author code gets or returns, in bytes of JSON. With its envelope it fills a message. */
export const maxValueBytes = 250_000;

/** Deepest nesting of objects and lists. */
export const maxDepth = 64;

/** Author code returned a value that cannot be sent. The message says where it is and what to return instead. */
export class NotJson extends TypeError {
  override readonly name = 'NotJson';
}

export interface JsonOptions {
  /** Whether to refuse characters that a database cannot store (U+0000 and lone surrogates). */
  storable?: boolean;
  /** Largest size of the JSON in bytes; {@link maxValueBytes} by default. */
  maxBytes?: number;
}

/**
 * Copies a value as JSON. Properties that are undefined are left out.
 *
 * @param where name of the value for the author, for example `the result of mix`
 * @throws NotJson when the value has anything but finite numbers, strings, booleans, null, plain objects and lists, or when it
 *   contains itself, is nested deeper than {@link maxDepth}, or is too large
 */
export function toJson(value: unknown, where: string, options: JsonOptions = {}): JsonValue {
  const copy = copyOf(value, where, [], options.storable ?? false);
  checkSize(copy, where, options.maxBytes);
  return copy;
}

/** Like {@link toJson}, for a value that must be a plain object. */
export function toJsonObject(value: unknown, where: string, options: JsonOptions = {}): JsonObject {
  if (!isPlainObject(value)) throw new NotJson(`${where} must be a plain object, not ${kindOf(value)}`);
  return toJson(value, where, options) as JsonObject;
}

/** Checks the size of a value. @throws NotJson when its JSON is larger than the limit */
export function checkSize(value: JsonValue, where: string, maxBytes = maxValueBytes): void {
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size > maxBytes) {
    throw new NotJson(
      `${where} is ${size} bytes of JSON, more than the ${maxBytes} that fit: return large data of a task as a file`,
    );
  }
}

function copyOf(value: unknown, where: string, above: readonly object[], storable: boolean): JsonValue {
  switch (typeof value) {
    case 'string':
      if (storable) checkStorable(value, where);
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value))
        throw new NotJson(`${where} is ${value}, which JSON cannot carry: use a finite number or null`);
      return value;
    case 'object': {
      if (value === null) return null;
      if (above.includes(value)) throw new NotJson(`${where} contains itself: return data without circles`);
      if (above.length >= maxDepth) throw new NotJson(`${where} is nested deeper than ${maxDepth} levels`);
      const path = [...above, value];
      if (Array.isArray(value)) {
        return Array.from(value, (element, index) => copyOf(element, `${where}[${index}]`, path, storable));
      }
      if (!isPlainObject(value)) {
        throw new NotJson(`${where} is ${kindOf(value)}: make it a plain object, list, string or number`);
      }
      return copyOfObject(value, where, path, storable);
    }
    default:
      throw new NotJson(`${where} is ${kindOf(value)}, which JSON cannot carry`);
  }
}

function copyOfObject(
  value: Record<string, unknown>,
  where: string,
  path: readonly object[],
  storable: boolean,
): JsonObject {
  const copy: JsonObject = {};
  for (const [key, element] of Object.entries(value)) {
    if (element === undefined) continue;
    if (key === '__proto__')
      throw new NotJson(`${where} has a property named __proto__: choose another name`);
    if (storable) checkStorable(key, `a property name in ${where}`);
    copy[key] = copyOf(element, `${where}.${key}`, path, storable);
  }
  return copy;
}

function checkStorable(text: string, where: string): void {
  if (text.includes('\u0000'))
    throw new NotJson(`${where} holds the character U+0000, which cannot be stored: remove it`);
  if (!text.isWellFormed())
    throw new NotJson(`${where} holds half a surrogate pair, which cannot be stored: remove it`);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Describes a value for error messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (isPlainObject(value)) return 'an object';
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `a ${name} object` : 'an object of a class';
}
