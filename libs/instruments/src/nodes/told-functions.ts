import type {
  AddedFunction,
  DeviceFunctionKind,
  JsonObject,
  JsonValue,
  ParameterDeclarations,
} from '@lab/sdk';
import { z } from 'zod';

/** What a lab says of a function that the other system tells of, and what its twin does. */
export const functionChange = z.strictObject({
  kind: z.enum(['effect', 'idempotent', 'query']).optional(),
  desc: z.string().max(500).optional(),
  /** In the terms of `task.yml`. The SDK checks the declarations. */
  parameters: z.record(z.string(), z.looseObject({})).optional(),
  /** Seconds that a call may take. */
  timeout: z.number().positive().max(604_800).optional(),
  /** What a twin returns, after how many seconds, or the message with which it fails. */
  twin: z
    .strictObject({
      result: z.json().default(null),
      takes: z.number().min(0).max(604_800).default(0),
      fails: z.string().optional(),
    })
    .optional(),
});
export type FunctionChange = z.output<typeof functionChange>;

/** The entries of the init parameter `functions`, by the name of the function. */
export const functionChanges = z.record(z.string(), functionChange).default({});
export type FunctionChanges = z.output<typeof functionChanges>;

/** A function as the other system tells of it. */
export interface ToldFunction {
  description?: string;
  /** Undefined: they cannot be declared. */
  parameters?: ParameterDeclarations | undefined;
}

/** Largest declaration of all functions together in bytes, a little below the limit of the SDK. */
const largest = 30_000;

/**
 * The functions of a device: those that the other system tells of, with what the lab says of them. A function is an effect
 * unless the lab says otherwise. Long descriptions are left out when all together would be too large.
 *
 * @param carryOut makes a call
 * @throws TypeError when the lab names a function that the system does not have
 */
export function changedFunctions(
  told: Readonly<Record<string, ToldFunction>>,
  changes: FunctionChanges,
  carryOut: (name: string, kind: DeviceFunctionKind, given: JsonObject) => Promise<JsonValue | undefined>,
): Record<string, AddedFunction> {
  const names = Object.keys(told);
  const missing = Object.keys(changes).filter((name) => !Object.hasOwn(told, name));
  if (missing.length > 0) {
    throw new TypeError(
      `init_parameters.functions names ${missing.join(', ')}, which the system does not have: it has ${names.sort().join(', ') || 'none'}`,
    );
  }
  const functions = Object.fromEntries(
    Object.entries(told).map(([name, { description = '', parameters: own }]): [string, AddedFunction] => {
      const change = changes[name] ?? {};
      const kind = change.kind ?? 'effect';
      const text = (change.desc ?? description).slice(0, 300);
      const parameters = (change.parameters as ParameterDeclarations | undefined) ?? own;
      return [
        name,
        {
          kind,
          ...(text === '' ? {} : { description: text }),
          ...(parameters === undefined ? {} : { parameters }),
          ...(change.timeout === undefined ? {} : { timeout: change.timeout }),
          call: (given) => carryOut(name, kind, given),
        },
      ];
    }),
  );
  return shortened(functions);
}

function shortened(functions: Record<string, AddedFunction>): Record<string, AddedFunction> {
  if (Buffer.byteLength(JSON.stringify(functions)) <= largest) return functions;
  return Object.fromEntries(
    Object.entries(functions).map(([name, { description, parameters, ...rest }]) => [
      name,
      {
        ...rest,
        ...(description === undefined ? {} : { description: description.slice(0, 80) }),
        ...(parameters === undefined ? {} : { parameters: withoutTexts(parameters) }),
      },
    ]),
  );
}

function withoutTexts(parameters: ParameterDeclarations): ParameterDeclarations {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { desc: _, ...rest }]) => [name, rest]),
  ) as ParameterDeclarations;
}
