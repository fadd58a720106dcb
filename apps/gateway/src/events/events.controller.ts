import { Controller, Get, Headers, Inject, Query, Req, Res } from '@nestjs/common';
import type { ServiceEvent } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { labFilter, Needs, Within } from '../access/index.js';
import { EventReader } from '../ports/index.js';
import { EventFeed } from './event-feed.js';
import { readEventsQuery, readHistoryQuery, writeCursor } from './event-query.js';
import { EventStream } from './event-stream.js';

/** What happens to all records: as a stream, and record by record. */
@Controller('api/events')
@Needs('viewer')
export class EventsController {
  constructor(
    @Inject(EventFeed) private readonly feed: EventFeed,
    @Inject(EventReader) private readonly events: EventReader,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Get()
  async stream(
    @Query() query: unknown,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Within() within?: readonly string[],
  ): Promise<void> {
    const { filter, after } = readEventsQuery(query, lastEventId);
    if (request.method === 'HEAD') {
      await reply.type('text/event-stream; charset=utf-8').send();
      return;
    }
    await this.feed.serve(
      within === undefined ? filter : { ...filter, within },
      after,
      (onEnd) => new EventStream(reply, onEnd),
    );
  }

  @Get('history')
  async history(@Query() query: unknown): Promise<{ items: ServiceEvent[]; next_cursor: string | null }> {
    const { aggregate, after, limit } = readHistoryQuery(query);
    const items = await this.events.history(aggregate, after, limit + 1);
    const more = items.length > limit;
    if (more) items.pop();
    return { items, next_cursor: more ? writeCursor(items.at(-1)?.seq ?? after) : null };
  }
}
