import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isWanted, ServiceError, type EventFilter, type ServiceEvent } from '@lab/contracts';
import { EventReader } from '../ports.js';
import { requirePosition } from './event-position.js';
import { eventText, heartbeatText, type EventStream } from './event-stream.js';

/** How the feed keeps its clients; a class, because Nest injects by it. */
export class EventFeedOptions {
  /** Streams at once. */
  clients = 200;
  /** Between two signs of life, in milliseconds. */
  heartbeatMs = 15_000;
  /** How long one stream lasts: then the client comes again, and is asked again who it is. */
  lifeMs = 3_600_000;
}

/** How often it looks without being called, in milliseconds. */
const pollMs = 1_000;
/** Shortest time between two looks, in milliseconds: events that come fast go out together. */
const paceMs = 40;
/** Events that are read at once, and that are kept for clients that come again. */
const pageSize = 500;
const keptEvents = 5_000;
/** How long a client that is brought up to date may take for one page, in milliseconds. */
const takingMs = 30_000;

interface Told {
  event: ServiceEvent;
  text: string;
}

interface Client {
  stream: EventStream;
  filter: EventFilter | undefined;
  endsAt: number;
  /** It has everything that it wants up to this event. */
  position: number;
}

/**
 * The events of all records for everybody who listens here. One reader follows the database, however many clients there
 * are; only a client that asks for what is not in memory any more is brought up to date by reads of its own.
 */
@Injectable()
export class EventFeed implements OnModuleDestroy {
  readonly #reader: EventReader;
  readonly #options: EventFeedOptions;
  readonly #live = new Set<Client>();
  /** Streams, those that are being brought up to date included. */
  readonly #streams = new Set<EventStream>();
  #recent: Told[] = [];
  /** All events behind this one, up to {@link #position}, are in {@link #recent}. */
  #floor = 0;
  #position = 0;
  #started: Promise<void> | undefined;
  #closed = false;
  #timers: NodeJS.Timeout[] = [];
  #isReading = false;
  #called = false;

  constructor(@Inject(EventReader) reader: EventReader, @Inject(EventFeedOptions) options: EventFeedOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /**
   * Sends a client what it asks for, from the event behind `after` on and for as long as it stays.
   *
   * @param after undefined: only what comes from now on
   * @param open makes the stream, once nothing can be wrong with the request any more
   * @throws ServiceError `service_unavailable` when there are too many clients; `events_pruned` when events behind
   *   `after` are kept no longer; `invalid` when there is no such event yet; `store_unavailable`
   */
  async serve(
    filter: EventFilter,
    after: number | undefined,
    open: (onEnd: () => void) => EventStream,
  ): Promise<void> {
    await this.#start();
    if (after !== undefined) await requirePosition(this.#reader, after, '?after');
    // Nothing is awaited between the count and the stream, so that no more of them open than may.
    if (this.#closed || this.#streams.size >= this.#options.clients)
      throw new ServiceError(
        'service_unavailable',
        `There are ${this.#options.clients} streams of events open here, and no more are served.`,
        { retryAfterS: 10 },
      );
    const client: Client = {
      filter: Object.keys(filter).length === 0 ? undefined : filter,
      endsAt: Date.now() + this.#options.lifeMs,
      position: after ?? this.#position,
      stream: open(() => {
        this.#live.delete(client);
        this.#streams.delete(client.stream);
      }),
    };
    const { stream } = client;
    this.#streams.add(stream);
    if (!stream.open) this.#streams.delete(stream);
    stream.write(heartbeatText(client.position));
    try {
      while (stream.open && client.position < this.#floor) await this.#catchUp(client);
    } catch {
      // The answer has begun and cannot become a problem any more; the client comes again.
      stream.end(': the events cannot be read at present\n\n');
    }
    // From here on without a pause, so that nothing falls between what is kept and what comes.
    if (!stream.open || this.#closed) return;
    this.#send(client, this.#recent);
    stream.write(heartbeatText(client.position));
    this.#live.add(client);
  }

  onModuleDestroy(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const stream of [...this.#streams]) stream.end(': the service is stopping here\n\n');
  }

  /** Reads one page for a client. */
  async #catchUp(client: Client): Promise<void> {
    const { pruned, events } = await this.#reader.after(client.position, pageSize);
    if (pruned > client.position) client.stream.end(gapText(client.position, pruned));
    this.#send(client, events.map(told));
    if (events.length === 0) client.position = this.#floor;
    await client.stream.taken(takingMs);
  }

  /** Begins to follow, with the first client. */
  #start(): Promise<void> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  async #begin(): Promise<void> {
    const { latest } = await this.#reader.extent();
    if (this.#closed) return;
    this.#floor = this.#position = latest;
    this.#reader.listen(() => this.#look());
    this.#timers = [
      setInterval(() => this.#look(), pollMs),
      setInterval(() => this.#beat(), this.#options.heartbeatMs),
    ];
  }

  #look(): void {
    if (this.#closed) return;
    this.#called = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#called && !this.#closed) {
        this.#called = false;
        while (await this.#readPage());
        await new Promise((resolve) => setTimeout(resolve, paceMs));
      }
    } catch {
      // The database does not answer. The next look is at most a poll away; the clients have heartbeats meanwhile.
    }
    this.#isReading = false;
  }

  /** @returns whether there may be more */
  async #readPage(): Promise<boolean> {
    const { pruned, events } = await this.#reader.after(this.#position, pageSize);
    if (pruned > this.#position) this.#breakOff(pruned);
    const last = events.at(-1);
    if (last === undefined || this.#closed) return false;
    const page = events.map(told);
    this.#position = last.id;
    this.#recent.push(...page);
    const tooMany = this.#recent.length - keptEvents;
    if (tooMany > pageSize) {
      this.#floor = this.#recent[tooMany - 1]?.event.id ?? this.#floor;
      this.#recent = this.#recent.slice(tooMany);
    }
    const all = page.map(({ text }) => text).join('');
    for (const client of [...this.#live]) this.#send(client, page, all);
    return events.length === pageSize;
  }

  /** Events were removed before they were read here: whoever listens has missed them. */
  #breakOff(pruned: number): void {
    for (const { stream, position } of [...this.#live]) stream.end(gapText(position, pruned));
    this.#recent = [];
    this.#floor = this.#position = pruned;
  }

  /**
   * Sends what a client wants of a page, and has not got before: it may have read ahead of the feed.
   *
   * @param all the text of the whole page
   */
  #send(client: Client, page: readonly Told[], all?: string): void {
    const { stream, filter, position } = client;
    const [first, last] = [page[0]?.event.id, page.at(-1)?.event.id];
    if (first === undefined || last === undefined) return;
    client.position = Math.max(position, last);
    if (all !== undefined && filter === undefined && first > position) {
      stream.write(all);
      return;
    }
    const text = page
      .filter(({ event }) => event.id > position && (filter === undefined || isWanted(event, filter)))
      .map((each) => each.text)
      .join('');
    if (text !== '') stream.write(text);
  }

  #beat(): void {
    const now = Date.now();
    for (const { stream, endsAt, position } of [...this.#live]) {
      stream.write(heartbeatText(position));
      if (now >= endsAt) stream.end(': come again with the header Last-Event-ID\n\n');
    }
  }
}

/** Events behind the last one that a client has were removed before it got them. */
function gapText(after: number, oldest: number): string {
  return `event: gap\ndata: ${JSON.stringify({ after, oldest })}\n\n`;
}

function told(event: ServiceEvent): Told {
  return { event, text: eventText(event) };
}
