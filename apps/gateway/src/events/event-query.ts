import {
  eventKindOf,
  eventKinds,
  longestPage,
  maxEventTypes,
  ServiceError,
  type EventFilter,
  type Fault,
} from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import {
  FromQuery,
  invalidQuery,
  limitParameter,
  queryParameter,
  type QueryValues,
} from '../routes/index.js';

const defaultLimit = 100;
/** Longest value of a filter, in characters. */
const longest = 500;
const filterFields = ['aggregate', 'owner', 'campaign', 'protocol_run', 'lab'] as const;

/** Which events a client asks for. */
export interface EventSelection {
  filter: EventFilter;
  /** Id of the event behind which to begin; undefined: from now on. */
  after: number | undefined;
}

/** Which part of the history of a record a client asks for. */
export interface HistoryPart {
  aggregate: string;
  /** The `seq` behind which to begin. */
  after: number;
  limit: number;
}

const text = { type: 'string', maxLength: longest };

/** OpenAPI parameters that say where a stream begins. @param item `event` or `line` */
export const positionParameters = (item: string): object[] => [
  queryParameter('after', `Id of the ${item} behind which to begin; 0: at the oldest. Absent: from now on.`, {
    type: 'integer',
    minimum: 0,
  }),
  {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'As `after`, which it overrides.',
    schema: { type: 'integer', minimum: 0 },
  },
];

/** A parameter of a handler: the {@link EventSelection} in the query and in `Last-Event-ID`. */
export const EventSelectionQuery = (): ParameterDecorator =>
  FromQuery(
    [
      ...positionParameters('event'),
      queryParameter(
        'type',
        `Only events of these types, separated by commas, at most ${maxEventTypes}: \`task_run.completed\`, or \`task_run\` for all events of that kind.`,
        text,
      ),
      queryParameter('aggregate', 'Only events of this record, as `<kind>/<id>`.', text),
      queryParameter('owner', 'Only events of work of this owner.', text),
      queryParameter(
        'campaign',
        'Only events of this campaign, its runs, their tasks, attempts and trials.',
        text,
      ),
      queryParameter('protocol_run', 'Only events of this protocol run, its tasks and their attempts.', text),
      queryParameter(
        'lab',
        'Only events of this laboratory: of runs whose protocol names it, and of its devices and resources.',
        text,
      ),
    ],
    ({ after: asked, ...given }, request): EventSelection => {
      const { filter, faults } = readFilter(given, '?');
      const after = readPosition(asked, lastEventId(request), faults);
      if (faults.length > 0)
        throw new ServiceError('invalid', 'The events asked for are not valid.', { faults });
      return { filter, after };
    },
  );

export const lastEventId = ({ headers }: FastifyRequest): string | undefined =>
  headers['last-event-id'] as string | undefined;

/**
 * The id behind which a stream begins. The header `Last-Event-ID` overrides `after`: a client that reconnects still has
 * the address of its first request.
 *
 * @param faults gets a fault when the id cannot be read
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

/** Reads a filter of events. @param at prefix of the names of fields in the paths of faults */
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

/** A parameter of a handler: the {@link HistoryPart} in the query. */
export const HistoryQuery = (): ParameterDecorator =>
  FromQuery(
    [
      {
        ...queryParameter('aggregate', 'The record, as `<kind>/<id>`.', {
          type: 'string',
          pattern: `^(${eventKinds.join('|')})/`,
          maxLength: longest,
        }),
        required: true,
        example: 'task_run/0190c0de-0000-7000-8000-000000000001',
      },
      limitParameter('Maximum number of events.', defaultLimit),
      queryParameter('cursor', '`next_cursor` of the previous page.', { type: 'string' }),
    ],
    readHistoryPart,
  );

/** @throws ServiceError `invalid` */
function readHistoryPart({
  aggregate,
  limit: limitText = String(defaultLimit),
  cursor,
}: QueryValues): HistoryPart {
  const faults: Fault[] = [];
  const isKnown = (given: string): boolean =>
    given.length <= longest && eventKinds.some((kind) => given.startsWith(`${kind}/`));
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
  if (faults.length > 0 || aggregate === undefined || after === undefined) throw invalidQuery(faults);
  return { aggregate, after, limit };
}

/** Cursor of a place in the history of one record. */
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
      message: `"${type.slice(0, 100)}" is not a type of event`,
      hint: `<kind> or <kind>.<what happened>; the kinds are ${eventKinds.join(', ')}`,
    }));
}

/** Whether the text is a kind of record, or a kind and what happened to a record. */
function isEventType(text: string): boolean {
  return eventKinds.some((kind) => kind === eventKindOf(text)) && /^[a-z_]+(\.[a-z_]+)?$/.test(text);
}

/** Undefined when the text is not a whole number from 0 that is exact as a float. */
function readWhole(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
