import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Schema } from '../shared/openapi.js';
import { inTools } from '../shared/paths.js';

/** Values to send: those that a schema allows, those that it almost allows, and those that nobody expects. */

/**
 * Texts that services often handle wrongly. `names`: with a meaning in JavaScript, shells, paths or templates, or hard to
 * store; `bodies`: not JSON; `prototypes`: objects with keys that reach a prototype, which only JSON.parse makes.
 */
export const odd = JSON.parse(readFileSync(inTools('fuzz/odd.json'), 'utf8')) as Record<
  'names' | 'bodies' | 'prototypes' | 'content_types' | 'json_types' | 'headers' | 'paths',
  string[]
>;
const longNames = ['x'.repeat(200), 'x'.repeat(201), '配'.repeat(200)];

/** One of several kinds of values, each as likely as its weight. */
export const mixed = <T>(...kinds: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export const oddText = mixed(
  [4, fc.constantFrom(...odd.names, ...longNames)],
  [2, fc.string({ unit: 'binary', maxLength: 40 })],
  [2, fc.string({ unit: 'grapheme', maxLength: 20 })],
  [1, fc.string({ maxLength: 300 })],
);

const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e21),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const nested = fc.integer({ min: 2, max: 200 }).map((depth) => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
});

const numbersTo = (length: number): number[] => Array.from({ length }, (_, i) => i);

export const oddValue = mixed<unknown>(
  [3, fc.constantFrom(null, true, false, [], {}, [[]], [null], { '': '' })],
  [3, oddNumber],
  [3, oddText],
  [2, fc.constantFrom(...odd.prototypes).map((text) => JSON.parse(text) as unknown)],
  [2, fc.jsonValue({ maxDepth: 3 })],
  [1, nested],
  [1, fc.integer({ min: 10, max: 3_000 }).map(numbersTo)],
  [
    1,
    fc
      .integer({ min: 10, max: 1_000 })
      .map((length) => Object.fromEntries(numbersTo(length).map((i) => [`key_${i}`, i]))),
  ],
);

/** Bodies that are not JSON. */
export const brokenBody = fc.oneof(
  fc.constantFrom(...odd.bodies, '['.repeat(50_000), '{"a":'.repeat(20_000)).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
);

/** Bodies of about the largest allowed size, and larger ones. */
export const hugeBody = fc
  .record({
    bytes: fc.constantFrom(200_000, 1_000_000, 1_048_570, 1_048_577, 1_500_000),
    list: fc.boolean(),
  })
  .map(({ bytes, list }) =>
    Buffer.from(
      list
        ? `{"name":"huge","parameters":[${'1,'.repeat(bytes / 2)}1]}`
        : `{"name":"huge","description":"${'x'.repeat(bytes)}"}`,
    ),
  );

const maxDepth = 5;

type Schemas = Record<string, Schema>;

/**
 * Values that a schema of the document allows.
 *
 * @param schemas schemas by name, to which references point
 */
export function valueOf(schema: Schema, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return valueOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, depth);
  const examples = [schema.example, schema.default, ...(schema.examples ?? [])].filter(
    (v) => v !== undefined,
  );
  const made = fromSchema(schema, schemas, depth);
  return examples.length === 0 ? made : fc.oneof(fc.constantFrom(...examples), made);
}

function fromSchema(schema: Schema, schemas: Schemas, depth: number): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) return fc.oneof(...options.map((option) => valueOf(option, schemas, depth)));
  const [only, ...more] = schema.allOf ?? [];
  if (only !== undefined && more.length === 0) return valueOf(only, schemas, depth);
  const types = [schema.type ?? []].flat();
  if (types.length > 1)
    return fc.oneof(...types.map((type) => fromSchema({ ...schema, type }, schemas, depth)));
  switch (types[0]) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer(wholeBounds(schema));
    case 'number':
      return fc.oneof(
        fc.integer(wholeBounds(schema)),
        fc.double({ ...bounds(schema, -1e6, 1e6), noNaN: true }),
      );
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const maxLength = Math.min(schema.maxItems ?? 3, 4);
      if (depth > maxDepth) return fc.constant([]);
      return fc.array(valueOf(schema.items ?? {}, schemas, depth + 1), {
        minLength: Math.min(schema.minItems ?? 0, 4),
        maxLength,
      });
    }
    case 'object':
      return objectOf(schema, schemas, depth);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** By their lengths. All fields of the same length share one, because making one takes long. */
const texts = new Map<string, fc.Arbitrary<string>>();

function textOf({ format, minLength = 0, maxLength = 30 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const most = Math.max(minLength, Math.min(maxLength, 30));
  const key = `${minLength} ${most}`;
  const text = texts.get(key) ?? fc.string({ minLength, maxLength: most });
  texts.set(key, text);
  return text;
}

const bounds = ({ minimum, maximum }: Schema, min: number, max: number) => ({
  min: minimum ?? Math.min(min, maximum ?? min),
  max: maximum ?? Math.max(max, minimum ?? max),
});

function wholeBounds(schema: Schema): { min: number; max: number } {
  const { min, max } = bounds(schema, -1_000, 1_000);
  return { min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) };
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  schemas: Schemas,
  depth: number,
): fc.Arbitrary<unknown> {
  const entries = Object.entries(properties);
  if (depth > maxDepth) return fc.constant({});
  if (entries.length === 0) {
    const values =
      typeof additionalProperties === 'object'
        ? valueOf(additionalProperties, schemas, depth + 1)
        : fc.jsonValue({ maxDepth: 1 });
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), values, { maxKeys: 3 });
  }
  return fc.record(
    Object.fromEntries(entries.map(([name, value]) => [name, valueOf(value, schemas, depth + 1)])),
    { requiredKeys: required.filter((name) => name in properties) },
  );
}

type Change = 'drop' | 'replace' | 'add' | 'wrap';

/** The value with one part removed, replaced or added. */
export function nearly(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const how = fc.constantFrom<Change[]>('drop', 'replace', 'add', 'wrap');
  return fc
    .tuple(arbitrary, fc.nat(), how, oddValue, oddText)
    .map(([value, ...change]) => changed(copied(value), ...change));
}

/** A copy of JSON. Unlike structuredClone it keeps a field named `__proto__`. */
const copied = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

function changed(value: unknown, where: number, how: Change, part: unknown, name: string): unknown {
  const places: [node: object, key: string][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, each] of Object.entries(node)) {
      places.push([node, key]);
      visit(each);
    }
  };
  visit(value);
  const place = places[where % places.length];
  if (how === 'wrap' || place === undefined) return where % 2 === 0 ? [value] : part;
  const [node, key] = place;
  if (how === 'replace') put(node, key, part);
  else if (how === 'add') put(node, Array.isArray(node) ? String(node.length) : name, part);
  else if (Array.isArray(node)) node.splice(Number(key), 1);
  else Reflect.deleteProperty(node, key);
  return value;
}

/** Sets an own field, even one named `__proto__`. */
function put(node: object, key: string, value: unknown): void {
  Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
}
