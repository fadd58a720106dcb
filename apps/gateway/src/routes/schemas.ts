/** A schema of the OpenAPI document by its name. */
export const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (name: string): object => ({ type: 'array', items: ref(name) });

/** One page of records of that schema. */
export const pageOf = (name: string): object => ({
  type: 'object',
  properties: {
    items: listOf(name),
    next_cursor: {
      type: ['string', 'null'],
      description: 'Cursor of the next page; null: this is the last one.',
    },
  },
  required: ['items', 'next_cursor'],
  additionalProperties: false,
});

export const json = (schema: object, example?: unknown): Record<string, object> => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});
