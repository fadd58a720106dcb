import {
  eventKindOf,
  eventKinds,
  longestPage,
  maxEventTypes,
  ServiceError,
  type EventFilter,
  type Fault,
} from '@lab/contracts';
import { readQuery } from '../routes/index.js';

const defaultLimit = 100;
/** Longest value of a filter, in characters. */
const longest = 500;
const filterFields = ['aggregate', 'owner', 'campaign', 'protocol_run', 'lab'] as const;

/** Reads which events are asked for, and from where on. @throws ServiceError `invalid` */
export function readEventsQuery(
  query: unknown,
  lastEventId: string | undefined,
): { filter: EventFilter; after: number | undefined } {
  const { after: asked, ...given } = readQuery(query, ['type', 'after', ...filterFields]);
  const { filter, faults } = readFilter(given, '?');
  const after = readPosition(asked, lastEventId, faults);
  if (faults.length > 0) throw new ServiceError('invalid', 'The events asked for are not valid.', { faults });
  return { filter, after };
}

/**
 * Behind what a stream begins. The header `Last-Event-ID` wins over `after`: who comes again has the address of the first
 * time.
 *
 * @param faults to which it is added when the one that counts cannot be read
 * @returns undefined: from now on
 */
export function readPosition(
  asked: string | undefined,
  lastEventId: string | undefined,
  faults: Fault[],
): number | undefined {
  const from = lastEventId === undefined || lastEventId === '' ? asked : lastEventId;
  const after = from === undefined ? undefined : readWhole(from);
  if (from !== undefined && after === undefined)
    faults.push({
      path: from === asked ? '?after' : 'Last-Event-ID',
      code: 'range',
      message: 'must be the id of an event, a whole number from 0',
    });
  return after;
}

/** @param at what stands before the name of a field in the path of a fault */
export function readFilter(
  { type, ...rest }: Partial<Record<'type' | (typeof filterFields)[number], string | undefined>>,
  at: string,
): { filter: EventFilter; faults: Fault[] } {
  const faults: Fault[] = [];
  const filter: EventFilter = {};
  const types = type?.split(',').map((each) => each.trim());
  if (types !== undefined) {
    faults.push(...typeFaults(types, at));
    filter.types = types;
  }
  for (const field of filterFields) {
    const value = rest[field];
    if (value === undefined) continue;
    if (value.length > longest)
      faults.push({
        path: `${at}${field}`,
        code: 'length',
        message: `must be at most ${longest} characters`,
      });
    filter[field] = value;
  }
  return { filter, faults };
}

/**
 * Reads whose history is asked for: `aggregate`, `limit` (1 to 500, default 100), `cursor`.
 *
 * @throws ServiceError `invalid`
 */
export function readHistoryQuery(query: unknown): { aggregate: string; after: number; limit: number } {
  const {
    aggregate,
    limit: limitText = String(defaultLimit),
    cursor,
  } = readQuery(query, ['aggregate', 'limit', 'cursor']);
  const faults: Fault[] = [];
  const isKnown = (text: string): boolean =>
    text.length <= longest && eventKinds.some((kind) => text.startsWith(`${kind}/`));
  if (aggregate === undefined || !isKnown(aggregate))
    faults.push({
      path: '?aggregate',
      code: aggregate === undefined ? 'required' : 'format',
      message: 'must be `<kind>/<id>` as events have it',
      hint: `The kinds are ${eventKinds.join(', ')}.`,
    });
  const limit = readWhole(limitText) ?? 0;
  if (limit < 1 || limit > longestPage)
    faults.push({
      path: '?limit',
      code: 'range',
      message: `must be a whole number from 1 to ${longestPage}`,
    });
  const after = cursor === undefined ? 0 : readWhole(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (after === undefined)
    faults.push({ path: '?cursor', code: 'format', message: 'must be a `next_cursor` of an earlier page' });
  if (faults.length > 0 || aggregate === undefined || after === undefined)
    throw new ServiceError('invalid', 'The query of the address is not valid.', { faults });
  return { aggregate, after, limit };
}

/** A place in the history of one record, for who reads on. */
export function writeCursor(seq: number): string {
  return Buffer.from(String(seq), 'latin1').toString('base64url');
}

function typeFaults(types: readonly string[], at: string): Fault[] {
  if (types.length > maxEventTypes)
    return [{ path: `${at}type`, code: 'length', message: `must be at most ${maxEventTypes} types` }];
  return types
    .filter((type) => !isEventType(type))
    .map((type) => ({
      path: `${at}type`,
      code: 'choice',
      message: `"${type.slice(0, 100)}" is no type of event`,
      hint: `<kind> or <kind>.<what happened>; the kinds are ${eventKinds.join(', ')}`,
    }));
}

/** Is it a kind, or a kind with something that may have happened to it? */
function isEventType(text: string): boolean {
  return eventKinds.some((kind) => kind === eventKindOf(text)) && /^[a-z_]+(\.[a-z_]+)?$/.test(text);
}

/** Undefined when it is no whole number from 0 that is exact. */
function readWhole(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
