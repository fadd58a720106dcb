import {
  lists,
  storedLists,
  usualPage,
  type ErrorCode,
  type ListFilter,
  type ListName,
} from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { FromQuery, limitParameter, queryParameter, type QueryValues } from '../routes/index.js';
import { readListQuery, type PageRequest } from './list-request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The labs that the caller may see, when the caller has a role for some labs only. The access guard sets it. */
    within?: readonly string[];
  }
}

/**
 * A parameter of a handler: the {@link PageRequest} of a list, restricted to the labs that the caller may see.
 *
 * @param place.owner parameter of the path that names the record the list belongs to
 * @param place.fixed filters that the path gives, each with the parameter of the path
 */
export function ListQuery(
  name: ListName,
  place: { owner?: string; fixed?: Readonly<Record<string, string>> } = {},
): ParameterDecorator {
  const fixed = Object.entries(place.fixed ?? {});
  const names = fixed.map(([filter]) => filter);
  const read = (values: QueryValues, { params, within }: FastifyRequest): PageRequest => {
    const path = params as Record<string, string>;
    return readListQuery(
      name,
      values,
      names,
    )({
      ...(place.owner === undefined ? {} : { owner: path[place.owner] ?? '' }),
      fixed: Object.fromEntries(fixed.map(([filter, parameter]) => [filter, path[parameter] ?? ''])),
      within,
    });
  };
  return FromQuery(listParameters(name, names), read, problemsOf(name));
}

/**
 * A parameter of a handler that has to look up where the list is: a function from the {@link Place} to the
 * {@link PageRequest}. The values of the query are checked before it is called.
 *
 * @param fixed names of the filters that the place gives
 */
export const ListQueryAt = (name: ListName, fixed: readonly string[] = []): ParameterDecorator =>
  FromQuery(listParameters(name, fixed), (values) => readListQuery(name, values, fixed), problemsOf(name));

/** The database answers a request that would read too many records with an error. */
const problemsOf = (name: ListName): readonly ErrorCode[] =>
  name in storedLists ? ['deadline_exceeded'] : [];

/** The OpenAPI parameters that filter a list. @param fixed names of the filters that the address gives instead */
export function filterParameters(name: ListName, fixed: readonly string[] = []): object[] {
  return Object.entries(lists[name].filters)
    .filter(([filter]) => !fixed.includes(filter))
    .map(([filter, declared]) => queryParameter(filter, declared.description, filterSchema(declared)));
}

function listParameters(name: ListName, fixed: readonly string[]): object[] {
  const { usual, sort } = lists[name];
  const orders = Object.keys(sort).flatMap((field) => [field, `-${field}`]);
  return [
    limitParameter('Maximum number of records.', usualPage),
    queryParameter(
      'cursor',
      '`next_cursor` of the previous page, with the same sort and filters. Absent: from the beginning.',
      { type: 'string' },
    ),
    queryParameter('sort', 'Field to sort by; `-` before it for descending order.', {
      type: 'string',
      enum: orders,
      default: usual,
    }),
    ...filterParameters(name, fixed),
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
