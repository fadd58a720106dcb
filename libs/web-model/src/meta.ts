import { fieldsOf, textOf, type Field, type FieldKind, type Texts, type Value } from './fields/index.js';
import { fieldOf } from './graph.js';

/** The data of a resource, by name. */
export type Meta = Readonly<Record<string, unknown>>;

/**
 * The data that the file of a laboratory gives a resource, over the data of its type.
 *
 * @param definition of the laboratory, as `GET /api/definitions/lab/{name}` gives it
 * @returns undefined when the file does not name the resource
 */
export function declaredMetaOf(definition: unknown, resource: string): Meta | undefined {
  const meta = fieldOf(fieldOf(fieldOf(definition, 'resources'), resource), 'meta');
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? (meta as Meta) : undefined;
}

/**
 * A field for each value that a resource has or that its laboratory declares. A declaration gives a value and no type, so the kind of
 * a field is that of the values. Values of several kinds, and null, are written as JSON.
 */
export function metaFieldsOf(meta: Meta, declared: Meta): Field[] {
  const names = [...new Set([...Object.keys(declared), ...Object.keys(meta)])];
  const declarations = names.map((name) => {
    const kinds = new Set([meta[name], declared[name]].filter((value) => value !== undefined).map(kindOf));
    const [kind] = kinds;
    return [name, { type: kinds.size === 1 ? kind : 'any', optional: true }];
  });
  return fieldsOf(Object.fromEntries(declarations)) ?? [];
}

function kindOf(value: unknown): FieldKind {
  if (typeof value === 'number') return 'float';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'list';
  return value === null ? 'any' : 'dict';
}

/** The texts with which a form of the present values begins. */
export const metaTextsOf = (fields: readonly Field[], meta: Meta): Texts =>
  new Map(
    fields.flatMap((field) => {
      const value = meta[field.name];
      return value === undefined ? [] : [[field.name, textOf(field, value as Value)]];
    }),
  );

/** A value before and after; undefined: there is none. */
export interface MetaChange {
  name: string;
  before: unknown;
  after: unknown;
}

/** What differs between the data of a resource before and after. */
export function metaChanges(before: Meta, after: Meta): MetaChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name) => ({ name, before: before[name], after: after[name] }))
    .filter((change) => !isSame(change.before, change.after));
}

/**
 * The change that makes the data of a resource what a form says.
 *
 * @returns new values by name; null removes a value, as the service reads it
 */
export function metaPatch(meta: Meta, values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    metaChanges(meta, values).map(({ name, after }) => [name, (after ?? null) as Value]),
  );
}

/** Whether two values of JSON are the same, in whatever order their fields are. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(fieldOf(a, name), fieldOf(b, name)))
  );
}
