import type { AddedFunction, JsonObject, ParameterDeclarations } from '@lab/sdk';
import { z } from 'zod';

/** What the entries of the init parameter `functions` have in common, whatever the protocol. */
export const functionEntry = z.strictObject({
  kind: z.enum(['effect', 'idempotent', 'query']),
  desc: z.string().max(500).optional(),
  /** In the terms of `task.yml`. The SDK checks the declarations. */
  parameters: z.record(z.string(), z.looseObject({})).default({}),
  /** Seconds that a call may take. */
  timeout: z.number().positive().max(604_800).optional(),
});

export type FunctionEntry = z.output<typeof functionEntry>;

/**
 * The functions of a device that its init parameters declare.
 *
 * @param table entries by the name of the function
 * @param carryOut makes a call
 */
export function addedFunctions<Entry extends FunctionEntry>(
  table: Readonly<Record<string, Entry>>,
  carryOut: (entry: Entry, given: JsonObject, name: string) => unknown,
): Record<string, AddedFunction> {
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      {
        kind: entry.kind,
        ...(entry.desc === undefined ? {} : { description: entry.desc }),
        ...(entry.timeout === undefined ? {} : { timeout: entry.timeout }),
        parameters: entry.parameters as unknown as ParameterDeclarations,
        call: (given) => carryOut(entry, given, name),
      },
    ]),
  );
}
