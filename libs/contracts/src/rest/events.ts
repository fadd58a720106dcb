import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { Described, Field, described, free, integer, list, orNull, text, time } from './fields/field.js';
import type { Page } from './pages.js';

/** The kinds of records that events are about: the part of their `aggregate` before the slash. */
export const eventKinds = [
  'task_run',
  'attempt',
  'protocol_run',
  'campaign',
  'trial',
  'device',
  'device_file',
  'agent',
  'rollout',
  'attention',
  'halt',
  'resource',
  'lab',
  'protocol',
] as const;
export type EventKind = (typeof eventKinds)[number];

/**
 * Version of the shape of events. Within a version, fields may be added to a body; none is removed or changes its
 * meaning.
 */
export const eventSchema = 1;

@Described('An event of one record.')
export class ServiceEvent {
  @Field(
    integer(
      'Number of the event. It rises with every event, in the order of the commits. It may have gaps.',
      1841,
    ),
  )
  id!: number;
  @Field(
    text(
      `\`<kind>.<what happened>\`, for most kinds the new state of the record. The kinds are ${eventKinds.join(', ')}.`,
      'task_run.completed',
    ),
  )
  type!: string;
  @Field(described('Version of the shape of events: 1.', () => z.literal(eventSchema)))
  schema!: typeof eventSchema;
  @Field(text('`<kind>/<id of the record>`.', 'task_run/0190c0de-0000-7000-8000-000000000001'))
  aggregate!: string;
  @Field(integer('Number of the event within the aggregate, from 1, without gaps.', 4)) seq!: number;
  @Field(time('When the service decided it.')) at!: string;
  @Field(
    free<JsonObject>(
      'The record at that moment, in short. Fields may be added. Within a version none is removed, and none changes its meaning.',
    ),
  )
  body!: JsonObject;
}

export class EventPage implements Page<ServiceEvent> {
  @Field(list(ServiceEvent)) items!: ServiceEvent[];
  @Field(orNull(text('Leads to the next page; null: this is the last page.'))) next_cursor!: string | null;
}

/** Which events a client wants. A filter that is absent selects everything. */
export interface EventFilter {
  /** Any of these: `task_run.completed`, or `task_run` for all events of that kind. */
  types?: string[];
  aggregate?: string;
  owner?: string;
  campaign?: string;
  protocol_run?: string;
  lab?: string;
  /** Only events that belong to at least one lab and only to these labs. */
  within?: readonly string[];
}

/** Most types that one filter may name. */
export const maxEventTypes = 20;

/** The kind of record that an aggregate or a type of event names. */
export function eventKindOf(text: string): string {
  return /^[^./]*/.exec(text)?.[0] ?? '';
}

/**
 * True if the filter selects the event. A run and a campaign belong to themselves: the filter `campaign` selects the
 * events of the campaign, of its runs, and of their tasks, attempts and trials.
 */
export function isWanted(
  event: Pick<ServiceEvent, 'type' | 'aggregate' | 'body'>,
  filter: EventFilter,
): boolean {
  const { types, aggregate, owner, campaign, protocol_run: run, lab, within } = filter;
  const { body } = event;
  if (aggregate !== undefined && event.aggregate !== aggregate) return false;
  if (types !== undefined && !types.some((type) => event.type === type || event.type.startsWith(`${type}.`)))
    return false;
  if (owner !== undefined && body['owner'] !== owner) return false;
  if (campaign !== undefined && ownName(event, 'campaign') !== campaign) return false;
  if (run !== undefined && ownName(event, 'protocol_run') !== run) return false;
  if (lab === undefined && within === undefined) return true;
  const labs = body['labs'];
  if (!Array.isArray(labs) || (lab !== undefined && !labs.includes(lab))) return false;
  return (
    within === undefined || (labs.length > 0 && labs.every((each) => within.some((own) => own === each)))
  );
}

function ownName({ aggregate, body }: Pick<ServiceEvent, 'aggregate' | 'body'>, kind: EventKind): unknown {
  return eventKindOf(aggregate) === kind ? body['name'] : body[kind];
}
