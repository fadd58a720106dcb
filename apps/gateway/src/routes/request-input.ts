import {
  isInline,
  isWellFormedName,
  longestPage,
  longestSchedule,
  maxInlineBytes,
  ServiceError,
  usualPage,
  type Fault,
  type JsonObject,
  type ScheduleQuery,
} from '@lab/contracts';

/** Tasks of the schedule that one answer lists when nothing is said. */
export const usualSchedule = 500;

type Query = Record<string, unknown>;

/**
 * The query parameters of a request, each a single string. A name that is not known is a fault: a mistyped
 * `protocol_run_name` must never address the on-demand task of the same name.
 *
 * @throws ServiceError `invalid`
 */
export function readQuery<Name extends string>(
  query: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const faults: Fault[] = [];
  const values: Partial<Record<Name, string>> = {};
  for (const [name, value] of Object.entries((query ?? {}) as Query)) {
    const known = names.find((candidate) => candidate === name);
    if (known === undefined) {
      const possible = names.length === 0 ? 'there are none here' : `possible here: ${names.join(', ')}`;
      faults.push({
        path: `?${name}`,
        code: 'unknown_field',
        message: 'is not a query parameter here',
        hint: possible,
      });
    } else if (typeof value !== 'string') {
      faults.push({ path: `?${name}`, code: 'repeated', message: 'must be given once' });
    } else {
      values[known] = value;
    }
  }
  if (faults.length > 0) throw invalidQuery(faults);
  return values;
}

/**
 * Reads which part of the schedule is asked for: `run`, `device`, `lab`, and `limit` (1 to 1000, default 500).
 *
 * @throws ServiceError `invalid`
 */
export function readScheduleQuery(query: unknown): ScheduleQuery {
  const { limit: text, ...part } = readQuery(query, ['run', 'device', 'lab', 'limit'] as const);
  const limit = readLimit(text, usualSchedule, longestSchedule);
  if (limit === undefined) throw invalidQuery([limitFault(longestSchedule)]);
  return { ...part, limit };
}

/**
 * Reads `limit` (1 to 500, default 100) of a list that has rules of its own.
 *
 * @param beside parameters that the caller reads itself
 * @throws ServiceError `invalid`
 */
export function readListQuery(query: unknown, beside: readonly string[]): { limit: number } {
  const limit = readLimit(readQuery(query, ['limit', ...beside])['limit'], usualPage, longestPage);
  if (limit === undefined) throw invalidQuery([limitFault(longestPage)]);
  return { limit };
}

/** Undefined when it is no whole number from 1 to `most`. */
export function readLimit(text: string | undefined, fallback: number, most: number): number | undefined {
  if (text === undefined) return fallback;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= most ? limit : undefined;
}

export function limitFault(most: number): Fault {
  return { path: '?limit', code: 'range', message: `must be a whole number from 1 to ${most}` };
}

export function invalidQuery(faults: Fault[]): ServiceError {
  return new ServiceError('invalid', 'The query of the address is not valid.', { faults });
}

/**
 * A query parameter that is `true` or `false`; absent, it is false.
 *
 * @throws ServiceError `invalid`
 */
export function readFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw invalidQuery([{ path: `?${name}`, code: 'not_a_choice', message: 'must be true or false' }]);
}

/**
 * A name from a path or query, as it may be looked up. What can never be the name of a record is not there.
 *
 * @param what for the message, for example `protocol run`
 * @throws ServiceError `not_found`
 */
export function lookupName(name: string, what: string): string {
  if (isWellFormedName(name)) return name;
  throw new ServiceError(
    'not_found',
    `There is no ${what} of that name; a name has 1 to 200 visible characters.`,
  );
}

/**
 * For requests that take no body: a field in it would be an instruction that is not followed.
 *
 * @throws ServiceError `invalid`
 */
export function refuseBody(body: unknown, hint: string): void {
  if (body === undefined || body === null) return;
  if (typeof body === 'object' && !Array.isArray(body)) {
    const faults = Object.keys(body).map((field) => ({
      path: field,
      code: 'unknown_field',
      message: `${field} is not a field here`,
      hint,
    }));
    if (faults.length === 0) return;
    throw new ServiceError('invalid', 'This request takes no body.', { faults });
  }
  throw new ServiceError('invalid', 'This request takes no body.', {
    faults: [{ path: '', code: 'type', message: 'must be empty', hint }],
  });
}

/**
 * A body that is an object of named values; an empty body is an empty object.
 *
 * @throws ServiceError `invalid`
 */
export function readArguments(body: unknown): JsonObject {
  if (body === undefined) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    if (isInline(body)) return body as JsonObject;
    const most = `${maxInlineBytes / 1024} KiB`;
    throw new ServiceError('invalid', `The parameters are larger than the ${most} that a call may have.`, {
      faults: [{ path: '', code: 'isInline', message: `must be at most ${most} as JSON` }],
    });
  }
  throw new ServiceError('invalid', 'The body must be a JSON object of parameter name to value.', {
    faults: [
      { path: '', code: 'type', message: 'must be a JSON object', hint: 'For example {"volume": 2.5}.' },
    ],
  });
}
