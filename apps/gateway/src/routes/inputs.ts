import type { ErrorCode } from '@lab/contracts';

/** What the OpenAPI document says about a body. */
export interface BodyDescription {
  schema: object;
  required: boolean;
  /** Default: JSON. */
  mediaType?: string;
  examples?: Record<string, { summary: string; value: unknown }>;
}

/** What a handler takes from the request. Its parameter decorators declare it. */
export interface Inputs {
  /** Names of the query parameters. A request with any other query parameter is refused. */
  query: readonly string[];
  /** OpenAPI parameters, in the order of the handler's parameters. */
  parameters: readonly object[];
  /** Absent: a request with a body is refused. */
  body?: BodyDescription;
  /** Errors that the decorators themselves throw, or that what they read may lead to. */
  problems: readonly ErrorCode[];
  /** True: with `dry_run=true` the handler checks the body and changes nothing. */
  dryRun?: boolean;
}

const inputsKey = 'svc:inputs';
const nothing: Inputs = { query: [], parameters: [], problems: [] };

export function inputsOf(handler: object): Inputs {
  return (Reflect.getMetadata(inputsKey, handler) as Inputs | undefined) ?? nothing;
}

/** Declares a part of the request that a parameter of a handler takes. */
export function takes(part: Partial<Inputs>): ParameterDecorator {
  return (target, key) => {
    if (key === undefined) throw new Error('only parameters of handlers take parts of a request');
    const handler = (target as Record<string | symbol, object>)[key] ?? {};
    const { query, parameters, problems, ...rest } = inputsOf(handler);
    // Decorators of parameters run from the last parameter to the first.
    const inputs: Inputs = {
      ...rest,
      ...part,
      query: [...(part.query ?? []), ...query],
      parameters: [...(part.parameters ?? []), ...parameters],
      problems: [...(part.problems ?? []), ...problems],
    };
    Reflect.defineMetadata(inputsKey, inputs, handler);
  };
}
