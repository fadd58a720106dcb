import { z } from 'zod';
import type * as ruleBook from './rules.js';

/** A JSON Schema as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The rules of a field, in the order in which decorators would be written one below the other. It gets the rules as its
 * argument because most processes check no body: they never load the library of the rules.
 */
export type Rules = (from: typeof ruleBook) => readonly PropertyDecorator[];

/**
 * What a field may hold: its schema in the OpenAPI document, the check of a message that carries it, and, for the body
 * of a request, the rules of class-validator.
 */
export interface FieldType<T> {
  readonly schema: JsonSchema;
  /** Makes the check. It is made when it is first needed, because most processes check few of the shapes. */
  zod(): z.ZodType<T>;
  readonly rules?: Rules;
}

/** A field of an {@link object} that may be absent. */
export interface OptionalType<T> extends FieldType<T> {
  readonly optional: true;
}

/** A class whose fields are declared by {@link Field} and {@link Optional}. */
export type Shape<T extends object = object> = new () => T;

type TypeOrShape<T> = FieldType<T> | (T extends object ? Shape<T> : never);

interface Declared {
  readonly type: FieldType<unknown>;
  readonly optional: boolean;
}

/** A field of a class with the rules that a request body must keep. */
export interface RuledField {
  readonly target: object;
  readonly key: string;
  readonly rules: Rules;
  readonly optional: boolean;
}

const ruledFields: RuledField[] = [];
const declaredFields = new Map<object, Map<string, Declared>>();
const descriptions = new Map<object, string>();
const namedSchemas = new Map<string, () => JsonSchema>();
const checks = new Map<object, z.ZodType>();

/** True for the type of a property that holds exactly the values of T, with or without undefined. */
type Holds<P, T> = [Exclude<P, undefined>] extends [T] ? ([T] extends [P] ? true : false) : false;

/** The compiler compares the values of the decorator with the type of the property. */
type FieldDecorator<T> = <K extends string, C extends { [P in K]: unknown }>(
  target: C,
  key: Holds<C[K], T> extends true ? K : never,
) => void;
type OptionalDecorator<T> = <K extends string, C extends { [P in K]?: unknown }>(
  target: C,
  key: object extends Pick<C, K> ? (Holds<C[K], T> extends true ? K : never) : never,
) => void;

/** Declares a field: its type, its description and its rules. */
export function Field<T>(type: FieldType<T> | (T extends object ? Shape<T> : never)): FieldDecorator<T> {
  return (target, key) => declare(target, key, typeOf(type as TypeOrShape<T>), false);
}

/** Declares a field that may be absent. In the body of a request, null counts as absent. */
export function Optional<T>(
  type: FieldType<T> | (T extends object ? Shape<T> : never),
): OptionalDecorator<T> {
  return (target, key) => declare(target, key, typeOf(type as TypeOrShape<T>), true);
}

/** Gives a class its description in the OpenAPI document. */
export function Described(description: string): (shape: Shape) => void {
  return (shape) => {
    descriptions.set(shape, description);
    register(shape);
  };
}

function declare(target: object, key: string, type: FieldType<unknown>, optional: boolean): void {
  const shape = target.constructor as Shape;
  register(shape);
  const fields = declaredFields.get(shape) ?? new Map<string, Declared>();
  declaredFields.set(shape, fields.set(key, { type, optional }));
  if (type.rules !== undefined) ruledFields.push({ target, key, rules: type.rules, optional });
}

/** The fields with rules that were declared since the last call. */
export function takeRuledFields(): RuledField[] {
  return ruledFields.splice(0);
}

function register(shape: Shape): void {
  namedSchemas.set(shape.name, () => schemaOf(shape));
}

/** Gives a type that is no class a name in the OpenAPI document. */
export function named<T>(name: string, type: FieldType<T>): FieldType<T> {
  namedSchemas.set(name, () => type.schema);
  return type;
}

/** The fields of a class, those of the classes that it extends first. */
function fieldsOf(shape: object): Map<string, Declared> {
  const parent: unknown = Object.getPrototypeOf(shape);
  const inherited = typeof parent === 'function' ? fieldsOf(parent) : new Map<string, Declared>();
  return new Map([...inherited, ...(declaredFields.get(shape) ?? [])]);
}

const fieldNames = new Map<object, readonly string[]>();

/** The names of the fields of a class. */
export function fieldNamesOf(shape: Shape): readonly string[] {
  const names = fieldNames.get(shape) ?? [...fieldsOf(shape).keys()];
  fieldNames.set(shape, names);
  return names;
}

/** The schema of a class in the OpenAPI document. Other fields than the declared ones are not allowed. */
export function schemaOf(shape: Shape): JsonSchema {
  return objectSchema([...fieldsOf(shape)], descriptions.get(shape));
}

/** The schemas of all classes and of all other types with a name, by name. */
export function schemas(): Record<string, JsonSchema> {
  return Object.fromEntries([...namedSchemas].map(([name, schema]) => [name, schema()]));
}

/** The fields of a class as zod has them. */
export type ZodFields<T> = {
  [K in keyof T]-?: undefined extends T[K]
    ? z.ZodOptional<z.ZodType<Exclude<T[K], undefined>>>
    : z.ZodType<T[K]>;
};

/** The check of a message that carries an instance of the class. Fields that the class does not have are left out. */
export function zodOf<T extends object>(shape: Shape<T>): z.ZodObject<ZodFields<T>> {
  const check = checks.get(shape) ?? objectCheck([...fieldsOf(shape)]);
  checks.set(shape, check);
  return check as z.ZodObject<ZodFields<T>>;
}

