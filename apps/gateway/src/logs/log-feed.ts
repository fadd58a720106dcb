import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { ListRequest, LogLine } from '@lab/contracts';
import { entryText, type EventStream, Feed, FeedOptions, StreamPlaces } from '../events/index.js';
import { LogReader } from '../ports/index.js';
import { passes } from '../lists/index.js';

export type LogFilter = ListRequest['filters'];

/** Filters of lines whose names are not those of the fields that they are about. */
export const logFields = { task_run: 'task_run_id', since: 'at', until: 'at', text: 'message' };

/** What tasks and devices write, as it is stored. */
@Injectable()
export class LogFeed extends Feed<LogLine, LogFilter> implements OnModuleDestroy {
  constructor(
    @Inject(LogReader) private readonly reader: LogReader,
    @Inject(FeedOptions) options: FeedOptions,
    @Inject(StreamPlaces) places: StreamPlaces,
  ) {
    super(
      {
        nouns: ['line', 'lines'],
        // Nobody is called when lines are stored, so that storing them costs nothing for those who do not listen.
        pollMs: 250,
        // A line has up to 8 KiB.
        pageSize: 100,
        extent: () => reader.extent(),
        after: async (id, limit, filter) => {
          const { pruned, lines } = await reader.after(id, limit, filter);
          return { pruned, entries: lines };
        },
        isWanted: (line, filter) => passes(line, 'logs', filter, logFields),
        text: (line) => entryText('line', line),
      },
      options,
      places,
    );
  }

  /** As of every feed; 0 is behind whatever line is the oldest: of lines it is usual that some were removed. */
  override async serve(
    filter: LogFilter,
    after: number | undefined,
    open: (onEnd: () => void) => EventStream,
  ): Promise<void> {
    await super.serve(filter, after === 0 ? (await this.reader.extent()).pruned : after, open);
  }

  onModuleDestroy(): void {
    this.close();
  }
}
