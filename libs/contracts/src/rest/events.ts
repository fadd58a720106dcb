import type { JsonObject } from '../json.js';

/** What events are about: the first part of their `aggregate`, before the slash. */
export const eventKinds = [
  'task_run',
  'attempt',
  'protocol_run',
  'campaign',
  'trial',
  'device',
  'agent',
  'attention',
  'halt',
  'resource',
  'lab',
  'protocol',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** Version of the shape of events. Fields may be added to a body without a new version; none is removed or changes its meaning. */
export const eventSchema = 1;

/** What happened to one record, as it was committed. */
export interface ServiceEvent {
  /** Rises with every event, in the order in which they were committed; not without gaps. */
  id: number;
  /** `<kind>.<what happened>`, for most kinds the state that the record has now: `task_run.running`. */
  type: string;
  schema: typeof eventSchema;
  /** `<kind>/<id of the record>`. */
  aggregate: string;
  /** From 1 within the aggregate, without gaps. */
  seq: number;
  /** When it was decided, ISO 8601 in UTC. */
  at: string;
  /** What the record was then, in short. */
  body: JsonObject;
}

/** Which events somebody wants; what is left out does not narrow it down. */
export interface EventFilter {
  /** `task_run.completed`, or `task_run` for all of that kind. Several: any of them. */
  types?: string[];
  aggregate?: string;
  owner?: string;
  campaign?: string;
  protocol_run?: string;
  lab?: string;
  /** Only what belongs to these labs and to no others; what belongs to none is not among it. */
  within?: readonly string[];
}

/** Most types that one filter may name. */
export const maxEventTypes = 20;

/** The kind of record that an aggregate or a type of event names. */
export function eventKindOf(text: string): string {
  return /^[^./]*/.exec(text)?.[0] ?? '';
}

/**
 * Is it one of the events that the filter asks for? A run and a campaign belong to themselves: the filter `campaign`
 * finds the events of the campaign, its runs, their tasks, attempts and trials alike.
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