function objectSchema(fields: [string, Declared][], description?: string): JsonSchema {
  const required = fields.filter(([, { optional }]) => !optional).map(([name]) => name);
  return {
    type: 'object',
    ...said(description),
    properties: Object.fromEntries(fields.map(([name, { type }]) => [name, type.schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function objectCheck(fields: [string, Declared][]): z.ZodObject {
  return z.object(
    Object.fromEntries(
      fields.map(([name, { type, optional }]) => [name, optional ? type.zod().optional() : type.zod()]),
    ),
  );
}

function typeOf<T>(type: TypeOrShape<T>): FieldType<T> {
  if (typeof type !== 'function') return type;
  const shape = type as unknown as Shape;
  return make({ $ref: `#/components/schemas/${shape.name}` }, () => zodOf(shape) as unknown as z.ZodType<T>);
}

/** A class as a type of fields, for the fields of an {@link object}. */
export const of = <T extends object>(shape: Shape<T>): FieldType<T> => typeOf(shape as TypeOrShape<T>);

/** The keys of a schema that describe its values. */
export function said(description?: string, example?: unknown): JsonSchema {
  return {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
}

/** A type of fields by its schema and its check. */
export function make<T>(schema: JsonSchema, zod: () => z.ZodType<T>): FieldType<T> {
  return { schema, zod };
}

export const text = (description?: string, example?: string): FieldType<string> =>
  make({ type: 'string', ...said(description, example) }, () => z.string());

/** A moment: ISO 8601 in UTC. */
export const time = (description: string): FieldType<string> =>
  make({ type: 'string', format: 'date-time', ...said(description, '2026-11-20T09:30:00.000Z') }, () =>
    z.string(),
  );

export const number = (description: string, example?: number): FieldType<number> =>
  make({ type: 'number', ...said(description, example) }, () => z.number());

/** @param least what a message may carry at least; the OpenAPI document does not name it */
export const integer = (description: string, example?: number, least?: number): FieldType<number> =>
  make({ type: 'integer', ...said(description, example) }, () =>
    least === undefined ? z.int() : z.int().min(least),
  );

export const flag = (description: string): FieldType<boolean> =>
  make({ type: 'boolean', ...said(description) }, () => z.boolean());

export const choice = <const T extends string>(values: readonly T[], description?: string): FieldType<T> =>
  make({ type: 'string', enum: [...values], ...said(description) }, () => z.enum(values) as z.ZodType<T>);

export const list = <T>(items: TypeOrShape<T>, description?: string): FieldType<T[]> => {
  const type = typeOf(items);
  return make({ type: 'array', items: type.schema, ...said(description) }, () => z.array(type.zod()));
};

type MapOf<T, Name extends string> = string extends Name ? Record<string, T> : Partial<Record<Name, T>>;

/** Values by names, which are not known beforehand or are of the type Name. */
export const map = <T, Name extends string = string>(
  values: TypeOrShape<T>,
  description?: string,
): FieldType<MapOf<T, Name>> => {
  const type = typeOf(values);
  return make(
    { type: 'object', additionalProperties: type.schema, ...said(description) },
    () => z.record(z.string(), type.zod()) as unknown as z.ZodType<MapOf<T, Name>>,
  );
};

/** An object of any JSON values, or of those that the check allows. */
export const free = <T extends object>(description?: string, zod?: () => z.ZodType<T>): FieldType<T> =>
  make(
    { type: 'object', additionalProperties: true, ...said(description) },
    zod ?? ((): z.ZodType<T> => z.custom<T>(isObject, 'must be an object')),
  );

/** True for an object of JSON. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON values that the check allows, which only the description names in the OpenAPI document. */
export const described = <T>(description: string, zod: () => z.ZodType<T>): FieldType<T> =>
  make(said(description), zod);

/** The same or null. */
export const orNull = <T>(inner: TypeOrShape<T>): FieldType<T | null> => {
  const { schema, zod } = typeOf(inner);
  const check = (): z.ZodType<T | null> => zod().nullable();
  if ('$ref' in schema) return make({ oneOf: [schema, { type: 'null' }] }, check);
  const values = Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return make({ ...schema, type: [schema['type'], 'null'], ...values }, check);
};

export const optional = <T>(inner: TypeOrShape<T>): OptionalType<T> => ({ ...typeOf(inner), optional: true });

type Fields = Record<string, FieldType<unknown>>;
type OptionalKeys<F> = { [K in keyof F]: F[K] extends OptionalType<unknown> ? K : never }[keyof F];

/** The values of a type of fields. */
export type TypeOf<F> = F extends FieldType<infer T> ? T : never;

type ObjectOf<F extends Fields> = { [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  [K in OptionalKeys<F>]?: TypeOf<F[K]>;
};

/**
 * An object without a name of its own in the OpenAPI document. {@link optional} marks the fields that may be absent.
 */
export function object<F extends Fields>(fields: F, description?: string): FieldType<ObjectOf<F>> {
  const declared = Object.entries(fields).map(([name, type]): [string, Declared] => [
    name,
    { type, optional: 'optional' in type },
  ]);
  return make(
    objectSchema(declared, description),
    () => objectCheck(declared) as unknown as z.ZodType<ObjectOf<F>>,
  );
}

/**
 * The class as an {@link object}: its schema stands where it is used.
 * @param over other texts and examples of its fields
 */
export function inline<T extends object>(shape: Shape<T>, over: Partial<Fields> = {}): FieldType<T> {
  const declared = [...fieldsOf(shape)].map(([name, field]): [string, Declared] => [
    name,
    { ...field, type: over[name] ?? field.type },
  ]);
  return make(objectSchema(declared), () => zodOf(shape) as unknown as z.ZodType<T>);
}
