import type { z } from 'zod';

/**
 * Checks the init parameters of a device against a schema.
 *
 * @param schema its objects should be strict, so that a misspelt name is a fault
 * @param parameters what `_initialize` got
 * @param where how the messages name the parameters
 * @returns the parameters with the defaults of the schema
 * @throws TypeError that names every fault with its path, as in `init_parameters.functions.heat.kind: ...`
 */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  parameters: unknown,
  where = 'init_parameters',
): z.output<Schema> {
  const read = schema.safeParse(parameters);
  if (read.success) return read.data;
  const faults = read.error.issues.map(
    ({ path, message }) => `${pathOf(where, path)}: ${lowerFirst(message)}`,
  );
  throw new TypeError(faults.join('; '));
}

function pathOf(where: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    where,
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
