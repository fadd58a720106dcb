import type { JsonObject, JsonValue } from '@lab/sdk';

const place = /\{([A-Za-z][\w.]*)\}/g;
const wholePlace = /^\{([A-Za-z][\w.]*)\}$/;

/**
 * Fills the places `{name}` of a template. A text that is one place becomes the value itself, with its type. A place inside a
 * text becomes its text. A key whose value is a place of an argument that was left out is left out.
 *
 * @param values by name; a name with dots leads into a value, as in `{answer.job.id}`
 * @throws TypeError when a text needs a value that there is none of
 */
export function fill(template: JsonValue, values: JsonObject): JsonValue | undefined {
  if (typeof template === 'string') {
    const whole = wholePlace.exec(template)?.[1];
    return whole === undefined ? fillText(template, values, String) : valueAt(values, whole);
  }
  if (Array.isArray(template)) return template.map((each) => fill(each, values) ?? null);
  if (typeof template !== 'object' || template === null) return template;
  const filled: JsonObject = {};
  for (const [key, each] of Object.entries(template)) {
    const value = fill(each, values);
    if (value !== undefined) filled[key] = value;
  }
  return filled;
}

/**
 * Fills the places of a text.
 *
 * @param encode makes a value a text that is safe at its place
 * @throws TypeError when there is no value for a place, or an object or a list
 */
export function fillText(
  template: string,
  values: JsonObject,
  encode: (value: string | number | boolean) => string,
): string {
  return template.replace(place, (_, name: string) => {
    const value = valueAt(values, name);
    if (value === undefined || value === null || typeof value === 'object') {
      throw new TypeError(
        `${template} needs a text or a number for {${name}}, and it is ${value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80)}`,
      );
    }
    return encode(value);
  });
}

/** The names of the places of a template, without what stands after a dot. */
export function placesIn(template: JsonValue): Set<string> {
  const text = typeof template === 'string' ? template : JSON.stringify(template);
  return new Set([...text.matchAll(place)].map(([, name = '']) => name.split('.')[0] ?? ''));
}

/**
 * The value at a path such as `channels.0.weight`; '' is the whole. Undefined: there is none.
 */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (path === '') return value;
  let found: JsonValue | undefined = value;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as JsonObject)[part];
  }
  return found;
}

/** An object that has a value at a path of names. `''`: the value itself. */
export function objectWith(path: string, value: JsonValue, base: JsonValue = {}): JsonValue {
  if (path === '') return value;
  const [first = '', ...rest] = path.split('.');
  const object = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  return { ...object, [first]: objectWith(rest.join('.'), value, object[first] ?? {}) };
}
