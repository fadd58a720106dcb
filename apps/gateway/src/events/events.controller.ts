import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Page, ServiceEvent } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { guestOf, Needs, ownLabs } from '../access/index.js';
import { EventReader } from '../ports/index.js';
import { eventStream, Group, Operation, record } from '../routes/index.js';
import { EventFeed } from './event-feed.js';
import {
  EventSelectionQuery,
  HistoryQuery,
  writeCursor,
  type EventSelection,
  type HistoryPart,
} from './event-query.js';
import { EventStream } from './event-stream.js';

/** Events of all records: as a stream, and record by record. */
@Group('Events')
@Controller('api/events')
@Needs('viewer')
export class EventsController {
  constructor(
    @Inject(EventFeed) private readonly feed: EventFeed,
    @Inject(EventReader) private readonly events: EventReader,
  ) {}

  @Needs('viewer', { lab: ownLabs })
  @Operation(
    'Follow events',
    eventStream('The events as they occur.', 'task_run.completed', 'ServiceEvent'),
    {
      description:
        'Server-sent events, from now on or from behind an id, until the client leaves, or its token or session ends. Each has the id, the type, and a `ServiceEvent` as data. A caller with roles for single laboratories gets the events whose laboratories are all among these. A client that reconnects with the id of its last event, as browsers do by themselves, misses no event and gets none twice. Every 15 s the service sends a comment, and the id up to which the client has everything. The service disconnects a client that reads too slowly; the client continues from its last id. `event: gap` is the last event of a stream that cannot be complete, because events were removed before they could be sent.',
      problems: ['events_pruned', 'store_unavailable'],
    },
  )
  @Get()
  async stream(
    @EventSelectionQuery() { filter, after }: EventSelection,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { method, within } = request;
    if (method === 'HEAD') {
      await reply.type('text/event-stream; charset=utf-8').send();
      return;
    }
    await this.feed.serve(
      within === undefined ? filter : { ...filter, within },
      after,
      guestOf(request),
      (onEnd) => new EventStream(reply, onEnd),
    );
  }

  @Operation(
    'Read the events of one record',
    record('EventPage', 'Oldest first. A record that never existed has no events.'),
  )
  @Get('history')
  async history(@HistoryQuery() { aggregate, after, limit }: HistoryPart): Promise<Page<ServiceEvent>> {
    const items = await this.events.history(aggregate, after, limit + 1);
    const more = items.length > limit;
    if (more) items.pop();
    return { items, next_cursor: more ? writeCursor(items.at(-1)?.seq ?? after) : null };
  }
}
