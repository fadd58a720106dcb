import { z } from 'zod';
import type { JsonValue } from '../json.js';

const jsonValue: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;

const common = {
  desc: z.string().optional(),
  /** Default value when the caller omits the parameter. */
  value: jsonValue.optional(),
  /** True: the caller may omit the parameter, and the function then does not get it. */
  optional: z.boolean().optional(),
  /** True: the value is masked wherever the service shows or stores the arguments of a call. */
  secret: z.boolean().optional(),
};
const numeric = { ...common, unit: z.string(), min: z.number().optional(), max: z.number().optional() };

/** A parameter of a device function, with the terms of `task.yml`. */
export const functionParameter = z.discriminatedUnion('type', [
  z.object({ type: z.literal('int'), ...numeric }),
  z.object({ type: z.literal('float'), ...numeric }),
  z.object({ type: z.literal('str'), ...common }),
  z.object({ type: z.literal('bool'), ...common }),
  z.object({ type: z.literal('dict'), ...common }),
  z.object({ type: z.literal('choice'), ...common, choices: z.array(jsonValue) }),
  z.object({
    type: z.literal('list'),
    ...common,
    element_type: z.enum(['int', 'float', 'str', 'bool', 'dict', 'choice']),
    length: z.number().int().nonnegative().optional(),
    /** Bound of each element, by position. */
    min: z.array(z.number()).optional(),
    max: z.array(z.number()).optional(),
  }),
]);
export type FunctionParameter = z.infer<typeof functionParameter>;
