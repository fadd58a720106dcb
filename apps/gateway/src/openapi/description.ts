import {
  lists,
  longestPage,
  usualPage,
  type ErrorCode,
  type ListFilter,
  type ListName,
} from '@lab/contracts';

/** What is said of one operation; the rest follows from the error catalogue. */
export interface Description {
  tag: string;
  summary: string;
  description?: string;
  parameters?: object[];
  body?: {
    schema: object;
    required: boolean;
    /** Absent: JSON. */
    mediaType?: string;
    examples?: Record<string, { summary: string; value: unknown }>;
  };
  success: {
    status: number;
    description: string;
    content?: Record<string, object>;
    location?: boolean;
    headers?: Record<string, object>;
  };
  /** Other answers that are no errors, by status. */
  further?: Record<string, object>;
  problems: ErrorCode[];
}

export const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });
export const json = (schema: object, example?: unknown): Record<string, object> => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});
export const inPath = (name: string, description: string, example: string): object => ({
  name,
  in: 'path',
  required: true,
  description: `${description} Characters other than letters, digits, \`-\`, \`_\`, \`.\` and \`~\` are percent-encoded.`,
  schema: { type: 'string' },
  example,
});
export const inQuery = (name: string, description: string, schema: object): object => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

export function listOf(name: string): object {
  return { type: 'array', items: ref(name) };
}

/** One page of records of that schema. */
export function pageOf(name: string): Record<string, object> {
  return json({
    type: 'object',
    properties: {
      items: { type: 'array', items: ref(name) },
      next_cursor: {
        type: ['string', 'null'],
        description: 'Leads to the page behind this one; null: this is the last one.',
      },
    },
    required: ['items', 'next_cursor'],
    additionalProperties: false,
  });
}

/** The query parameters by which a list is narrowed down. @param fixed those that the address gives instead */
export function filterParameters(name: ListName, fixed: readonly string[] = []): object[] {
  return Object.entries(lists[name].filters)
    .filter(([filter]) => !fixed.includes(filter))
    .map(([filter, declared]) => inQuery(filter, declared.description, filterSchema(declared)));
}

/** The query parameters of a list. @param fixed filters that the address gives instead */
export function listParameters(name: ListName, fixed: readonly string[] = []): object[] {
  const { usual, sort } = lists[name];
  const orders = Object.keys(sort).flatMap((field) => [field, `-${field}`]);
  return [
    ...filterParameters(name, fixed),
    inQuery('sort', 'Field that the list is sorted by; `-` before it for descending.', {
      type: 'string',
      enum: orders,
      default: usual,
    }),
    inQuery('limit', 'Records at most.', {
      type: 'integer',
      minimum: 1,
      maximum: longestPage,
      default: usualPage,
    }),
    inQuery(
      'cursor',
      '`next_cursor` of the page before, with the same sort and filters. Absent: from the beginning.',
      { type: 'string' },
    ),
  ];
}

function filterSchema(filter: ListFilter): object {
  switch (filter.kind) {
    case 'choice':
      return { type: 'string', pattern: `^(${filter.values.join('|')})(,(${filter.values.join('|')}))*$` };
    case 'at_least':
      return { type: 'string', enum: [...filter.values] };
    case 'one_of':
      return { type: 'string', enum: [...filter.values], default: filter.usual };
    case 'above':
      return { type: 'integer', minimum: 0, maximum: 999_999_999 };
    case 'flag':
      return { type: 'boolean', default: false };
    case 'since':
    case 'until':
      return { type: 'string', format: 'date-time' };
    default:
      return { type: 'string', minLength: 1, maxLength: 200 };
  }
}
