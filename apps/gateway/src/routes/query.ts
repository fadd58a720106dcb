import { longestPage, ServiceError, type ErrorCode, type Fault } from '@lab/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { takes } from './inputs.js';

/** Values of query parameters by name. */
export type QueryValues<Name extends string = string> = Partial<Record<Name, string>>;

/** A parameter of a handler: the text of a query parameter, undefined when it is absent. */
export const QueryText = (
  name: string,
  description: string,
  schema: object = { type: 'string' },
): ParameterDecorator => FromQuery([queryParameter(name, description, schema)], (values) => values[name]);

/** A parameter of a handler: a query parameter that is `true` or `false`. When it is absent, it is false. */
export const QueryFlag = (name: string, description: string): ParameterDecorator =>
  FromQuery([queryParameter(name, description, { type: 'boolean', default: false })], (values) =>
    readFlag(name, values[name]),
  );

/**
 * A parameter of a handler that is read from several query parameters.
 *
 * @param parameters their OpenAPI descriptions; the query parameters among them are the ones that the route has
 * @param read gets the values, each given once, and throws ServiceError `invalid` for one that it cannot read
 * @param problems errors that what is read may lead to
 */
export function FromQuery(
  parameters: readonly object[],
  read: (values: QueryValues, request: FastifyRequest) => unknown,
  problems: readonly ErrorCode[] = [],
): ParameterDecorator {
  const query = (parameters as { in: string; name: string }[]).filter((each) => each.in === 'query');
  return createParamDecorator(
    (_: unknown, context: ExecutionContext) => {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      return read(request.query as QueryValues, request);
    },
    [takes({ query: query.map(({ name }) => name), parameters, problems })],
  )();
}

export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: 'query', required: false, description, schema };
}

/** The text of a cursor. Its values are what {@link cursorValues} gives again. */
export function cursorOf(values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The values in a cursor; none in a text that is no cursor. */
export function cursorValues(cursor: string): unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) ? (values as unknown[]) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

export const limitParameter = (what: string, usual: number, most = longestPage): object =>
  queryParameter('limit', what, { type: 'integer', minimum: 1, maximum: most, default: usual });

/**
 * Refuses query parameters that a route does not have or that are given twice: a mistyped `protocol_run_name` must never
 * address the on-demand task of the same name.
 *
 * @throws ServiceError `invalid`
 */
export function requireKnownQuery(query: unknown, names: readonly string[]): void {
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(query ?? {})) {
    if (!names.includes(name)) {
      faults.push({
        path: `?${name}`,
        code: 'unknown_field',
        message: 'is not a query parameter here',
        hint: names.length === 0 ? 'there are none here' : `possible here: ${names.join(', ')}`,
      });
    } else if (typeof value !== 'string') {
      faults.push({ path: `?${name}`, code: 'repeated', message: 'must be given once' });
    }
  }
  if (faults.length > 0) throw invalidQuery(faults);
}

/**
 * The value of `limit`.
 *
 * @throws ServiceError `invalid`
 */
export function requireLimit(text: string | undefined, usual: number, most: number): number {
  const limit = readLimit(text, usual, most);
  if (limit === undefined) throw invalidQuery([limitFault(most)]);
  return limit;
}

/** Undefined when the text is no whole number from 1 to `most`. */
export function readLimit(text: string | undefined, usual: number, most: number): number | undefined {
  if (text === undefined) return usual;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= most ? limit : undefined;
}

export function limitFault(most: number): Fault {
  return { path: '?limit', code: 'range', message: `must be a whole number from 1 to ${most}` };
}

export function invalidQuery(faults: Fault[]): ServiceError {
  return new ServiceError('invalid', 'The query of the address is not valid.', { faults });
}

/** @throws ServiceError `invalid` */
export function readFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw invalidQuery([{ path: `?${name}`, code: 'not_a_choice', message: 'must be true or false' }]);
}
