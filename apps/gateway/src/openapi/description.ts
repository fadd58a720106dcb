import type { ErrorCode } from '@lab/contracts';

/** What is said of one operation; the rest follows from the error catalogue. */
export interface Description {
  tag: string;
  summary: string;
  description?: string;
  parameters?: object[];
  body?: {
    schema: object;
    required: boolean;
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
