import { eventKinds, eventSchema, longestPage, maxEventTypes, type ServiceEvent } from '@lab/contracts';
import { inQuery, json, ref, type Description } from './description.js';

/** A task that has completed, as the stream tells it. */
export const taskCompleted: ServiceEvent = {
  id: 1841,
  type: 'task_run.completed',
  schema: eventSchema,
  aggregate: 'task_run/0190c0de-0000-7000-8000-000000000001',
  seq: 4,
  at: '2026-11-20T09:30:00.000Z',
  body: {
    id: '0190c0de-0000-7000-8000-000000000001',
    name: 'mix_colors',
    state: 'completed',
    reason: null,
    owner: 'ada',
    labs: ['color_lab'],
    type: 'mix_colors',
    protocol_run: 'mix_1',
    campaign: null,
    attempt: 1,
    cancel_requested: false,
    late_by_s: null,
  },
};

const inText = (event: ServiceEvent): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const string = { type: 'string', maxLength: 500 };
const aggregate = {
  type: 'string',
  pattern: `^(${eventKinds.join('|')})/`,
  maxLength: 500,
};

/** Where a stream begins, as who comes again says it. */
export const lastEventId: object = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The same as `after`, and goes over it.',
  schema: { type: 'integer', minimum: 0 },
};

/** Operations by which events are read, by method and path. */
export const eventOperations: Record<string, Description> = {
  'GET /api/events': {
    tag: 'Events',
    summary: 'Follow what happens',
    description:
      'Server-sent events, from now on or from behind an id, for as long as the client stays: each has the id, the type and a `ServiceEvent` as data. Whoever comes again with the id of the last event, as browsers do by themselves, misses none and gets none twice. A comment and the id up to which the client has everything come every 15 s. A client that takes too little is cut off, and goes on from its last id. `event: gap` is the last event of a stream that cannot be complete, because events were removed before they could be sent.',
    parameters: [
      inQuery('after', 'Id of the event behind which to begin; 0: at the oldest. Left out: from now on.', {
        type: 'integer',
        minimum: 0,
      }),
      lastEventId,
      inQuery(
        'type',
        `Only events of these types, separated by commas, at most ${maxEventTypes}: \`task_run.completed\`, or \`task_run\` for all of that kind.`,
        string,
      ),
      inQuery('aggregate', 'Only events of this record, as `<kind>/<id>`.', string),
      inQuery('owner', 'Only events of work of this owner.', string),
      inQuery(
        'campaign',
        'Only events of this campaign, its runs, their tasks, attempts and trials.',
        string,
      ),
      inQuery('protocol_run', 'Only events of this protocol run, its tasks and their attempts.', string),
      inQuery(
        'lab',
        'Only events of this laboratory: of runs whose protocol names it, and of what has to do with its devices and resources.',
        string,
      ),
    ],
    success: {
      status: 200,
      description: 'The events, as they come.',
      content: {
        'text/event-stream': { schema: { type: 'string' }, example: inText(taskCompleted) },
      },
    },
    problems: ['invalid', 'events_pruned', 'service_unavailable', 'store_unavailable'],
  },
  'GET /api/events/history': {
    tag: 'Events',
    summary: 'Read what happened to one record',
    parameters: [
      {
        name: 'aggregate',
        in: 'query',
        required: true,
        description: 'Which record, as `<kind>/<id>`.',
        schema: aggregate,
        example: taskCompleted.aggregate,
      },
      inQuery('limit', 'Events at most.', {
        type: 'integer',
        minimum: 1,
        maximum: longestPage,
        default: 100,
      }),
      inQuery('cursor', 'The `next_cursor` of the page before.', { type: 'string' }),
    ],
    success: {
      status: 200,
      description: 'Oldest first. A record that there never was has no events.',
      content: json(ref('EventPage'), { items: [taskCompleted], next_cursor: null }),
    },
    problems: ['invalid', 'store_unavailable'],
  },
};
