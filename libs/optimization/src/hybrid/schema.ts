import type { JsonObject } from '@lab/sdk';
import type { Input, Space } from '../domain/space.js';

/** Longest journal entry, in characters. */
export const LONGEST_JOURNAL = 2000;

/** JSON schema of a suggestion of `count` rows. The domain checks constraints, steps and repetitions. */
export function suggestionSchema({ inputs }: Space, count: number): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['journal', 'suggestions'],
    properties: {
      journal: {
        type: 'string',
        maxLength: LONGEST_JOURNAL,
        description: 'What you conclude from the results, what you try now, and why: some sentences',
      },
      suggestions: {
        type: 'array',
        minItems: count,
        maxItems: count,
        items: {
          type: 'object',
          additionalProperties: false,
          required: inputs.map(({ key }) => key),
          properties: Object.fromEntries(inputs.map((input) => [input.key, valueSchema(input)])),
        },
      },
    },
  };
}

function valueSchema(input: Input): JsonObject {
  switch (input.kind) {
    case 'continuous':
      return { type: 'number', minimum: input.bounds[0], maximum: input.bounds[1] };
    case 'discrete':
      return { type: 'number', enum: [...input.values] };
    case 'categorical':
      return { type: 'string', enum: [...input.categories] };
  }
}
