import type { OpenAPIObject } from '@nestjs/swagger';

export type SchemaObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** A schema of values of type T: a record's schema that disagrees with the record's interface does not compile. */
export interface SchemaOf<T> {
  readonly schema: SchemaObject;
  readonly of?: T;
}

type Optional<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

const make = <T>(schema: object): SchemaOf<T> => ({ schema: schema as SchemaObject });

export const text = (description?: string, example?: string): SchemaOf<string> =>
  make({ type: 'string', ...described(description, example) });

export const time = (description: string): SchemaOf<string> =>
  make({ type: 'string', format: 'date-time', ...described(description, '2026-11-20T09:30:00.000Z') });

export const number = (description: string, example?: number): SchemaOf<number> =>
  make({ type: 'number', ...described(description, example) });

export const integer = (description: string, example?: number): SchemaOf<number> =>
  make({ type: 'integer', ...described(description, example) });

export const flag = (description: string): SchemaOf<boolean> =>
  make({ type: 'boolean', ...described(description) });

export const choice = <T extends string>(values: readonly T[], description?: string): SchemaOf<T> =>
  make({ type: 'string', enum: [...values], ...described(description) });

export const list = <T>(items: SchemaOf<T>, description?: string): SchemaOf<T[]> =>
  make({ type: 'array', items: items.schema, ...described(description) });

export const map = <T>(values: SchemaOf<T>, description?: string): SchemaOf<Record<string, T>> =>
  make({ type: 'object', additionalProperties: values.schema, ...described(description) });

/** An object of any JSON values. */
export const free = <T extends object>(description?: string): SchemaOf<T> =>
  make({ type: 'object', additionalProperties: true, ...described(description) });

/** Any JSON value that the description names. */
export const anything = <T>(description: string): SchemaOf<T> => make(described(description));

/** The same or null. */
export const orNull = <T>(inner: SchemaOf<T>): SchemaOf<T | null> => {
  if ('$ref' in inner.schema) return make({ oneOf: [inner.schema, { type: 'null' }] });
  const values = inner.schema.enum as unknown[] | undefined;
  return make({
    ...inner.schema,
    type: [inner.schema.type, 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
};

export const named = <T>(name: string): SchemaOf<T> => make({ $ref: `#/components/schemas/${name}` });

/** An object with exactly the fields of T; `optional` names those that may be missing. */
export function object<T>(
  properties: { [K in keyof T]-?: SchemaOf<Exclude<T[K], undefined>> },
  options: { optional?: Optional<T>[]; description?: string } = {},
): SchemaOf<T> {
  const entries = Object.entries(properties) as [string, SchemaOf<unknown>][];
  const missing = new Set<string>((options.optional ?? []).map(String));
  return make({
    type: 'object',
    ...described(options.description),
    properties: Object.fromEntries(entries.map(([name, value]) => [name, value.schema])),
    required: entries.map(([name]) => name).filter((name) => !missing.has(name)),
    additionalProperties: false,
  });
}

function described(description?: string, example?: unknown): object {
  return {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
}
