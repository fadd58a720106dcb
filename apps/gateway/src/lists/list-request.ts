import { createHash } from 'node:crypto';
import {
  lists,
  longestPage,
  ServiceError,
  usualPage,
  type Fault,
  type ListFilter,
  type ListName,
  type ListPosition,
  type ListRequest,
  type Page,
  type Portion,
  type SortKind,
} from '@lab/contracts';
import {
  cursorOf,
  cursorValues,
  invalidQuery,
  limitFault,
  readLimit,
  type QueryValues,
} from '../routes/index.js';

/** Longest text of a filter, in characters. */
const longestFilter = 200;

/** A request for one page of a list. */
export interface PageRequest extends ListRequest {
  /** Turns the records read into a page, with the cursor of the next one. */
  pageOf<Item>(portion: Portion<Item>): Page<Item>;
}

/** Where a list is, beside its name. */
export interface Place {
  /** Name or id of the record that the list belongs to. */
  owner?: string;
  /** Filters that the address gives, so that the query may not. */
  fixed?: Readonly<Record<string, string>>;
  /** Only records that belong to no labs but these; undefined: to any lab. */
  within?: readonly string[] | undefined;
}

type FilterValues = Record<string, string | number | boolean | readonly string[]>;

/**
 * Reads the query of a list: `limit`, `sort` and the filters that the list has. A cursor continues only the list that it
 * came from, with the same order, filters and place, so it is read once the place is known.
 *
 * @param fixed names of the filters that the address gives instead of the query
 * @returns the request for a page at a place; it throws ServiceError `bad_request` for a cursor of another list
 * @throws ServiceError `invalid` with every fault
 */
export function readListQuery(
  name: ListName,
  given: QueryValues,
  fixed: readonly string[] = [],
): (place?: Place) => PageRequest {
  const shape = lists[name];
  const faults: Fault[] = [];
  const limit = readLimit(given['limit'], usualPage, longestPage);
  if (limit === undefined) faults.push(limitFault(longestPage));
  const order = given['sort'] ?? shape.usual;
  const descending = order.startsWith('-');
  const sort = descending ? order.slice(1) : order;
  const kind = Object.hasOwn(shape.sort, sort) ? shape.sort[sort] : undefined;
  if (kind === undefined)
    faults.push({
      path: '?sort',
      code: 'choice',
      message: 'is not a field that this list is sorted by',
      hint: `One of ${Object.keys(shape.sort).join(', ')}; with - before it for descending.`,
    });
  const asked = readFilters(name, given, faults, fixed);
  if (limit === undefined || kind === undefined || faults.length > 0) throw invalidQuery(faults);
  return ({ owner = '', fixed: known = {}, within } = {}) => {
    const filters = { ...asked, ...known };
    const of = fingerprint([name, owner, order, filters]);
    return {
      limit,
      sort,
      descending,
      filters,
      ...(within === undefined ? {} : { within }),
      after: given['cursor'] === undefined ? null : positionOf(given['cursor'], of, kind),
      pageOf: ({ items, end }) => ({
        items,
        next_cursor: end === null ? null : cursorOf([of, end.value, end.id]),
      }),
    };
  };
}

/**
 * The values of the filters of a list.
 *
 * @param faults gets a fault for every value that its filter cannot have
 * @param fixed names of the filters that the address gives instead of the query
 */
export function readFilters(
  name: ListName,
  given: QueryValues,
  faults: Fault[],
  fixed: readonly string[] = [],
): FilterValues {
  const filters: FilterValues = {};
  for (const [filter, declared] of Object.entries(lists[name].filters)) {
    const text = (fixed.includes(filter) ? undefined : given[filter]) ?? usualValue(declared);
    if (text === undefined) continue;
    const value = filterValue(filter, declared, text, faults);
    if (value !== undefined) filters[filter] = value;
  }
  return filters;
}

/** The value of a filter that is absent; undefined: the list is not filtered by it. */
function usualValue(filter: ListFilter): string | undefined {
  if (filter.kind === 'flag') return 'false';
  return filter.kind === 'one_of' ? filter.usual : undefined;
}

/** Undefined, with the fault noted, when the text is no value of the filter. */
function filterValue(
  name: string,
  filter: ListFilter,
  text: string,
  faults: Fault[],
): string | number | boolean | readonly string[] | undefined {
  const fault = (code: string, message: string, hint?: string): undefined => {
    faults.push({ path: `?${name}`, code, message, ...(hint === undefined ? {} : { hint }) });
  };
  switch (filter.kind) {
    case 'choice': {
      const values = [...new Set(text.split(','))];
      const unknown = values.filter((value) => !filter.values.includes(value));
      if (unknown.length === 0) return values.sort();
      return fault(
        'choice',
        `${unknown.map((value) => `"${value}"`).join(', ')} is not a value here`,
        `One of ${filter.values.join(', ')}, or several with commas between.`,
      );
    }
    case 'at_least':
    case 'one_of':
      return filter.values.includes(text)
        ? text
        : fault('choice', 'is not a value here', `One of ${filter.values.join(', ')}.`);
    case 'since':
    case 'until':
      return (
        momentOf(text) ??
        fault('moment', 'is not a moment', 'As ISO 8601 with a time zone, for example 2026-11-20T09:30:00Z.')
      );
    case 'above':
      return /^\d{1,9}$/.test(text)
        ? Number(text)
        : fault('range', 'must be a whole number from 0 to 999999999');
    case 'flag':
      return text === 'true' || text === 'false'
        ? text === 'true'
        : fault('not_a_choice', 'must be true or false');
    default:
      return text.length >= 1 && text.length <= longestFilter && isPlain(text)
        ? text
        : fault('length', `must be 1 to ${longestFilter} characters without U+0000`);
  }
}

/** As ISO 8601 in UTC; undefined when it is none, or has no time zone and so means another moment on every machine. */
export function momentOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms < earliest ? undefined : new Date(ms).toISOString();
}

/** The database reads no year 0, in milliseconds since 1970. */
const earliest = Date.parse('0001-01-02T00:00:00Z');

/** What the database can hold as text. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

function fingerprint(of: unknown): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 12);
}

/** @throws ServiceError `bad_request` */
function positionOf(cursor: string, of: string, kind: SortKind): ListPosition {
  const [from, value, id] = cursorValues(cursor);
  if (typeof from === 'string' && from !== of)
    throw foreign('comes from another list, or from this one in another order or with other filters');
  if (from !== of || typeof id !== 'string' || !isPlain(id) || !isOfKind(value, kind))
    throw foreign('is not a cursor that this service gave');
  return { value, id };
}

function isOfKind(value: unknown, kind: SortKind): value is string | number {
  if (kind === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'string') return false;
  return kind === 'time' ? momentOf(value) === value : isPlain(value);
}

function foreign(message: string): ServiceError {
  return new ServiceError('bad_request', `The cursor ${message}.`, {
    faults: [
      {
        path: '?cursor',
        code: 'cursor',
        message,
        hint: 'Send next_cursor of the page before as it is, with the same sort and filters; without one the list begins anew.',
      },
    ],
  });
}
