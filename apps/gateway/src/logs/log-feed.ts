import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { ListRequest, LogLine } from '@lab/contracts';
import {
  entryText,
  type EventStream,
  Feed,
  FeedOptions,
  type AdmittedGuest,
  StreamPlaces,
} from '../events/index.js';
import { LogReader } from '../ports/index.js';
import { passes } from '../lists/index.js';

export type LogFilter = ListRequest['filters'];

/** Filters whose names differ from the fields of a line. */
export const logFields = { task_run: 'task_run_id', since: 'at', until: 'at', text: 'message' };

/** Feed of the output of tasks and devices in the order in which it is stored. */
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
        // Storing a line notifies nobody, so that it costs nothing while no client follows.
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

  /** As in every feed, but 0 means behind the oldest existing line, because old lines are regularly removed. */
  override async serve(
    filter: LogFilter,
    after: number | undefined,
    guest: AdmittedGuest,
    open: (onEnd: () => void) => EventStream,
  ): Promise<void> {
    await super.serve(filter, after === 0 ? (await this.reader.extent()).pruned : after, guest, open);
  }

  onModuleDestroy(): void {
    this.close();
  }
}
