import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isWanted, type EventFilter, type ServiceEvent } from '@lab/contracts';
import { EventReader } from '../ports/index.js';
import { entryText } from './event-stream.js';
import { Feed } from './feed.js';
import { FeedOptions, StreamPlaces } from './stream-places.js';

/** The singular and plural of the entries. */
export const eventNouns = ['event', 'events'] as const;

/** Feed of the events of all records in the order of their commits. */
@Injectable()
export class EventFeed extends Feed<ServiceEvent, EventFilter> implements OnModuleDestroy {
  constructor(
    @Inject(EventReader) reader: EventReader,
    @Inject(FeedOptions) options: FeedOptions,
    @Inject(StreamPlaces) places: StreamPlaces,
  ) {
    super(
      {
        nouns: eventNouns,
        pollMs: 1_000,
        pageSize: 500,
        extent: () => reader.extent(),
        after: async (id, limit) => {
          const { pruned, events } = await reader.after(id, limit);
          return { pruned, entries: events };
        },
        listen: (onEvents) => reader.listen(onEvents),
        isWanted,
        text: (event) => entryText(event.type, event),
      },
      options,
      places,
    );
  }

  onModuleDestroy(): void {
    this.close();
  }
}
